// Streams, events and the order in which queued work runs. There is no thread behind it: work runs in the thread that queues it or waits for
// it, as the scheduling policy says (config.hpp), so a program behaves the same every time. One operation of a device runs at a time; long
// ones let go of the lock meanwhile (machine.hpp, Unlocked), and other threads that need the device then wait for their turn.
//
// Time is the model's: an operation starts when its stream, what it waits for, the host that queued it and the engine it needs (kernels:
// one at a time; copies: one at a time) are ready, and lasts as long as the model says. In picoseconds since the device began.
//
// The machine's lock protects it; it is held at every call, and let go of only while a call waits for its turn or runs an operation that lets
// go of it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/config.hpp"
#include "emulator/random.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

using Picoseconds = std::int64_t;

enum class Engine : std::uint8_t { none, compute, copy };

struct Capture;
struct GraphNode;
struct Stream;

/// The end of one operation; what events and other streams wait for.
struct Point {
    bool done = false;
    Picoseconds time = 0;
    std::weak_ptr<Stream> stream;
};

/// What running an operation came to.
struct Outcome {
    hipError_t error = hipSuccess;
    Picoseconds duration = 0;
    std::string explanation = {};  // of the error
};

struct Operation {
    std::function<Outcome()> run = {};   // nullptr: a mark that takes no time
    Engine engine = Engine::none;
    bool even_after_failure = false;  // host functions and marks; other work is left out in a stream that failed
    Picoseconds not_before = 0;     // when the host queued it
    std::vector<std::shared_ptr<Point>> after = {};
    std::shared_ptr<Point> point = {};
};

struct Stream : std::enable_shared_from_this<Stream> {
    unsigned flags = 0;
    int priority = 0;
    bool is_default = false;            // the legacy default stream
    hipError_t failure = hipSuccess;    // of the first operation that failed and was not reported yet
    std::string explanation;            // of that
    std::shared_ptr<Point> tail;        // end of the last operation queued
    std::deque<Operation> queue;
    std::shared_ptr<Capture> capture;       // work goes into its graph instead of the queue (capture.hpp)
    std::vector<GraphNode*> capture_tail;   // what the next node of that graph comes after

    bool blocking() const { return !(flags & hipStreamNonBlocking); }
};

struct Event {
    unsigned flags = 0;
    int device = 0;
    std::shared_ptr<Point> point = {};      // nullptr: never recorded
    std::shared_ptr<Capture> capture = {};  // last recorded in a stream that was capturing, behind these nodes
    std::vector<GraphNode*> captured_after = {};
};

/// A failure that is handed to whoever waited.
struct Failure {
    hipError_t error = hipSuccess;
    std::string explanation = {};
};

/// All streams of one device.
class Queue {
public:
    /// `lock`: the machine's, let go of while a call waits for its turn; nullptr where there is one thread only. `host_time`: of the host that
    /// several devices have in common.
    explicit Queue(const Config& config, std::mutex* lock = nullptr, std::shared_ptr<Picoseconds> host_time = nullptr);

    const std::shared_ptr<Stream>& default_stream() const { return streams_.front(); }
    std::shared_ptr<Stream> create(unsigned flags, int priority);
    /// Runs what is left in it first.
    void destroy(const std::shared_ptr<Stream>& stream);

    /// Queues an operation behind what its stream and HIP's rules for the legacy default stream make it wait for. Runs it at once if the
    /// policy says so.
    std::shared_ptr<Point> add(Stream& stream, Operation operation);

    /// Runs all that has to be run before `point` is reached, and it; the host then knows the time of the device.
    void finish(const std::shared_ptr<Point>& point);
    void finish(Stream& stream);
    void finish_all();
    /// For a program that polls: lets the device get one step ahead towards `point`.
    void poll(const std::shared_ptr<Point>& point);

    /// The failure of a stream, which is thereby reported. For the default stream also that of the streams it waits for.
    Failure take_failure(Stream& stream);
    Failure take_any_failure();

    bool owns(const Stream& stream) const;
    const std::vector<std::shared_ptr<Stream>>& streams() const { return streams_; }
    Picoseconds host_time() const { return *host_time_; }

private:
    bool ready(const Operation& operation) const;
    void run_front(Stream& stream);
    void run_until_done(const std::shared_ptr<Point>& point);
    void run_somewhere();
    /// Until no other thread's operation runs.
    void wait_for_turn();

    std::vector<std::shared_ptr<Stream>> streams_;  // the default stream first
    Schedule schedule_;
    Random random_;
    std::mutex* lock_;
    std::condition_variable_any turn_;
    bool running_ = false;   // an operation of this device, in whatever thread
    std::shared_ptr<Picoseconds> host_time_;
    Picoseconds engine_free_[3] = {};
};

}  // namespace hipemu
