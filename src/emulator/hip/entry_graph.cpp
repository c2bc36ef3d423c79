// Graphs and how their nodes hang together. Kinds of nodes are in hip/entry_graph_nodes.cpp, replays in hip/entry_graph_exec.cpp, captures in
// hip/entry_capture.cpp.
#include "emulator/hip/entry_graph.hpp"

#include <fstream>

using namespace hipemu;

namespace {

/// `from` in HIP's way of giving lists: the number alone, or as many as the caller has room for and null for the rest.
hipError_t give_nodes(const std::vector<const GraphNode*>& from, hipGraphNode_t* nodes, std::size_t* count) {
    if (!count) return hipErrorInvalidValue;
    if (nodes)
        for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < from.size() ? handle_of(from[i]) : nullptr;
    *count = nodes ? std::min(*count, from.size()) : from.size();
    return hipSuccess;
}

const char* name_of(hipGraphNodeType type) {
    switch (type) {
        case hipGraphNodeTypeKernel: return "kernel";
        case hipGraphNodeTypeMemcpy: return "copy";
        case hipGraphNodeTypeMemset: return "fill";
        case hipGraphNodeTypeHost: return "host function";
        case hipGraphNodeTypeGraph: return "graph";
        case hipGraphNodeTypeWaitEvent: return "event wait";
        case hipGraphNodeTypeEventRecord: return "event record";
        case hipGraphNodeTypeMemAlloc: return "allocation";
        case hipGraphNodeTypeMemFree: return "release";
        default: return "empty";
    }
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
        if (machine.graphs.erase(handle) != 0) return hipSuccess;
        return machine.captures.find_graph(handle) ? refuse(hipErrorIllegalState, "the graph is still being captured")
                                                   : refuse(hipErrorInvalidValue, "the graph belongs to a child node of another");
    });
}

HIPEMU_EXPORT hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t handle) {
    return graph_entry(handle, [&](Machine& machine, Graph& graph) {
        if (!clone) return hipErrorInvalidValue;
        if (graph.has_memory_nodes()) return refuse(hipErrorNotSupported, "a graph that allocates memory cannot be cloned");
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

HIPEMU_EXPORT hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t handle, hipGraphNode_t* nodes, std::size_t* count) {
    return node_entry(handle, [&](Machine& machine, GraphNode& node) {
        std::vector<const GraphNode*> followers;
        for (const auto& other : machine.graph_of(node)->nodes())
            if (std::find(other->after.begin(), other->after.end(), &node) != other->after.end()) followers.push_back(other.get());
        return give_nodes(followers, nodes, count);
    });
}

HIPEMU_EXPORT hipError_t hipGraphNodeFindInClone(hipGraphNode_t* found, hipGraphNode_t original, hipGraph_t clone) {
    return graph_entry(clone, [&](Machine&, Graph& graph) {
        if (!found) return hipErrorInvalidValue;
        for (const auto& node : graph.nodes())
            if (original && handle_of(node->original) == original) {
                *found = handle_of(node.get());
                return hipSuccess;
            }
        return refuse(hipErrorInvalidValue, "the graph is no clone of one with that node");
    });
}

HIPEMU_EXPORT hipError_t hipGraphDestroyNode(hipGraphNode_t handle) {
    return node_entry(handle, [&](Machine& machine, GraphNode& node) {
        if (std::holds_alternative<AllocTask>(node.task) || std::holds_alternative<FreeTask>(node.task))
            return refuse(hipErrorNotSupported, "allocations and releases cannot be taken out of a graph");
        Graph* const graph = machine.graph_of(node);
        if (machine.captures.find_node(handle)) return refuse(hipErrorIllegalState, "the graph is still being captured");
        (void)graph->remove(&node);
        return hipSuccess;
    });
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

HIPEMU_EXPORT hipError_t hipGraphRemoveDependencies(hipGraph_t handle, const hipGraphNode_t* from, const hipGraphNode_t* to, std::size_t count) {
    return graph_entry(handle, [&](Machine&, Graph& graph) {
        if (count != 0 && (!from || !to)) return hipErrorInvalidValue;
        if (graph.has_memory_nodes()) return refuse(hipErrorNotSupported, "edges of a graph that allocates memory cannot be removed");
        for (std::size_t i = 0; i < count; ++i)
            if (!graph.disconnect(graph.find(from[i]), graph.find(to[i])))
                return refuse(hipErrorInvalidValue, fmt::format("edge {} is not there", i));
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGraphDebugDotPrint(hipGraph_t handle, const char* path, unsigned) {
    return graph_entry(handle, [&](Machine&, Graph& graph) {
        if (!path) return hipErrorInvalidValue;
        std::ofstream file(path);
        file << "digraph graph_0 {\n";
        std::size_t count = 0;
        for (const auto& node : graph.nodes()) {
            const auto name = [](const GraphNode* of) { return fmt::format("\"node_{}\"", fmt::ptr(of)); };
            file << fmt::format("  {} [label=\"{} {}\"];\n", name(node.get()), count++, name_of(type_of(node->task)));
            for (const GraphNode* before : node->after) file << fmt::format("  {} -> {};\n", name(before), name(node.get()));
        }
        file << "}\n";
        file.close();
        return file ? hipSuccess : refuse(hipErrorOperatingSystem, fmt::format("{} cannot be written", path));
    });
}
