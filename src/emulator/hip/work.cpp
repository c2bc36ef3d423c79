#include "emulator/hip/work.hpp"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "emulator/hip/copy.hpp"
#include "emulator/runtime/pool.hpp"

namespace hipemu {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMostHostBytes = std::size_t{1} << 46;
std::uint64_t in_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

Outcome failed(hipError_t error) { return {.error = error, .explanation = this_thread().explanation}; }

// Places are looked up when the work runs: memory may have been freed in stream order meanwhile.
Outcome run(Machine& machine, Device& device, const CopyTask& task) {
    const CopyShape& shape = task.shape;
    const CopyRange to = find_copy_range(machine, task.to, shape.to_span(), Moment::now);
    const CopyRange from = task.staged ? CopyRange{.kind = CopyRange::Kind::pageable, .bytes = const_cast<std::byte*>(task.staged->data())}
                                       : find_copy_range(machine, task.from, shape.from_span(), Moment::now);
    if (const hipError_t error = check_copy(to, from, hipMemcpyDefault, "a queued copy")) return failed(error);
    return copy_rows(device, to, from, shape);
}

Outcome run(Machine& machine, Device& device, const FillTask& task) {
    const std::size_t row = task.width * task.unit, span = task.pitch * (task.height - 1) + row;
    const CopyRange to = find_copy_range(machine, task.to, span, Moment::now);
    if (to.kind == CopyRange::Kind::invalid)
        return failed(refuse(hipErrorIllegalAddress, fmt::format("{}: {}", task.call, to.trouble)));
    return fill_rows(device, to, task.value, task.unit, {.width = row, .height = task.height, .to_pitch = task.pitch});
}

Outcome run(Machine& machine, const AllocTask& task) {
    Block* block = machine.memory.find_any(task.memory->address);
    if (!block) return failed(refuse(hipErrorInvalidValue, "memory of a graph was freed from outside; it cannot be had again"));
    block->hidden = false;
    if (block->defined) std::memset(block->defined.get(), 0, block->whole.size / 8 + 1);
    machine.memory.changed();
    return {};
}

Outcome run(Machine& machine, const FreeTask& task) {
    const std::uint64_t address = task.memory ? task.memory->address : reinterpret_cast<std::uint64_t>(task.pointer);
    Block* block = machine.memory.find(address);
    if (!block) return failed(refuse(hipErrorInvalidValue, fmt::format("hipFreeAsync of {:#x}, which is {}", address, machine.memory.describe(address))));
    if (task.memory) {
        block->hidden = true;
        machine.memory.changed();
    } else {
        release_block(machine, block);
    }
    return {};
}

Outcome run(Machine& machine, const HostTask& task, hipError_t status) {
    // It may take as long as it likes; other threads need HIP meanwhile. On a card it is called by a thread of the runtime: an exception that
    // leaves it ends the process.
    const Unlocked unlocked(machine);
    ThreadState& thread = this_thread();
    thread.in_host_function = true;
    [&]() noexcept { task.function(status); }();
    thread.in_host_function = false;
    return {};
}

Operation event_gone() {
    return {.run = [] { return Outcome{.error = hipErrorInvalidHandle, .explanation = "an event of the graph was destroyed"}; }};
}

/// What a stream does for a task.
Operation operation_for(Machine& machine, Device& device, Stream& stream, std::shared_ptr<const Task> task) {
    if (std::holds_alternative<KernelTask>(*task)) return kernel_operation(machine, device, std::move(task));
    if (std::holds_alternative<CopyTask>(*task))
        return {.run = [&machine, &device, task] { return run(machine, device, std::get<CopyTask>(*task)); }, .engine = Engine::copy};
    if (std::holds_alternative<FillTask>(*task))
        return {.run = [&machine, &device, task] { return run(machine, device, std::get<FillTask>(*task)); }, .engine = Engine::compute};
    if (std::holds_alternative<HostTask>(*task))
        return {.run =
                    [&machine, weak = stream.weak_from_this(), task] {
                        const auto held = weak.lock();
                        return run(machine, std::get<HostTask>(*task), held && held->trouble ? held->trouble->failure.error : hipSuccess);
                    },
                .even_after_failure = true};
    if (const auto* alloc = std::get_if<AllocTask>(task.get())) {
        alloc->memory->in_use = true;
        if (Block* block = machine.memory.find_any(alloc->memory->address)) block->graph_memory = alloc->memory;
        return {.run = [&machine, task] { return run(machine, std::get<AllocTask>(*task)); }};
    }
    if (const auto* free = std::get_if<FreeTask>(task.get())) {
        if (free->memory) forget_use(machine, *free->memory);
        return {.run = [&machine, task] { return run(machine, std::get<FreeTask>(*task)); }, .even_after_failure = true};
    }
    if (const auto* wait = std::get_if<EventWaitTask>(task.get())) {
        const auto event = wait->event.lock();
        if (!event) return event_gone();
        const auto point = point_to_wait_for(machine, device, *event);
        return {.even_after_failure = true, .after = point ? std::vector{point} : std::vector<std::shared_ptr<Point>>{}};
    }
    return {.even_after_failure = true};
}

}  // namespace

GraphMemory::~GraphMemory() {
    if (Block* block = machine.memory.find_any(address); block && block->of_graph == this) release_block(machine, block);
}

void forget_use(Machine& machine, GraphMemory& memory) {
    memory.in_use = false;
    // Whoever calls holds the memory itself.
    if (Block* block = machine.memory.find_any(memory.address); block && block->of_graph == &memory) block->graph_memory.reset();
}

Device* device_of(Machine& machine, const Event& event) {
    if (!event.point) return nullptr;
    const auto stream = event.point->stream.lock();
    for (const auto& device : machine.devices)
        if (stream && device->queue.owns(*stream)) return device.get();
    return nullptr;
}

std::shared_ptr<Point> point_to_wait_for(Machine& machine, Device& device, const Event& event) {
    const std::shared_ptr<Point> point = event.point;
    // An event of another device is reached first: each device has an order of its own.
    if (Device* other = device_of(machine, event); other && other != &device) other->queue.finish(point);
    return point;
}

std::shared_ptr<Point> enqueue(Machine& machine, Device& device, Stream& stream, std::shared_ptr<const Task> task,
                               const std::vector<std::shared_ptr<Point>>& after) {
    std::shared_ptr<Event> recorded;
    Operation operation;
    if (const auto* record = std::get_if<EventRecordTask>(task.get()); record && !(recorded = record->event.lock())) operation = event_gone();
    else operation = operation_for(machine, device, stream, std::move(task));
    operation.after.insert(operation.after.end(), after.begin(), after.end());
    std::shared_ptr<Point> point = device.queue.add(stream, std::move(operation));
    if (recorded) {
        recorded->capture.reset();
        recorded->captured_after.clear();
        recorded->point = point;
    }
    return point;
}

hipError_t submit(Machine& machine, Device& device, Stream& stream, Task task, std::shared_ptr<Point>* point,
                  const std::vector<std::shared_ptr<Point>>& after) {
    if (const hipError_t error = verdict(machine.captures.check_use(stream, device.queue.streams()))) return error;
    if (stream.capture) {
        machine.captures.add(stream, std::move(task));
        return hipSuccess;
    }
    std::shared_ptr<Point> end = enqueue(machine, device, stream, std::make_shared<const Task>(std::move(task)), after);
    if (point) *point = std::move(end);
    return hipSuccess;
}

hipError_t allocate(Machine& machine, Device& device, void** pointer, std::size_t bytes, const char* call, std::shared_ptr<Pool> pool) {
    if (!pointer) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return hipSuccess;
    const bool possible = bytes <= device.memory_bytes;  // rounding up cannot overflow
    if (!possible || !(pool ? pool->take(in_pages(bytes)) : has_room(device, in_pages(bytes))))
        return refuse(hipErrorOutOfMemory, fmt::format("{} bytes do not fit the device: {} of {} bytes are in use{}", bytes, device.memory_used,
                                                       device.memory_bytes, Injector::instance().memory_limit() ? ", and a limit was set on purpose" : ""));
    Block* block = machine.memory.allocate(BlockKind::device, bytes, device.ordinal, fmt::format("{} #{}", call, ++machine.allocation_count));
    if (!block) {
        if (pool) pool->give_back(in_pages(bytes));
        return refuse(hipErrorOutOfMemory, fmt::format("the host has no memory for {} bytes of device memory", bytes));
    }
    if (!pool) device.memory_used += in_pages(bytes);
    block->pool = std::move(pool);
    *pointer = reinterpret_cast<void*>(block->whole.base);
    return hipSuccess;
}

Block* allocate_host_block(Machine& machine, const Device& device, BlockKind kind, std::size_t bytes, std::string label) {
    void* memory = bytes < kMostHostBytes ? mmap(nullptr, in_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (memory == MAP_FAILED) return nullptr;
    return machine.memory.adopt_host(kind, static_cast<std::byte*>(memory), bytes, device.ordinal, std::move(label));
}

hipError_t allocate_for_graph(Machine& machine, Device& device, void** pointer, std::size_t bytes, Task& task) {
    if (const hipError_t error = allocate(machine, device, pointer, bytes, "memory of a graph")) return error;
    const auto address = reinterpret_cast<std::uint64_t>(*pointer);
    Block* block = machine.memory.find(address);
    block->hidden = true;
    machine.memory.changed();
    auto memory = std::make_shared<GraphMemory>(machine, address, bytes);
    block->of_graph = memory.get();
    task = AllocTask{std::move(memory)};
    return hipSuccess;
}

Block* block_to_free(Machine& machine, const void* pointer, BlockKind kind, const char* call) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    Block* block = machine.memory.find_any(address);
    if (block && block->hidden && !is_in_use(*block)) block = nullptr;
    const bool free_already = block && (block->freeing || (block->of_graph && !is_in_use(*block)));
    if (block && block->whole.base == address && block->kind == kind && !block->registered && !free_already) return block;
    if (free_already) {
        (void)refuse(hipErrorInvalidValue, fmt::format("{} of {:#x}, which hipFreeAsync was called for already", call, address));
        return nullptr;
    }
    (void)refuse(hipErrorInvalidValue, fmt::format("{} of {:#x}, which is {}", call, address, machine.memory.describe(address)));
    return nullptr;
}

void release_block(Machine& machine, Block* block) {
    const std::uint64_t pages = in_pages(block->whole.size);
    const std::shared_ptr<GraphMemory> held = std::move(block->graph_memory);  // it looks for the block when it goes
    if (block->kind == BlockKind::device) {
        if (block->pool) block->pool->give_back(pages);
        else machine.devices[static_cast<std::size_t>(block->device)]->memory_used -= pages;
    }
    if (block->on_host() && !block->registered) munmap(block->whole.host, pages);
    machine.memory.release(block);
}

}  // namespace hipemu
