#include "emulator/runtime/capture.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace hipemu {
namespace {

CaptureVerdict invalidate(Capture& capture, hipError_t error, std::string why) {
    capture.invalidated = true;
    return {error, std::move(why)};
}

}  // namespace

CaptureVerdict Captures::begin(Stream& stream, hipStreamCaptureMode mode) {
    if (stream.is_default) return {hipErrorStreamCaptureUnsupported, "the legacy default stream cannot be captured"};
    if (stream.capture) return {hipErrorIllegalState, "the stream is capturing already"};
    auto capture = std::make_shared<Capture>();
    capture->id = ++count_;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = stream.weak_from_this();
    capture->streams.push_back(stream.weak_from_this());
    stream.capture = capture;
    stream.capture_tail.clear();
    all_.push_back(std::move(capture));
    return {};
}

void Captures::release(Capture& capture) {
    for (const auto& one : capture.streams)
        if (const auto stream = one.lock(); stream && stream->capture.get() == &capture) {
            stream->capture.reset();
            stream->capture_tail.clear();
        }
    capture.ended = true;
}

void Captures::drop(const Capture& capture) {
    std::erase_if(all_, [&](const auto& one) { return one.get() == &capture; });
}

CaptureVerdict Captures::end(Stream& stream, std::unique_ptr<Graph>& graph) {
    const std::shared_ptr<Capture> capture = stream.capture;
    if (!capture) return {hipErrorIllegalState, "the stream is not capturing"};
    if (capture->origin.lock().get() != &stream) return {hipErrorStreamCaptureUnmatched, "the capture began in another stream"};
    if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
        return {hipErrorStreamCaptureWrongThread, "the capture began in another thread and its mode is not relaxed"};

    // What other streams captured has to lead back to this one: everything is before the stream's last nodes.
    std::vector<const GraphNode*> reached(stream.capture_tail.begin(), stream.capture_tail.end());
    std::unordered_set<const GraphNode*> seen(reached.begin(), reached.end());
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const GraphNode* before : reached[i]->after)
            if (seen.insert(before).second) reached.push_back(before);
    const auto& nodes = capture->graph->nodes();
    // It is enough to look at the nodes that nothing comes after.
    std::unordered_set<const GraphNode*> followed;
    for (const auto& node : nodes) followed.insert(node->after.begin(), node->after.end());
    const bool joined = std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) {
        return !node->must_join || followed.contains(node.get()) || seen.contains(node.get());
    });
    release(*capture);
    drop(*capture);
    if (capture->invalidated) return {hipErrorStreamCaptureInvalidated, "the capture was broken off by a call that is not allowed while it goes on"};
    if (!joined) return {hipErrorStreamCaptureUnjoined, "work of another stream was captured that the first one never waited for"};
    graph = std::move(capture->graph);
    return {};
}

void Captures::forget(Stream& stream) {
    const std::shared_ptr<Capture> capture = std::exchange(stream.capture, nullptr);
    if (!capture) return;
    capture->invalidated = true;
    stream.capture_tail.clear();
    if (capture->origin.lock().get() != &stream) return;
    release(*capture);
    drop(*capture);
}

CaptureVerdict Captures::check_use(const Stream& stream, const std::vector<std::shared_ptr<Stream>>& all) {
    if (stream.capture)
        return stream.capture->invalidated ? CaptureVerdict{hipErrorStreamCaptureInvalidated, "the stream's capture was broken off"} : CaptureVerdict{};
    if (stream.is_default)
        for (const auto& other : all)
            if (other->blocking() && other->capture)
                return invalidate(*other->capture, hipErrorStreamCaptureImplicit, "the legacy default stream would wait for a stream that is capturing");
    return {};
}

CaptureVerdict Captures::check_wait(const Stream& stream, const std::vector<std::shared_ptr<Stream>>& all, hipStreamCaptureMode mode) {
    if (stream.capture) return invalidate(*stream.capture, hipErrorStreamCaptureUnsupported, "a stream that is capturing has nothing to wait for");
    return stream.is_default ? check_use(stream, all) : check_unsafe(mode);
}

CaptureVerdict Captures::check_callback(const Stream& stream, const std::vector<std::shared_ptr<Stream>>& all) {
    if (stream.capture) return invalidate(*stream.capture, hipErrorStreamCaptureUnsupported, "a callback cannot be captured; hipLaunchHostFunc can");
    return check_use(stream, all);
}

CaptureVerdict Captures::check_unsafe(hipStreamCaptureMode mode) {
    if (mode == hipStreamCaptureModeRelaxed) return {};
    for (const auto& capture : all_) {
        if (capture->mode == hipStreamCaptureModeRelaxed) continue;
        const bool own = capture->thread == std::this_thread::get_id();
        if (own || (mode == hipStreamCaptureModeGlobal && capture->mode == hipStreamCaptureModeGlobal))
            return invalidate(*capture, hipErrorStreamCaptureUnsupported, "the call is not allowed while a stream is capturing in this mode");
    }
    return {};
}

CaptureVerdict Captures::check_wait_for_all() {
    return invalidate_all(hipErrorStreamCaptureUnsupported, "a device cannot be waited for while a stream is capturing");
}

CaptureVerdict Captures::check_synchronous() {
    return invalidate_all(hipErrorStreamCaptureImplicit, "synchronous copies and fills are not allowed while a stream is capturing, in whatever mode");
}

CaptureVerdict Captures::invalidate_all(hipError_t error, const char* why) {
    for (const auto& capture : all_) capture->invalidated = true;
    return all_.empty() ? CaptureVerdict{} : CaptureVerdict{error, why};
}

void Captures::record(Event& event, Stream& stream) {
    event.point.reset();
    event.capture = stream.capture;
    event.captured_after = stream.capture_tail;
}

CaptureVerdict Captures::wait(Stream& stream, const Event& event, bool& done) {
    done = true;
    if (event.in_capture()) {
        if (event.capture->invalidated) return {hipErrorStreamCaptureInvalidated, "the event's capture was broken off"};
        if (stream.is_default)
            return invalidate(*event.capture, hipErrorStreamCaptureImplicit, "the legacy default stream cannot join a capture");
        if (stream.capture && stream.capture != event.capture) {
            stream.capture->invalidated = true;
            return invalidate(*event.capture, hipErrorStreamCaptureMerge, "the event belongs to another capture");
        }
        if (!stream.capture) {
            stream.capture = event.capture;
            stream.capture_tail.clear();
            event.capture->streams.push_back(stream.weak_from_this());
        }
        for (GraphNode* node : event.captured_after)
            if (std::find(stream.capture_tail.begin(), stream.capture_tail.end(), node) == stream.capture_tail.end())
                stream.capture_tail.push_back(node);
        return {};
    }
    if (stream.capture && event.point)
        return invalidate(*stream.capture, hipErrorStreamCaptureIsolation, "the event was recorded outside of the capture");
    done = stream.capture != nullptr;
    return {};
}

CaptureVerdict Captures::check_event(const Event& event) {
    if (!event.in_capture()) return {};
    return invalidate(*event.capture, hipErrorCapturedEvent, "the event was last recorded in a stream that is capturing");
}

bool Event::in_capture() const { return capture && !capture->ended; }

GraphNode* Captures::add(Stream& stream, Task task) {
    GraphNode* node = stream.capture->graph->add(std::move(task), stream.capture_tail);
    node->must_join = true;
    stream.capture_tail.assign(1, node);
    return node;
}

void Captures::add_all(Stream& stream, const std::vector<GraphExec::Step>& steps) {
    std::vector<GraphNode*> nodes;
    std::unordered_set<GraphNode*> ends;
    for (const GraphExec::Step& step : steps) {
        std::vector<GraphNode*> after;
        for (const std::size_t before : step.after) {
            after.push_back(nodes[before]);
            ends.erase(nodes[before]);
        }
        GraphNode* node = stream.capture->graph->add(step.enabled ? *step.task : Task{EmptyTask{}}, after.empty() ? stream.capture_tail : after);
        node->must_join = true;
        nodes.push_back(node);
        ends.insert(node);
    }
    if (nodes.empty()) return;
    stream.capture_tail.clear();
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(stream.capture_tail), [&](GraphNode* node) { return ends.contains(node); });
}

CaptureVerdict Captures::set_dependencies(Stream& stream, std::span<const hipGraphNode_t> nodes, bool instead) {
    if (!stream.capture) return {hipErrorIllegalState, "the stream is not capturing"};
    std::vector<GraphNode*> wanted = instead ? std::vector<GraphNode*>{} : stream.capture_tail;
    for (const hipGraphNode_t handle : nodes) {
        GraphNode* node = stream.capture->graph->find(handle);
        if (!node || !stream.capture->graph->owns(node)) return {hipErrorInvalidValue, "a dependency is no node of the graph that is being captured"};
        if (std::find(wanted.begin(), wanted.end(), node) == wanted.end()) wanted.push_back(node);
    }
    for (GraphNode* node : stream.capture_tail)
        if (std::find(wanted.begin(), wanted.end(), node) == wanted.end()) node->must_join = false;
    stream.capture_tail = std::move(wanted);
    return {};
}

Graph* Captures::find_graph(hipGraph_t handle) const {
    for (const auto& capture : all_) {
        if (capture->graph.get() == reinterpret_cast<Graph*>(handle)) return capture->graph.get();
        if (Graph* child = capture->graph->find_child(handle)) return child;
    }
    return nullptr;
}

GraphNode* Captures::find_node(hipGraphNode_t handle) const {
    for (const auto& capture : all_)
        if (GraphNode* node = capture->graph->find(handle)) return node;
    return nullptr;
}

Graph* Captures::graph_of(const GraphNode& node) const {
    for (const auto& capture : all_)
        if (Graph* owner = capture->graph->owner_of(node)) return owner;
    return nullptr;
}

}  // namespace hipemu
