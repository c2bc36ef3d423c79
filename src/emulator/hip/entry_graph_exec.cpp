// Executable graphs: instantiated, launched, changed.
#include "emulator/hip/entry_graph.hpp"

using namespace hipemu;

namespace {

GraphExec::Step* find_step(GraphExec& exec, hipGraphNode_t node) {
    const auto step = std::find_if(exec.steps.begin(), exec.steps.end(), [&](const auto& one) { return handle_of(one.origin) == node; });
    return step != exec.steps.end() ? &*step : nullptr;
}

bool can_be_disabled(const Task& task) {
    return std::holds_alternative<KernelTask>(task) || std::holds_alternative<CopyTask>(task) || std::holds_alternative<FillTask>(task);
}

/// Gives the step of a node the task that `make(machine, task)` says, where it has one of that kind.
template <class OfKind, class Make>
hipError_t set_step(hipGraphExec_t handle, hipGraphNode_t node, Make&& make, const char* call = __builtin_FUNCTION()) {
    return exec_entry(handle, [&](Machine& machine, GraphExec& exec) {
        GraphExec::Step* step = find_step(exec, node);
        if (!step || !std::holds_alternative<OfKind>(*step->task))
            return refuse(hipErrorInvalidValue, "the graph that this one was made from has no such node, or it is of another kind");
        Task task;
        if (const hipError_t error = make(machine, task)) return error;
        step->task = std::make_shared<const Task>(std::move(task));
        return hipSuccess;
    }, call);
}

hipError_t make_exec(hipGraphExec_t* handle, hipGraph_t graph_handle, unsigned long long flags, const char* call = __builtin_FUNCTION()) {
    return graph_entry(graph_handle, [&](Machine& machine, Graph& graph) {
        if (!handle) return hipErrorInvalidValue;
        if (flags != 0 && flags != hipGraphInstantiateFlagAutoFreeOnLaunch && flags != hipGraphInstantiateFlagUseNodePriority)
            return refuse(hipErrorInvalidValue, fmt::format("graphs are not instantiated with flags {:#x}", flags));
        std::unique_ptr<GraphExec> exec = instantiate(graph);
        if (!exec) return refuse(hipErrorInvalidValue, "the graph has a cycle");
        exec->frees_on_launch = flags == hipGraphInstantiateFlagAutoFreeOnLaunch;
        *handle = reinterpret_cast<hipGraphExec_t>(exec.get());
        machine.graph_execs[*handle] = std::move(exec);
        return hipSuccess;
    }, call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* error_node, char* log, std::size_t log_bytes) {
    if (error_node) *error_node = nullptr;
    if (log && log_bytes > 0) *log = 0;
    return make_exec(exec, graph, 0);
}

HIPEMU_EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long flags) {
    return make_exec(exec, graph, flags);
}

HIPEMU_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t handle) {
    return exec_entry(handle, [&](Machine& machine, GraphExec&) {
        machine.graph_execs.erase(handle);  // what is queued of it keeps its tasks
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphUpload(hipGraphExec_t handle, hipStream_t) {
    return exec_entry(handle, [](Machine&, GraphExec&) { return hipSuccess; });  // there is nothing to bring anywhere
}

HIPEMU_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t handle, hipStream_t stream_handle) {
    return stream_entry(stream_handle, [&](Machine& machine, Device& device, Stream& stream) {
        const auto found = machine.graph_execs.find(handle);
        if (found == machine.graph_execs.end()) return refuse(hipErrorInvalidValue, "there is no such executable graph; was it destroyed?");
        if (const hipError_t error = verdict(machine.captures.check_use(stream, device.queue.streams()))) return error;
        if (!stream.capture) return replay(machine, device, stream, *found->second);
        machine.captures.add_all(stream, found->second->steps);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphExecUpdate(hipGraphExec_t handle, hipGraph_t graph_handle, hipGraphNode_t* error_node,
                                            hipGraphExecUpdateResult* result) {
    return exec_entry(handle, [&](Machine& machine, GraphExec& exec) {
        Graph* graph = machine.find_graph(graph_handle);
        if (!graph || !result) return hipErrorInvalidValue;
        const UpdateVerdict update = hipemu::update(exec, *graph);
        *result = update.result;
        if (error_node) *error_node = handle_of(update.node);
        return update.result == hipGraphExecUpdateSuccess
                   ? hipSuccess
                   : refuse(hipErrorGraphExecUpdateFailure, "the graph differs from the executable one in more than parameters");
    });
}

HIPEMU_EXPORT hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t handle, hipGraphNode_t node, const hipKernelNodeParams* parameters) {
    return set_step<KernelTask>(handle, node, [&](Machine& machine, Task& task) { return kernel_task(machine, parameters, task); });
}
HIPEMU_EXPORT hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t handle, hipGraphNode_t node, hipMemcpy3DParms* parameters) {
    return set_step<CopyTask>(handle, node, [&](Machine& machine, Task& task) { return copy_task(machine, parameters, task); });
}
HIPEMU_EXPORT hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t handle, hipGraphNode_t node, void* to, const void* from, std::size_t bytes,
                                                           hipMemcpyKind kind) {
    return set_step<CopyTask>(handle, node, [&](Machine& machine, Task& task) { return copy_task(machine, to, from, bytes, kind, task); });
}
HIPEMU_EXPORT hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t handle, hipGraphNode_t node, const hipMemsetParams* parameters) {
    return set_step<FillTask>(handle, node, [&](Machine& machine, Task& task) { return fill_task(machine, parameters, task); });
}
HIPEMU_EXPORT hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t handle, hipGraphNode_t node, const hipHostNodeParams* parameters) {
    return set_step<HostTask>(handle, node, [&](Machine&, Task& task) { return host_task(parameters, task); });
}
HIPEMU_EXPORT hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t handle, hipGraphNode_t node, hipEvent_t event) {
    return set_step<EventRecordTask>(handle, node, [&](Machine& machine, Task& task) { return event_task<EventRecordTask>(machine, event, task); });
}
HIPEMU_EXPORT hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t handle, hipGraphNode_t node, hipEvent_t event) {
    return set_step<EventWaitTask>(handle, node, [&](Machine& machine, Task& task) { return event_task<EventWaitTask>(machine, event, task); });
}

HIPEMU_EXPORT hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t handle, hipGraphNode_t node_handle, hipGraph_t child_handle) {
    return exec_entry(handle, [&](Machine& machine, GraphExec& exec) {
        const GraphNode* node = machine.find_node(node_handle);
        const auto* old = node ? std::get_if<ChildTask>(&node->task) : nullptr;
        const Graph* child = machine.find_graph(child_handle);
        if (!old || !child || !find_step(exec, node_handle)) return refuse(hipErrorInvalidValue, "there is no such child graph, or no such node for it");
        // The same nodes and edges with other parameters.
        const auto before = instantiate(*old->graph), wanted = instantiate(*child);
        if (!before || !wanted || before->steps.size() != wanted->steps.size()) return refuse(hipErrorInvalidValue, "the child graph has another shape");
        for (std::size_t i = 0; i < before->steps.size(); ++i)
            if (before->steps[i].after != wanted->steps[i].after || before->steps[i].task->index() != wanted->steps[i].task->index())
                return refuse(hipErrorInvalidValue, "the child graph has another shape");
        for (std::size_t i = 0; i < before->steps.size(); ++i)
            if (GraphExec::Step* step = find_step(exec, handle_of(before->steps[i].origin))) step->task = wanted->steps[i].task;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphNodeSetEnabled(hipGraphExec_t handle, hipGraphNode_t node, unsigned enabled) {
    return exec_entry(handle, [&](Machine&, GraphExec& exec) {
        GraphExec::Step* step = find_step(exec, node);
        if (!step || !can_be_disabled(*step->task)) return refuse(hipErrorInvalidValue, "only kernels, copies and fills of the graph can be disabled");
        step->enabled = enabled != 0;
        return hipSuccess;
    });
}
HIPEMU_EXPORT hipError_t hipGraphNodeGetEnabled(hipGraphExec_t handle, hipGraphNode_t node, unsigned* enabled) {
    return exec_entry(handle, [&](Machine&, GraphExec& exec) {
        const GraphExec::Step* step = find_step(exec, node);
        if (!enabled || !step || !can_be_disabled(*step->task)) return refuse(hipErrorInvalidValue, "only kernels, copies and fills of the graph can be disabled");
        *enabled = step->enabled;
        return hipSuccess;
    });
}
