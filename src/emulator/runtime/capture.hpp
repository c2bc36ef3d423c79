// Streams whose work is recorded into a graph instead of being done, and the rules for who may do what meanwhile: HIP's errors 900 to 908.
// Under the machine's lock.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/queue.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

/// One capture: from hipStreamBeginCapture to hipStreamEndCapture.
struct Capture {
    unsigned long long id = 0;
    hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    std::thread::id thread;                        // that began it
    std::weak_ptr<Stream> origin;
    std::vector<std::weak_ptr<Stream>> streams;    // those that joined, the origin first
    std::unique_ptr<Graph> graph = std::make_unique<Graph>();
    bool invalidated = false;
    bool ended = false;
};

/// A rule that was broken: HIP's error and the reason; hipSuccess: none.
struct CaptureVerdict {
    hipError_t error = hipSuccess;
    std::string why = {};
};

/// All captures that go on.
class Captures {
public:
    CaptureVerdict begin(Stream& stream, hipStreamCaptureMode mode);
    /// On success `graph` is the program's. The capture is over in any case but for a wrong stream or thread.
    CaptureVerdict end(Stream& stream, std::unique_ptr<Graph>& graph);
    /// A stream is destroyed.
    void forget(Stream& stream);

    /// Before work is queued in a stream: fails in an invalidated capture, and where the legacy stream would depend on one.
    CaptureVerdict check_use(const Stream& stream, const std::vector<std::shared_ptr<Stream>>& all);
    /// Before a stream is waited for or asked, by a thread in that mode.
    CaptureVerdict check_wait(const Stream& stream, const std::vector<std::shared_ptr<Stream>>& all, hipStreamCaptureMode mode);
    /// Before a callback, which no graph can hold.
    CaptureVerdict check_callback(const Stream& stream, const std::vector<std::shared_ptr<Stream>>& all);
    /// Before a call that a capture must not see, of a thread in that mode (hipMalloc, waiting for another stream).
    CaptureVerdict check_unsafe(hipStreamCaptureMode mode);
    /// Before a synchronous copy or fill, which the legacy default stream does: allowed in no mode.
    CaptureVerdict check_synchronous();
    /// Before all of the device is waited for.
    CaptureVerdict check_wait_for_all();

    /// hipEventRecord and hipStreamWaitEvent where a capture is concerned; `done`: nothing else is to be done.
    void record(Event& event, Stream& stream);
    CaptureVerdict wait(Stream& stream, const Event& event, bool& done);
    /// hipEventQuery and the like.
    CaptureVerdict check_event(const Event& event);

    /// Adds work of a stream that is capturing.
    GraphNode* add(Stream& stream, Task task);
    /// The same for the steps of an executable graph, which keep their order.
    void add_all(Stream& stream, const std::vector<GraphExec::Step>& steps);
    /// What the next node of a stream comes after: these nodes of its graph, beside or instead of what it was. What is left out need not be
    /// waited for by the end.
    CaptureVerdict set_dependencies(Stream& stream, std::span<const hipGraphNode_t> nodes, bool instead);

    Graph* find_graph(hipGraph_t handle) const;
    GraphNode* find_node(hipGraphNode_t handle) const;
    Graph* graph_of(const GraphNode& node) const;

private:
    static void release(Capture& capture);
    CaptureVerdict invalidate_all(hipError_t error, const char* why);
    void drop(const Capture& capture);

    std::vector<std::shared_ptr<Capture>> all_;
    unsigned long long count_ = 0;
};

}  // namespace hipemu
