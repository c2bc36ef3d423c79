// The nodes of graphs: adding them, and their parameters.
#include "emulator/hip/copy.hpp"
#include "emulator/hip/entry_graph.hpp"
#include "emulator/runtime/loaded_module.hpp"

using namespace hipemu;

namespace {

/// Gives a node the task that `make(machine, task)` says, where it has one of that kind.
template <class OfKind, class Make>
hipError_t set_task(hipGraphNode_t handle, Make&& make, const char* call = __builtin_FUNCTION()) {
    return node_entry(handle, [&](Machine& machine, GraphNode& node) {
        if (!std::holds_alternative<OfKind>(node.task)) return refuse(hipErrorInvalidValue, "the node is of another kind");
        Task task;
        if (const hipError_t error = make(machine, task)) return error;
        node.task = std::move(task);
        return hipSuccess;
    }, call);
}

/// Runs `give(task, node)` for a node of that kind.
template <class OfKind, class Give>
hipError_t get_task(hipGraphNode_t handle, const void* to, Give&& give, const char* call = __builtin_FUNCTION()) {
    return node_entry(handle, [&](Machine&, GraphNode& node) {
        OfKind* const task = std::get_if<OfKind>(&node.task);
        if (!task || !to) return refuse(hipErrorInvalidValue, task ? "there is no place for the answer" : "the node is of another kind");
        give(*task, node);
        return hipSuccess;
    }, call);
}

}  // namespace

namespace hipemu {

hipError_t kernel_task(Machine& machine, const hipKernelNodeParams* parameters, Task& task) {
    if (!parameters || !parameters->func) return hipErrorInvalidValue;
    auto function = reinterpret_cast<hipFunction_t>(parameters->func);
    if (!machine.find_function(function))
        if (const hipError_t error = registered_function(parameters->func, function)) return error;
    const dim3 grid = parameters->gridDim, block = parameters->blockDim;
    KernelTask& kernel = task.emplace<KernelTask>();
    const LaunchShape shape{.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .dynamic_lds = parameters->sharedMemBytes};
    const hipError_t error = prepare_kernel(machine, function, shape, parameters->kernelParams, parameters->extra, kernel);
    kernel.function = parameters->func;
    return error;
}

hipError_t copy_task(Machine& machine, void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, Task& task) {
    if (bytes == 0) return hipErrorInvalidValue;
    const CopyRange target = find_copy_range(machine, to, bytes, Moment::in_replay), source = find_copy_range(machine, from, bytes, Moment::in_replay);
    if (const hipError_t error = check_copy(target, source, kind, "a copy of a graph")) return error;
    task = CopyTask{.to = to, .from = from, .shape = {.width = bytes}, .kind = kind};
    return hipSuccess;
}

hipError_t copy_task(Machine& machine, const hipMemcpy3DParms* parameters, Task& task) {
    CopyPlaces places;
    if (const hipError_t error = read_parameters(parameters, "a copy of a graph", places)) return error;
    if (places.shape.bytes() == 0) return hipErrorInvalidValue;
    const CopyRange target = find_copy_range(machine, places.to, places.shape.to_span(), Moment::in_replay);
    const CopyRange source = find_copy_range(machine, places.from, places.shape.from_span(), Moment::in_replay);
    if (const hipError_t error = check_copy(target, source, parameters->kind, "a copy of a graph")) return error;
    task = CopyTask{.to = places.to, .from = places.from, .shape = places.shape, .kind = parameters->kind};
    return hipSuccess;
}

hipError_t fill_task(Machine& machine, const hipMemsetParams* parameters, Task& task) {
    if (!parameters) return hipErrorInvalidValue;
    const hipMemsetParams& p = *parameters;
    if ((p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) || p.width == 0 || p.height == 0 || p.width > SIZE_MAX / 4)
        return hipErrorInvalidValue;
    const std::size_t row = p.width * p.elementSize;
    if (p.height > 1 && (row > p.pitch || p.height - 1 > (SIZE_MAX - row) / p.pitch)) return hipErrorInvalidPitchValue;
    const CopyRange target = find_copy_range(machine, p.dst, p.pitch * (p.height - 1) + row, Moment::in_replay);
    if (target.kind == CopyRange::Kind::invalid || target.kind == CopyRange::Kind::pageable)
        return refuse(hipErrorInvalidValue, fmt::format("hipGraphAddMemsetNode: the destination is wrong: {}",
                                                        target.trouble.empty() ? "it is host memory" : target.trouble));
    task = FillTask{.to = p.dst, .value = p.value, .unit = p.elementSize, .width = p.width, .height = p.height, .pitch = p.pitch,
                    .call = "a fill of a graph"};
    return hipSuccess;
}

hipError_t host_task(const hipHostNodeParams* parameters, Task& task) {
    if (!parameters || !parameters->fn) return hipErrorInvalidValue;
    task = host_task(*parameters);
    return hipSuccess;
}

}  // namespace hipemu

HIPEMU_EXPORT hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                               const hipKernelNodeParams* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) { return kernel_task(machine, parameters, task); });
}

HIPEMU_EXPORT hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                               const hipMemcpy3DParms* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) { return copy_task(machine, parameters, task); });
}

HIPEMU_EXPORT hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                                 void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return add_node(node, graph, dependencies, count,
                    [&](Machine& machine, Task& task) { return copy_task(machine, to, from, bytes, kind, task); });
}

HIPEMU_EXPORT hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                               const hipMemsetParams* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) { return fill_task(machine, parameters, task); });
}

HIPEMU_EXPORT hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                             const hipHostNodeParams* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine&, Task& task) { return host_task(parameters, task); });
}

HIPEMU_EXPORT hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count) {
    return add_node(node, graph, dependencies, count, [](Machine&, Task&) { return hipSuccess; });
}

HIPEMU_EXPORT hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                                    hipEvent_t event) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) { return event_task<EventRecordTask>(machine, event, task); });
}

HIPEMU_EXPORT hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                                  hipEvent_t event) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) { return event_task<EventWaitTask>(machine, event, task); });
}

HIPEMU_EXPORT hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                                   hipGraph_t child_handle) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) {
        const Graph* child = machine.find_graph(child_handle);
        if (!child) return refuse(hipErrorInvalidValue, "there is no such child graph; was it destroyed?");
        if (child->has_memory_nodes()) return refuse(hipErrorNotSupported, "a graph that allocates memory cannot be part of another");
        task = ChildTask{child->clone()};
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                                 hipMemAllocNodeParams* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) {
        if (!parameters || parameters->bytesize == 0) return hipErrorInvalidValue;
        const hipMemPoolProps& where = parameters->poolProps;
        if (where.allocType != hipMemAllocationTypePinned || where.location.type != hipMemLocationTypeDevice || where.location.id < 0 ||
            static_cast<std::size_t>(where.location.id) >= machine.devices.size())
            return refuse(hipErrorInvalidValue, "memory of a graph is pinned and lies on a device that there is");
        return allocate_for_graph(machine, *machine.devices[static_cast<std::size_t>(where.location.id)], &parameters->dptr, parameters->bytesize, task);
    });
}

HIPEMU_EXPORT hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                                void* pointer) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) {
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const Block* block = machine.memory.find_any(address);
        if (!block || !block->of_graph || block->of_graph->address != address)
            return refuse(hipErrorInvalidValue, "a graph can free memory of graphs only");
        task = FreeTask{.memory = block->of_graph->shared_from_this(), .pointer = pointer};
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t handle, hipKernelNodeParams* parameters) {
    return node_entry(handle, [&](Machine& machine, GraphNode& node) {
        KernelTask* const task = std::get_if<KernelTask>(&node.task);
        if (!task || !parameters) return refuse(hipErrorInvalidValue, task ? "there is no place for the answer" : "the node is no kernel");
        if (!is_loaded(machine, *task)) return refuse(hipErrorInvalidDeviceFunction, "the module of the node's kernel was unloaded");
        // They point into the node, which keeps them until it is changed.
        node.argument_pointers.clear();
        for (const KernelArgument& argument : task->kernel->description.arguments)
            if (!argument.hidden()) node.argument_pointers.push_back(task->arguments.data() + argument.offset);
        const LaunchShape& shape = task->shape;
        *parameters = {.blockDim = {shape.block[0], shape.block[1], shape.block[2]},
                       .extra = nullptr,
                       .func = task->function ? task->function : task->kernel,
                       .gridDim = {shape.grid[0], shape.grid[1], shape.grid[2]},
                       .kernelParams = node.argument_pointers.data(),
                       .sharedMemBytes = shape.dynamic_lds};
        return hipSuccess;
    });
}
HIPEMU_EXPORT hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t handle, const hipKernelNodeParams* parameters) {
    return set_task<KernelTask>(handle, [&](Machine& machine, Task& task) { return kernel_task(machine, parameters, task); });
}

HIPEMU_EXPORT hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t handle, hipMemcpy3DParms* parameters) {
    return get_task<CopyTask>(handle, parameters, [&](const CopyTask& task, const GraphNode&) {
        const CopyShape& shape = task.shape;
        const auto place = [&](void* pointer, std::size_t pitch, std::size_t slice) {
            const std::size_t row = pitch ? pitch : shape.width;
            return hipPitchedPtr{.ptr = pointer, .pitch = row, .xsize = shape.width, .ysize = slice ? slice / row : shape.height};
        };
        *parameters = {};
        parameters->srcPtr = place(const_cast<void*>(task.from), shape.from_pitch, shape.from_slice);
        parameters->dstPtr = place(task.to, shape.to_pitch, shape.to_slice);
        parameters->extent = {.width = shape.width, .height = shape.height, .depth = shape.depth};
        parameters->kind = task.kind;
    });
}
HIPEMU_EXPORT hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t handle, const hipMemcpy3DParms* parameters) {
    return set_task<CopyTask>(handle, [&](Machine& machine, Task& task) { return copy_task(machine, parameters, task); });
}
HIPEMU_EXPORT hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t handle, void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return set_task<CopyTask>(handle, [&](Machine& machine, Task& task) { return copy_task(machine, to, from, bytes, kind, task); });
}

HIPEMU_EXPORT hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t handle, hipMemsetParams* parameters) {
    return get_task<FillTask>(handle, parameters, [&](const FillTask& task, const GraphNode&) {
        *parameters = {.dst = task.to, .elementSize = task.unit, .height = task.height, .pitch = task.pitch, .value = task.value, .width = task.width};
    });
}
HIPEMU_EXPORT hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t handle, const hipMemsetParams* parameters) {
    return set_task<FillTask>(handle, [&](Machine& machine, Task& task) { return fill_task(machine, parameters, task); });
}

HIPEMU_EXPORT hipError_t hipGraphHostNodeGetParams(hipGraphNode_t handle, hipHostNodeParams* parameters) {
    return get_task<HostTask>(handle, parameters, [&](const HostTask& task, const GraphNode&) { *parameters = task.parameters; });
}
HIPEMU_EXPORT hipError_t hipGraphHostNodeSetParams(hipGraphNode_t handle, const hipHostNodeParams* parameters) {
    return set_task<HostTask>(handle, [&](Machine&, Task& task) { return host_task(parameters, task); });
}

HIPEMU_EXPORT hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t handle, hipEvent_t* event) {
    return get_task<EventRecordTask>(handle, event, [&](const EventTask& task, const GraphNode&) { *event = task.handle; });
}
HIPEMU_EXPORT hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t handle, hipEvent_t event) {
    return set_task<EventRecordTask>(handle, [&](Machine& machine, Task& task) { return event_task<EventRecordTask>(machine, event, task); });
}
HIPEMU_EXPORT hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t handle, hipEvent_t* event) {
    return get_task<EventWaitTask>(handle, event, [&](const EventTask& task, const GraphNode&) { *event = task.handle; });
}
HIPEMU_EXPORT hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t handle, hipEvent_t event) {
    return set_task<EventWaitTask>(handle, [&](Machine& machine, Task& task) { return event_task<EventWaitTask>(machine, event, task); });
}

HIPEMU_EXPORT hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t handle, hipGraph_t* graph) {
    return get_task<ChildTask>(handle, graph, [&](const ChildTask& task, const GraphNode&) { *graph = reinterpret_cast<hipGraph_t>(task.graph.get()); });
}

HIPEMU_EXPORT hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t handle, hipMemAllocNodeParams* parameters) {
    return get_task<AllocTask>(handle, parameters, [&](const AllocTask& task, const GraphNode&) {
        const Block* block = task.memory->machine.memory.find_any(task.memory->address);
        *parameters = {};
        parameters->poolProps.allocType = hipMemAllocationTypePinned;
        parameters->poolProps.location = {.type = hipMemLocationTypeDevice, .id = block ? block->device : 0};
        parameters->bytesize = task.memory->bytes;
        parameters->dptr = reinterpret_cast<void*>(task.memory->address);
    });
}
HIPEMU_EXPORT hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t handle, void* pointer) {
    // `pointer` is where the address goes.
    return get_task<FreeTask>(handle, pointer, [&](const FreeTask& task, const GraphNode&) { *static_cast<std::uint64_t*>(pointer) = task.memory->address; });
}
