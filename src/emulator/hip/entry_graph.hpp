// What the exported calls on graphs have in common: finding what a handle names, making tasks of parameters.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/hip/work.hpp"

namespace hipemu {

inline hipGraphNode_t handle_of(const GraphNode* node) { return reinterpret_cast<hipGraphNode_t>(const_cast<GraphNode*>(node)); }

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
            if (!before || !graph.owns(before) || std::find(after.begin(), after.end(), before) != after.end())
                return refuse(hipErrorInvalidValue, fmt::format("dependency {} is no node of the graph, or is there twice", i));
            after.push_back(before);
        }
        Task task = EmptyTask{};
        if (const hipError_t error = make(machine, task)) return error;
        *node = handle_of(graph.add(std::move(task), after));
        return hipSuccess;
    }, call);
}

/// What the parameters of a node come to; they are checked.
hipError_t kernel_task(Machine& machine, const hipKernelNodeParams* parameters, Task& task);
hipError_t copy_task(Machine& machine, void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, Task& task);
hipError_t copy_task(Machine& machine, const hipMemcpy3DParms* parameters, Task& task);
hipError_t fill_task(Machine& machine, const hipMemsetParams* parameters, Task& task);
hipError_t host_task(const hipHostNodeParams* parameters, Task& task);
template <class EventTaskOfAKind>
hipError_t event_task(Machine& machine, hipEvent_t handle, Task& task) {
    const auto event = machine.events.find(handle);
    if (event == machine.events.end()) return refuse(hipErrorInvalidValue, "there is no such event; was it destroyed?");
    task = EventTaskOfAKind{{.handle = handle, .event = event->second}};
    return hipSuccess;
}

}  // namespace hipemu
