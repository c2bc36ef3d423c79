#include "emulator/runtime/graph.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

namespace hipemu {

hipGraphNodeType type_of(const Task& task) {
    constexpr hipGraphNodeType kTypes[] = {hipGraphNodeTypeKernel,   hipGraphNodeTypeMemcpy,    hipGraphNodeTypeMemset,      hipGraphNodeTypeHost,
                                           hipGraphNodeTypeEmpty,    hipGraphNodeTypeMemAlloc,  hipGraphNodeTypeMemFree,     hipGraphNodeTypeWaitEvent,
                                           hipGraphNodeTypeEventRecord, hipGraphNodeTypeGraph};
    static_assert(std::size(kTypes) == std::variant_size_v<Task>);
    return kTypes[task.index()];
}

GraphNode* Graph::add(Task task, std::span<GraphNode* const> after) {
    nodes_.push_back(std::make_unique<GraphNode>(GraphNode{.task = std::move(task), .after = {after.begin(), after.end()}}));
    return nodes_.back().get();
}

GraphNode* Graph::find(hipGraphNode_t handle) const {
    for (const auto& node : nodes_) {
        if (node.get() == reinterpret_cast<GraphNode*>(handle)) return node.get();
        if (const auto* child = std::get_if<ChildTask>(&node->task))
            if (GraphNode* found = child->graph->find(handle)) return found;
    }
    return nullptr;
}

Graph* Graph::find_child(hipGraph_t handle) const {
    for (const auto& node : nodes_)
        if (const auto* child = std::get_if<ChildTask>(&node->task)) {
            if (child->graph.get() == reinterpret_cast<Graph*>(handle)) return child->graph.get();
            if (Graph* found = child->graph->find_child(handle)) return found;
        }
    return nullptr;
}

bool Graph::owns(const GraphNode* node) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [node](const auto& one) { return one.get() == node; });
}

Graph* Graph::owner_of(const GraphNode& node) {
    if (owns(&node)) return this;
    for (const auto& one : nodes_)
        if (const auto* child = std::get_if<ChildTask>(&one->task))
            if (Graph* owner = child->graph->owner_of(node)) return owner;
    return nullptr;
}

bool Graph::connect(GraphNode* from, GraphNode* to) {
    if (from == to || !owns(from) || !owns(to) || std::find(to->after.begin(), to->after.end(), from) != to->after.end()) return false;
    to->after.push_back(from);
    return true;
}

bool Graph::disconnect(GraphNode* from, GraphNode* to) { return owns(from) && owns(to) && std::erase(to->after, from) != 0; }

bool Graph::remove(GraphNode* node) {
    if (!owns(node)) return false;
    for (const auto& other : nodes_) std::erase(other->after, node);
    std::erase_if(nodes_, [node](const auto& one) { return one.get() == node; });
    return true;
}

std::vector<GraphNode*> Graph::in_order() const {
    std::unordered_map<const GraphNode*, std::size_t> place;
    for (std::size_t i = 0; i < nodes_.size(); ++i) place[nodes_[i].get()] = i;
    std::vector<std::size_t> open(nodes_.size());
    std::vector<std::vector<std::size_t>> followers(nodes_.size());
    std::set<std::size_t> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        open[i] = nodes_[i]->after.size();
        for (const GraphNode* before : nodes_[i]->after) followers[place.at(before)].push_back(i);
        if (open[i] == 0) ready.insert(i);
    }
    std::vector<GraphNode*> order;
    while (!ready.empty()) {
        const std::size_t next = *ready.begin();
        ready.erase(ready.begin());
        order.push_back(nodes_[next].get());
        for (const std::size_t follower : followers[next])
            if (--open[follower] == 0) ready.insert(follower);
    }
    return order.size() == nodes_.size() ? order : std::vector<GraphNode*>{};
}

std::unique_ptr<Graph> Graph::clone() const {
    auto copy = std::make_unique<Graph>();
    std::unordered_map<const GraphNode*, GraphNode*> counterpart;
    for (const auto& node : nodes_) {
        GraphNode* const twin = copy->add(node->task, {});
        twin->original = node.get();
        if (auto* child = std::get_if<ChildTask>(&twin->task)) child->graph = child->graph->clone();
        counterpart[node.get()] = twin;
    }
    for (const auto& node : nodes_)
        for (const GraphNode* before : node->after) counterpart[node.get()]->after.push_back(counterpart[before]);
    return copy;
}

bool Graph::has_memory_nodes() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        const auto* child = std::get_if<ChildTask>(&node->task);
        return std::holds_alternative<AllocTask>(node->task) || std::holds_alternative<FreeTask>(node->task) || (child && child->graph->has_memory_nodes());
    });
}

namespace {

/// Adds the steps of a graph, the first of them behind `before`. The steps that nothing of the graph comes after go to `last`.
bool add_steps(const Graph& graph, const std::vector<std::size_t>& before, std::vector<GraphExec::Step>& steps, std::vector<std::size_t>& last) {
    const std::vector<GraphNode*> order = graph.in_order();
    if (order.size() != graph.nodes().size()) return false;
    std::unordered_map<const GraphNode*, std::size_t> place;
    std::set<std::size_t> ends;
    for (const GraphNode* node : order) {
        std::vector<std::size_t> after = node->after.empty() ? before : std::vector<std::size_t>{};
        for (const GraphNode* one : node->after) {
            after.push_back(place.at(one));
            ends.erase(place.at(one));
        }
        Task task = node->task;
        if (const auto* child = std::get_if<ChildTask>(&node->task)) {
            // The node itself is where its graph has ended.
            std::vector<std::size_t> ended;
            if (!add_steps(*child->graph, after, steps, ended)) return false;
            if (!ended.empty()) after = std::move(ended);
            task = EmptyTask{};
        }
        std::sort(after.begin(), after.end());
        place[node] = steps.size();
        ends.insert(steps.size());
        steps.push_back({.origin = node, .task = std::make_shared<const Task>(std::move(task)), .after = std::move(after)});
    }
    last.assign(ends.begin(), ends.end());
    return true;
}

}  // namespace

std::unique_ptr<GraphExec> instantiate(const Graph& graph) {
    auto exec = std::make_unique<GraphExec>();
    std::vector<std::size_t> last;
    return add_steps(graph, {}, exec->steps, last) ? std::move(exec) : nullptr;
}

std::vector<std::size_t> branches_of(const std::vector<GraphExec::Step>& steps, std::size_t most) {
    std::vector<std::size_t> branches;
    std::vector<std::size_t> ends;  // the last step of each branch
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto continued = std::find_if(ends.begin(), ends.end(), [&](std::size_t end) {
            return std::find(steps[i].after.begin(), steps[i].after.end(), end) != steps[i].after.end();
        });
        std::size_t branch = static_cast<std::size_t>(continued - ends.begin());
        if (continued == ends.end()) {
            if (ends.size() < most) ends.push_back(0);
            else branch = i % most;
        }
        ends[branch] = i;
        branches.push_back(branch);
    }
    return branches;
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
