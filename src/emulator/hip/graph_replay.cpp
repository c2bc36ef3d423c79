// Replays of graphs in streams.
#include <algorithm>

#include "emulator/hip/work.hpp"

namespace hipemu {
namespace {

constexpr std::size_t kMostBranches = 16;

/// Memory that the graph allocates and that is in use already: nullptr where there is none.
std::shared_ptr<GraphMemory> left_in_use(const GraphExec& exec) {
    for (const GraphExec::Step& step : exec.steps)
        if (const auto* alloc = std::get_if<AllocTask>(step.task.get()); alloc && alloc->memory->in_use) return alloc->memory;
    return nullptr;
}

}  // namespace

hipError_t replay(Machine& machine, Device& device, Stream& stream, const GraphExec& exec) {
    while (const std::shared_ptr<GraphMemory> memory = left_in_use(exec)) {
        if (!exec.frees_on_launch) return refuse(hipErrorInvalidValue, "memory that the graph allocates was not freed since it was launched before");
        (void)enqueue(machine, device, stream, std::make_shared<const Task>(FreeTask{.memory = memory}));
    }
    // A copy: while this thread waits for its turn, another may destroy or update the graph.
    const std::vector<GraphExec::Step> steps = exec.steps;
    const std::vector<std::size_t> branches = branches_of(steps, kMostBranches);
    const auto nothing = std::make_shared<const Task>(EmptyTask{});
    const auto task_of = [&](const GraphExec::Step& step) { return step.enabled ? step.task : nothing; };

    // The first branch is the stream itself; the others begin where the stream is now, and it waits for them at the end.
    std::vector<std::shared_ptr<Stream>> streams{stream.shared_from_this()};
    const std::size_t count = branches.empty() ? 0 : *std::max_element(branches.begin(), branches.end()) + 1;
    while (streams.size() < count) streams.push_back(device.queue.branch());
    std::shared_ptr<Point> begin;
    if (count > 1) begin = enqueue(machine, device, stream, nothing);
    std::vector<std::shared_ptr<Point>> ends(streams.size()), points;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::size_t branch = branches[i];
        std::vector<std::shared_ptr<Point>> after;
        if (!ends[branch] && branch != 0) after.push_back(begin);
        for (const std::size_t before : steps[i].after)
            if (branches[before] != branch) after.push_back(points[before]);
        points.push_back(enqueue(machine, device, *streams[branch], task_of(steps[i]), after));
        ends[branch] = points.back();
    }
    if (count > 1) (void)enqueue(machine, device, stream, nothing, {ends.begin() + 1, ends.end()});
    return hipSuccess;
}

}  // namespace hipemu
