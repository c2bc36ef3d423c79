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

#include "emulator/kernel_arguments.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

struct LoadedKernel;
struct Machine;

struct KernelTask {
    LoadedKernel* kernel = nullptr;
    LaunchShape shape;
    std::vector<std::byte> arguments;  // as they were when it was queued, captured or set
};
/// Rows of `width` bytes; a plain copy has one.
struct CopyTask {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t width = 0, height = 1;
    std::size_t to_pitch = 0, from_pitch = 0;
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
};
struct EmptyTask {};

/// Device memory of a graph: it has its address from the capture on, and is there between its allocation and its release in a replay.
struct GraphMemory {
    Machine& machine;
    std::uint64_t address;

    GraphMemory(Machine& owner, std::uint64_t where) : machine(owner), address(where) {}
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;
    ~GraphMemory();
};
struct AllocTask {
    std::shared_ptr<GraphMemory> memory;
};
struct FreeTask {
    std::shared_ptr<GraphMemory> memory;  // nullptr: of hipFreeAsync outside of graphs
    void* pointer = nullptr;
};

using Task = std::variant<KernelTask, CopyTask, FillTask, HostTask, EmptyTask, AllocTask, FreeTask>;

hipGraphNodeType type_of(const Task& task);

struct GraphNode {
    Task task;
    std::vector<GraphNode*> after;
};

class Graph {
public:
    GraphNode* add(Task task, std::span<GraphNode* const> after);
    GraphNode* find(hipGraphNode_t handle) const;
    /// False where there is such an edge already, or one of its ends is not of this graph.
    bool connect(GraphNode* from, GraphNode* to);
    /// In an order in which each comes after what it depends on, otherwise as they were added; empty if there is a cycle.
    std::vector<GraphNode*> in_order() const;
    std::unique_ptr<Graph> clone() const;

    const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
    std::shared_ptr<GraphMemory> find_memory(std::uint64_t address) const;

private:
    std::vector<std::unique_ptr<GraphNode>> nodes_;
};

/// What hipGraphLaunch replays: the tasks in an order that respects the edges.
struct GraphExec {
    struct Step {
        const GraphNode* origin;            // in the graph it was made from, for updates; perhaps gone
        std::shared_ptr<const Task> task;
        std::vector<std::size_t> after;     // steps
    };
    std::vector<Step> steps;
};
/// nullptr: the graph has a cycle.
std::unique_ptr<GraphExec> instantiate(const Graph& graph);

/// Takes over the parameters of a graph of the same shape; otherwise says what differs, and where.
struct UpdateVerdict {
    hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
    GraphNode* node = nullptr;
};
UpdateVerdict update(GraphExec& exec, const Graph& graph);

}  // namespace hipemu
