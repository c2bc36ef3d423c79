// Work as data: what a stream is given to do, and graphs of it that are replayed. A graph is edited by its owner under the machine's lock;
// what was instantiated from it is a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "emulator/runtime/copy_shape.hpp"
#include "emulator/runtime/kernel_arguments.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

struct Event;
struct LoadedKernel;
struct Machine;
class Graph;

struct KernelTask {
    LoadedKernel* kernel = nullptr;
    std::uint64_t kernel_serial = 0;   // of it: tells it from a later one at the same place
    void* function = nullptr;          // as the parameters of a node named it
    LaunchShape shape;
    std::vector<std::byte> arguments;  // as they were when it was queued, captured or set
};
struct CopyTask {
    void* to = nullptr;
    const void* from = nullptr;
    CopyShape shape;
    hipMemcpyKind kind = hipMemcpyDefault;
    std::shared_ptr<const std::vector<std::byte>> staged = {};  // what lay at `from` when the call was made
};
/// Rows of `width` values of `unit` bytes.
struct FillTask {
    void* to = nullptr;
    std::uint32_t value = 0;
    unsigned unit = 1;
    std::size_t width = 0, height = 1;
    std::size_t pitch = 0;
    const char* call = "a fill";
};
struct HostTask {
    std::function<void(hipError_t)> function;  // of the stream's state
    hipHostNodeParams parameters = {};         // of hipLaunchHostFunc and host nodes
};
struct EmptyTask {};

/// Device memory of a graph: it has its address from the capture on. It is there from its allocation in a replay to its release, in a replay
/// or by the program; a graph that is destroyed meanwhile leaves it.
struct GraphMemory : std::enable_shared_from_this<GraphMemory> {
    Machine& machine;
    std::uint64_t address;
    std::size_t bytes;
    bool in_use = false;  // as of what is queued

    GraphMemory(Machine& owner, std::uint64_t where, std::size_t size) : machine(owner), address(where), bytes(size) {}
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;
    ~GraphMemory();
};
struct AllocTask {
    std::shared_ptr<GraphMemory> memory;
};
struct FreeTask {
    std::shared_ptr<GraphMemory> memory;  // nullptr: not a graph's
    void* pointer = nullptr;
};
struct EventTask {
    hipEvent_t handle = nullptr;
    std::weak_ptr<Event> event;
};
struct EventRecordTask : EventTask {};
struct EventWaitTask : EventTask {};
struct ChildTask {
    std::shared_ptr<Graph> graph;
};

using Task = std::variant<KernelTask, CopyTask, FillTask, HostTask, EmptyTask, AllocTask, FreeTask, EventWaitTask, EventRecordTask, ChildTask>;

hipGraphNodeType type_of(const Task& task);

struct GraphNode {
    Task task;
    std::vector<GraphNode*> after;
    const GraphNode* original = nullptr;     // of a clone's node, perhaps gone
    bool must_join = false;                  // captured: the stream that began the capture has to wait for it
    std::vector<void*> argument_pointers = {};  // what hipGraphKernelNodeGetParams handed out
};

class Graph {
public:
    GraphNode* add(Task task, std::span<GraphNode* const> after);
    /// Also in the graphs of child nodes.
    GraphNode* find(hipGraphNode_t handle) const;
    Graph* find_child(hipGraph_t handle) const;
    /// False where there is such an edge already, or one of its ends is not of this graph itself.
    bool connect(GraphNode* from, GraphNode* to);
    /// False where there is no such edge.
    bool disconnect(GraphNode* from, GraphNode* to);
    /// With its edges; false: it is not of this graph itself.
    bool remove(GraphNode* node);
    bool owns(const GraphNode* node) const;
    /// This graph or that of a child node.
    Graph* owner_of(const GraphNode& node);
    /// In an order in which each comes after what it depends on, otherwise as they were added; empty if there is a cycle.
    std::vector<GraphNode*> in_order() const;
    std::unique_ptr<Graph> clone() const;

    const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
    bool has_memory_nodes() const;

private:
    std::vector<std::unique_ptr<GraphNode>> nodes_;
};

/// What hipGraphLaunch replays: the tasks in an order that respects the edges.
struct GraphExec {
    struct Step {
        const GraphNode* origin;            // in the graph it was made from, for updates; perhaps gone
        std::shared_ptr<const Task> task;
        std::vector<std::size_t> after;     // steps
        bool enabled = true;                // otherwise nothing is done in its place
    };
    std::vector<Step> steps;
    bool frees_on_launch = false;           // what the launch before has left allocated
};
/// Child graphs become part of it. nullptr: the graph has a cycle.
std::unique_ptr<GraphExec> instantiate(const Graph& graph);

/// Which branch each step of a replay goes on, numbered from 0, `most` at most: steps that depend on each other stay on one where that costs nothing.
std::vector<std::size_t> branches_of(const std::vector<GraphExec::Step>& steps, std::size_t most);

/// Takes over the parameters of a graph of the same shape; otherwise says what differs, and where.
struct UpdateVerdict {
    hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
    GraphNode* node = nullptr;
};
UpdateVerdict update(GraphExec& exec, const Graph& graph);

}  // namespace hipemu
