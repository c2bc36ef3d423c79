#include "emulator/launch.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "emulator/workgroup.hpp"

namespace hipemu {
namespace {

/// The groups of a launch that run, in grid order: all, or an even sample.
class GroupList {
public:
    explicit GroupList(const LaunchRequest& request) : grid_(request.grid) {
        total_ = std::uint64_t{grid_[0]} * grid_[1] * grid_[2];
        count_ = request.sample_groups == 0 ? total_ : std::min(total_, request.sample_groups);
    }

    std::uint64_t total() const { return total_; }
    std::uint64_t count() const { return count_; }

    std::array<std::uint32_t, 3> id(std::uint64_t i) const {
        // The middle of the i-th of `count` equal parts; the group itself if all run.
        const std::uint64_t flat = count_ == total_ ? i : (2 * i + 1) * total_ / (2 * count_);
        return {static_cast<std::uint32_t>(flat % grid_[0]), static_cast<std::uint32_t>(flat / grid_[0] % grid_[1]),
                static_cast<std::uint32_t>(flat / grid_[0] / grid_[1])};
    }

private:
    std::array<std::uint32_t, 3> grid_;
    std::uint64_t total_ = 0, count_ = 0;
};

/// What the host threads share. Groups are taken in order, so a group that waits for an earlier one finds it running or done.
struct Shared {
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> first_stopped{UINT64_MAX};
    std::mutex mutex;  // guards what follows
    std::optional<Fault> fault;
    std::uint64_t fault_group = UINT64_MAX;
    std::optional<Flow> flow;
    std::vector<MemorySpan> spans;
};

void merge_spans(std::vector<MemorySpan>& into, const std::vector<MemorySpan>& from) {
    for (const MemorySpan& span : from) {
        const auto known = std::find_if(into.begin(), into.end(), [&](const MemorySpan& one) { return one.allocation == span.allocation; });
        if (known == into.end()) {
            into.push_back(span);
        } else {
            known->low = std::min(known->low, span.low);
            known->high = std::max(known->high, span.high);
        }
    }
}

void run_groups(const LaunchRequest& request, const CostSums& sums, const GroupList& groups, std::vector<GroupCost>& costs, Shared& shared) {
    WorkgroupRunner runner(request, sums);
    for (;;) {
        const std::uint64_t i = shared.next.fetch_add(1);
        if (i >= groups.count() || i > shared.first_stopped.load()) break;
        if (runner.run(groups.id(i))) {
            costs[i] = runner.cost();
            continue;
        }
        const std::lock_guard lock(shared.mutex);
        if (i < shared.fault_group) {
            shared.fault_group = i;
            shared.fault = runner.take_fault();
            shared.first_stopped = i;
        }
        break;
    }
    const std::lock_guard lock(shared.mutex);
    merge_spans(shared.spans, runner.spans());
    if (shared.flow) {
        *shared.flow += runner.flow();
    } else {
        shared.flow = runner.flow();
    }
}

Fault refused(const LaunchRequest& request, std::string message) {
    Fault fault;
    fault.kind = FaultKind::unsupported;
    fault.message = std::move(message);
    if (request.kernel != nullptr) fault.kernel = request.kernel->name;
    return fault;
}

}  // namespace

LaunchResult run(const LaunchRequest& request) {
    LaunchResult result;
    const Chip* chip = request.chip != nullptr ? request.chip : find_chip("gfx1100");
    if (request.kernel == nullptr || request.kernel->program == nullptr || request.memory == nullptr || chip == nullptr) {
        result.fault = refused(request, "the launch names no kernel, no memory or no card");
        return result;
    }
    const Kernel& kernel = *request.kernel;
    if (kernel.program->index_of(kernel.entry_offset) < 0) {
        result.fault = refused(request, "the kernel's entry is no instruction of its code");
        return result;
    }
    if ((kernel.properties & 1u << 10) == 0 && kernel.properties != 0) {
        result.fault = refused(request, "the kernel is compiled for wave64; the emulator runs wave32");
        return result;
    }

    const GroupList groups(request);
    const CostSums sums(*kernel.program, *chip);
    std::vector<GroupCost> costs(groups.count());
    Shared shared;
    const unsigned wanted = request.host_threads != 0 ? request.host_threads : std::max(std::thread::hardware_concurrency(), 1u);
    const auto workers = static_cast<unsigned>(std::clamp<std::uint64_t>(groups.count(), 1, wanted));
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < workers; ++i) threads.emplace_back([&] { run_groups(request, sums, groups, costs, shared); });
    run_groups(request, sums, groups, costs, shared);
    for (std::thread& thread : threads) thread.join();

    const std::vector<std::uint64_t> counts = shared.flow->counts();
    for (std::size_t i = 0; i < kernel.program->code.size(); ++i) {
        result.instructions[static_cast<std::size_t>(kernel.program->code[i].unit)] += counts[i];
    }
    if (shared.fault) {
        result.fault = std::move(shared.fault);
        result.groups_run = shared.fault_group;
        return result;
    }
    result.groups_run = groups.count();

    std::uint64_t touched = 0;
    for (const MemorySpan& span : shared.spans) touched += span.high - span.low;
    const std::uint32_t threads_a_group = request.block[0] * request.block[1] * request.block[2];
    const Footprint footprint{.vgprs = kernel.vgprs,
                              .lds_bytes = kernel.group_bytes + request.dynamic_lds,
                              .waves = (threads_a_group + kLanes - 1) / kLanes,
                              .wgp_mode = kernel.wgp_mode};
    result.time = model_time(*chip, footprint, costs, groups.total(), touched);
    return result;
}

}  // namespace hipemu
