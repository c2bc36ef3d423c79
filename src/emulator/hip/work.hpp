// Between HIP's calls and the queues: tasks become operations of a stream, or nodes of the graph that a stream is captured into.
// Under the machine's lock.
#pragma once

#include <cstddef>
#include <memory>

#include "emulator/hip/entry.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/kernel_arguments.hpp"
#include "emulator/runtime/machine.hpp"

namespace hipemu {

/// Queues the task, or adds it to the graph that the stream is captured into; `point` gets its end where it was queued.
hipError_t submit(Machine& machine, Device& device, Stream& stream, Task task, std::shared_ptr<Point>* point = nullptr,
                  const std::vector<std::shared_ptr<Point>>& after = {});
/// The same for a task that is there already, not looking at captures; behind `after`, too.
std::shared_ptr<Point> enqueue(Machine& machine, Device& device, Stream& stream, std::shared_ptr<const Task> task,
                               const std::vector<std::shared_ptr<Point>>& after = {});
/// Queues a replay. Steps that do not depend on each other go on branches of their own, so that copies and kernels overlap as in streams.
hipError_t replay(Machine& machine, Device& device, Stream& stream, const GraphExec& exec);
/// Is the kernel still there? Graphs may outlive the module of their kernels.
bool is_loaded(Machine& machine, const KernelTask& task);
Operation kernel_operation(Machine& machine, Device& device, std::shared_ptr<const Task> task);

inline HostTask host_task(const hipHostNodeParams& parameters) {
    return {.function = [parameters](hipError_t) { parameters.fn(parameters.userData); }, .parameters = parameters};
}
/// Checks a launch and packs its arguments.
hipError_t prepare_kernel(Machine& machine, hipFunction_t function, const LaunchShape& shape, void** parameters, void** extra, KernelTask& task);
/// The kernel behind the address of a host function, as registered by the program.
hipError_t registered_function(const void* host_function, hipFunction_t& function);

/// What a broken rule of captures comes to.
inline hipError_t verdict(CaptureVerdict broken) {
    return broken.error == hipSuccess ? hipSuccess : refuse(broken.error, std::move(broken.why));
}
/// For calls that a capture must not see.
inline hipError_t check_unsafe(Machine& machine) { return verdict(machine.captures.check_unsafe(this_thread().capture_mode)); }

/// The device whose stream an event was last recorded in; nullptr where that is gone, and with it all that was in it is done.
Device* device_of(Machine& machine, const Event& event);
/// What a stream of `device` has to wait for; nullptr: nothing.
std::shared_ptr<Point> point_to_wait_for(Machine& machine, Device& device, const Event& event);

/// Is memory of a graph in use, as of what is queued?
inline bool is_in_use(const Block& block) { return block.of_graph && block.of_graph->in_use; }
/// The memory is free, as of what is queued; the caller holds on to it.
void forget_use(Machine& machine, GraphMemory& memory);
/// Device memory for a graph, hidden until a replay allocates it.
hipError_t allocate_for_graph(Machine& machine, Device& device, void** pointer, std::size_t bytes, Task& task);

/// Device memory, accounted for; `pool` nullptr: the device's own. Says why where there is none left.
hipError_t allocate(Machine& machine, Device& device, void** pointer, std::size_t bytes, const char* call, std::shared_ptr<Pool> pool = nullptr);
/// Host memory that kernels reach, at its own address; nullptr where the host has none left.
Block* allocate_host_block(Machine& machine, const Device& device, BlockKind kind, std::size_t bytes, std::string label);
/// The block that begins at `pointer` and is of that kind; otherwise says why not.
Block* block_to_free(Machine& machine, const void* pointer, BlockKind kind, const char* call);
void release_block(Machine& machine, Block* block);

}  // namespace hipemu
