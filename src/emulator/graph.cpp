#include "emulator/graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hipemu {

hipGraphNodeType type_of(const Task& task) {
    constexpr hipGraphNodeType kTypes[] = {hipGraphNodeTypeKernel, hipGraphNodeTypeMemcpy,   hipGraphNodeTypeMemset, hipGraphNodeTypeHost,
                                           hipGraphNodeTypeEmpty,  hipGraphNodeTypeMemAlloc, hipGraphNodeTypeMemFree};
    static_assert(std::size(kTypes) == std::variant_size_v<Task>);
    return kTypes[task.index()];
}

GraphNode* Graph::add(Task task, std::span<GraphNode* const> after) {
    nodes_.push_back(std::make_unique<GraphNode>(GraphNode{.task = std::move(task), .after = {after.begin(), after.end()}}));
    return nodes_.back().get();
}

GraphNode* Graph::find(hipGraphNode_t handle) const {
    for (const auto& node : nodes_)
        if (node.get() == reinterpret_cast<GraphNode*>(handle)) return node.get();
    return nullptr;
}

bool Graph::connect(GraphNode* from, GraphNode* to) {
    const auto ours = [this](const GraphNode* node) {
        return std::any_of(nodes_.begin(), nodes_.end(), [node](const auto& one) { return one.get() == node; });
    };
    if (from == to || !ours(from) || !ours(to) || std::find(to->after.begin(), to->after.end(), from) != to->after.end()) return false;
    to->after.push_back(from);
    return true;
}

std::vector<GraphNode*> Graph::in_order() const {
    std::vector<GraphNode*> order;
    std::vector<GraphNode*> left;
    for (const auto& node : nodes_) left.push_back(node.get());
    while (!left.empty()) {
        const auto ready = std::find_if(left.begin(), left.end(), [&](const GraphNode* node) {
            return std::none_of(node->after.begin(), node->after.end(),
                                [&](const GraphNode* before) { return std::find(left.begin(), left.end(), before) != left.end(); });
        });
        if (ready == left.end()) return {};
        order.push_back(*ready);
        left.erase(ready);
    }
    return order;
}

std::unique_ptr<Graph> Graph::clone() const {
    auto copy = std::make_unique<Graph>();
    std::unordered_map<const GraphNode*, GraphNode*> counterpart;
    for (const auto& node : nodes_) counterpart[node.get()] = copy->add(node->task, {});
    for (const auto& node : nodes_)
        for (const GraphNode* before : node->after) counterpart[node.get()]->after.push_back(counterpart[before]);
    return copy;
}

std::shared_ptr<GraphMemory> Graph::find_memory(std::uint64_t address) const {
    for (const auto& node : nodes_)
        if (const auto* task = std::get_if<AllocTask>(&node->task); task && task->memory->address == address) return task->memory;
    return nullptr;
}

std::unique_ptr<GraphExec> instantiate(const Graph& graph) {
    const std::vector<GraphNode*> order = graph.in_order();
    if (order.size() != graph.nodes().size()) return nullptr;
    auto exec = std::make_unique<GraphExec>();
    std::unordered_map<const GraphNode*, std::size_t> place;
    for (const GraphNode* node : order) {
        GraphExec::Step step{.origin = node, .task = std::make_shared<const Task>(node->task), .after = {}};
        for (const GraphNode* before : node->after) step.after.push_back(place.at(before));
        std::sort(step.after.begin(), step.after.end());
        place[node] = exec->steps.size();
        exec->steps.push_back(std::move(step));
    }
    return exec;
}

UpdateVerdict update(GraphExec& exec, const Graph& graph) {
    const std::unique_ptr<GraphExec> wanted = instantiate(graph);
    if (!wanted || wanted->steps.size() != exec.steps.size()) return {.result = hipGraphExecUpdateErrorTopologyChanged};
    for (std::size_t i = 0; i < exec.steps.size(); ++i) {
        const GraphExec::Step &old = exec.steps[i], &step = wanted->steps[i];
        GraphNode* node = const_cast<GraphNode*>(step.origin);
        if (old.after != step.after) return {.result = hipGraphExecUpdateErrorTopologyChanged, .node = node};
        if (old.task->index() != step.task->index()) return {.result = hipGraphExecUpdateErrorNodeTypeChanged, .node = node};
        if (std::holds_alternative<AllocTask>(*step.task) || std::holds_alternative<FreeTask>(*step.task))
            return {.result = hipGraphExecUpdateErrorNotSupported, .node = node};
    }
    exec.steps = wanted->steps;
    return {};
}

}  // namespace hipemu
