// Graphs: made by hand, from captures (hip_entry_capture.cpp), instantiated, replayed, updated. A replay runs the nodes one after another in its
// stream, in an order that respects the edges.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emulator/copy.hpp"
#include "emulator/hip_work.hpp"

using namespace hipemu;

namespace {

hipGraphNode_t handle_of(const GraphNode* node) { return reinterpret_cast<hipGraphNode_t>(const_cast<GraphNode*>(node)); }

/// Runs `work(machine, graph)`.
template <class Work>
hipError_t graph_entry(hipGraph_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        Graph* graph = machine.find_graph(handle);
        if (!graph) return refuse(hipErrorInvalidValue, "there is no such graph; was it destroyed?");
        return work(machine, *graph);
    }, call);
}

template <class Work>
hipError_t node_entry(hipGraphNode_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        GraphNode* node = machine.find_node(handle);
        if (!node) return refuse(hipErrorInvalidValue, "there is no such node; was its graph destroyed?");
        return work(machine, *node);
    }, call);
}

template <class Work>
hipError_t exec_entry(hipGraphExec_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        const auto found = machine.graph_execs.find(handle);
        if (found == machine.graph_execs.end()) return refuse(hipErrorInvalidValue, "there is no such executable graph; was it destroyed?");
        return work(machine, *found->second);
    }, call);
}

/// Adds what `make(machine, task)` says, behind the nodes that are named.
template <class Make>
hipError_t add_node(hipGraphNode_t* node, hipGraph_t handle, const hipGraphNode_t* dependencies, std::size_t count, Make&& make,
                    const char* call = __builtin_FUNCTION()) {
    return graph_entry(handle, [&](Machine& machine, Graph& graph) {
        if (!node || (count != 0 && !dependencies)) return hipErrorInvalidValue;
        std::vector<GraphNode*> after;
        for (std::size_t i = 0; i < count; ++i) {
            GraphNode* before = graph.find(dependencies[i]);
            if (!before || std::find(after.begin(), after.end(), before) != after.end())
                return refuse(hipErrorInvalidValue, fmt::format("dependency {} is no node of the graph, or is there twice", i));
            after.push_back(before);
        }
        Task task = EmptyTask{};
        if (const hipError_t error = make(machine, task)) return error;
        *node = handle_of(graph.add(std::move(task), after));
        return hipSuccess;
    }, call);
}

hipError_t kernel_task(Machine& machine, const hipKernelNodeParams* parameters, KernelTask& task) {
    if (!parameters || !parameters->func) return hipErrorInvalidValue;
    auto function = reinterpret_cast<hipFunction_t>(parameters->func);
    if (!machine.find_function(function))
        if (const hipError_t error = registered_function(parameters->func, function)) return error;
    const dim3 grid = parameters->gridDim, block = parameters->blockDim;
    return prepare_kernel(machine, function,
                          {.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .dynamic_lds = parameters->sharedMemBytes},
                          parameters->kernelParams, parameters->extra, task);
}

/// `from` in HIP's way of giving lists: the number alone, or as many as the caller has room for and null for the rest.
hipError_t give_nodes(const std::vector<const GraphNode*>& from, hipGraphNode_t* nodes, std::size_t* count) {
    if (!count) return hipErrorInvalidValue;
    if (nodes)
        for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < from.size() ? handle_of(from[i]) : nullptr;
    *count = nodes ? std::min(*count, from.size()) : from.size();
    return hipSuccess;
}

hipError_t make_exec(hipGraphExec_t* handle, hipGraph_t graph_handle, const char* call = __builtin_FUNCTION()) {
    return graph_entry(graph_handle, [&](Machine& machine, Graph& graph) {
        if (!handle) return hipErrorInvalidValue;
        std::unique_ptr<GraphExec> exec = instantiate(graph);
        if (!exec) return refuse(hipErrorInvalidValue, "the graph has a cycle");
        *handle = reinterpret_cast<hipGraphExec_t>(exec.get());
        machine.graph_execs[*handle] = std::move(exec);
        return hipSuccess;
    }, call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipGraphCreate(hipGraph_t* handle, unsigned flags) {
    return device_entry([&](Machine& machine, Device&) {
        if (!handle || flags != 0) return hipErrorInvalidValue;
        auto graph = std::make_unique<Graph>();
        *handle = reinterpret_cast<hipGraph_t>(graph.get());
        machine.graphs[*handle] = std::move(graph);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphDestroy(hipGraph_t handle) {
    return graph_entry(handle, [&](Machine& machine, Graph&) {
        return machine.graphs.erase(handle) != 0 ? hipSuccess : refuse(hipErrorIllegalState, "the graph is still being captured");
    });
}

HIPEMU_EXPORT hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t handle) {
    return graph_entry(handle, [&](Machine& machine, Graph& graph) {
        if (!clone) return hipErrorInvalidValue;
        std::unique_ptr<Graph> copy = graph.clone();
        *clone = reinterpret_cast<hipGraph_t>(copy.get());
        machine.graphs[*clone] = std::move(copy);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphGetNodes(hipGraph_t handle, hipGraphNode_t* nodes, std::size_t* count) {
    return graph_entry(handle, [&](Machine&, Graph& graph) {
        std::vector<const GraphNode*> all;
        for (const auto& node : graph.nodes()) all.push_back(node.get());
        return give_nodes(all, nodes, count);
    });
}

HIPEMU_EXPORT hipError_t hipGraphGetRootNodes(hipGraph_t handle, hipGraphNode_t* nodes, std::size_t* count) {
    return graph_entry(handle, [&](Machine&, Graph& graph) {
        std::vector<const GraphNode*> roots;
        for (const auto& node : graph.nodes())
            if (node->after.empty()) roots.push_back(node.get());
        return give_nodes(roots, nodes, count);
    });
}

HIPEMU_EXPORT hipError_t hipGraphGetEdges(hipGraph_t handle, hipGraphNode_t* from, hipGraphNode_t* to, std::size_t* count) {
    return graph_entry(handle, [&](Machine&, Graph& graph) {
        if (!count || !from != !to) return hipErrorInvalidValue;
        std::vector<const GraphNode*> sources, targets;
        for (const auto& node : graph.nodes())
            for (const GraphNode* before : node->after) {
                sources.push_back(before);
                targets.push_back(node.get());
            }
        std::size_t room = *count;
        if (const hipError_t error = give_nodes(sources, from, count)) return error;
        return give_nodes(targets, to, &room);
    });
}

HIPEMU_EXPORT hipError_t hipGraphNodeGetType(hipGraphNode_t handle, hipGraphNodeType* type) {
    return node_entry(handle, [&](Machine&, GraphNode& node) {
        if (!type) return hipErrorInvalidValue;
        *type = type_of(node.task);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphNodeGetDependencies(hipGraphNode_t handle, hipGraphNode_t* nodes, std::size_t* count) {
    return node_entry(handle, [&](Machine&, GraphNode& node) { return give_nodes({node.after.begin(), node.after.end()}, nodes, count); });
}

HIPEMU_EXPORT hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                               const hipKernelNodeParams* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) {
        return kernel_task(machine, parameters, task.emplace<KernelTask>());
    });
}

HIPEMU_EXPORT hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                                 void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) {
        if (bytes == 0) return hipErrorInvalidValue;
        const CopyRange target = find_copy_range(machine, to, bytes), source = find_copy_range(machine, from, bytes);
        if (const hipError_t error = check_copy(target, source, kind, "hipGraphAddMemcpyNode1D")) return error;
        task = CopyTask{.to = to, .from = from, .width = bytes};
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                               const hipMemsetParams* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine& machine, Task& task) {
        if (!parameters) return hipErrorInvalidValue;
        const hipMemsetParams& p = *parameters;
        if ((p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) || p.width == 0 || p.height == 0 || p.width > SIZE_MAX / 4)
            return hipErrorInvalidValue;
        const std::size_t row = p.width * p.elementSize;
        if (p.height > 1 && (row > p.pitch || p.height - 1 > (SIZE_MAX - row) / p.pitch)) return hipErrorInvalidPitchValue;
        const CopyRange target = find_copy_range(machine, p.dst, p.pitch * (p.height - 1) + row);
        if (target.kind == CopyRange::Kind::invalid || target.kind == CopyRange::Kind::pageable)
            return refuse(hipErrorInvalidValue, fmt::format("hipGraphAddMemsetNode: the destination is wrong: {}",
                                                            target.trouble.empty() ? "it is host memory" : target.trouble));
        task = FillTask{.to = p.dst, .value = p.value, .unit = p.elementSize, .width = p.width, .height = p.height, .pitch = p.pitch,
                        .call = "a fill of a graph"};
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count,
                                             const hipHostNodeParams* parameters) {
    return add_node(node, graph, dependencies, count, [&](Machine&, Task& task) {
        if (!parameters || !parameters->fn) return hipErrorInvalidValue;
        task = HostTask{[function = parameters->fn, data = parameters->userData](hipError_t) { function(data); }};
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, std::size_t count) {
    return add_node(node, graph, dependencies, count, [](Machine&, Task&) { return hipSuccess; });
}

HIPEMU_EXPORT hipError_t hipGraphAddDependencies(hipGraph_t handle, const hipGraphNode_t* from, const hipGraphNode_t* to, std::size_t count) {
    return graph_entry(handle, [&](Machine&, Graph& graph) {
        if (count != 0 && (!from || !to)) return hipErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i)
            if (!graph.connect(graph.find(from[i]), graph.find(to[i])))
                return refuse(hipErrorInvalidValue, fmt::format("edge {} is there already, or has an end outside the graph", i));
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t handle, const hipKernelNodeParams* parameters) {
    return node_entry(handle, [&](Machine& machine, GraphNode& node) {
        if (!std::holds_alternative<KernelTask>(node.task)) return refuse(hipErrorInvalidValue, "the node is no kernel");
        KernelTask task;
        if (const hipError_t error = kernel_task(machine, parameters, task)) return error;
        node.task = std::move(task);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* error_node, char* log, std::size_t log_bytes) {
    if (error_node) *error_node = nullptr;
    if (log && log_bytes > 0) *log = 0;
    return make_exec(exec, graph);
}

HIPEMU_EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long) {
    // They choose when memory of the graph is freed and where it is launched from; here it is freed with the graph, launched from the host.
    return make_exec(exec, graph);
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
        // A copy: while this thread waits for its turn, another may destroy or update the graph.
        for (const GraphExec::Step& step : std::vector<GraphExec::Step>(found->second->steps)) {
            if (stream.capture) machine.captures.add(stream, *step.task);
            else (void)enqueue(machine, device, stream, step.task);
        }
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
    return exec_entry(handle, [&](Machine& machine, GraphExec& exec) {
        const auto step = std::find_if(exec.steps.begin(), exec.steps.end(), [&](const auto& one) { return handle_of(one.origin) == node; });
        if (step == exec.steps.end() || !std::holds_alternative<KernelTask>(*step->task))
            return refuse(hipErrorInvalidValue, "the node is no kernel of the graph that this one was made from");
        KernelTask task;
        if (const hipError_t error = kernel_task(machine, parameters, task)) return error;
        step->task = std::make_shared<const Task>(std::move(task));
        return hipSuccess;
    });
}
