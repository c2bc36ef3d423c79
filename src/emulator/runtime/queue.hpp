// Streams, events and the order in which queued work runs. There is no thread behind it: work runs in the thread that queues it or waits for
// it, as the scheduling policy says (config.hpp), so a program behaves the same every time. One operation of a device's engines runs at a
// time; long ones let go of the lock meanwhile (machine.hpp, Unlocked), and other threads that need the device then wait for their turn. A
// host function holds up its own stream only.
//
// What waits for work that failed is left out, whether it was queued before or after the failure, and its stream tells of the failure too.
// Each stream tells once; what is queued after a failure was told anywhere does not suffer from it.
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

#include "emulator/runtime/random.hpp"
#include "emulator/settings/config.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

using Picoseconds = std::int64_t;

enum class Engine : std::uint8_t { none, compute, copy };

struct Capture;
struct GraphNode;
struct Stream;

/// A failure that is handed to whoever waited.
struct Failure {
    hipError_t error = hipSuccess;
    std::string explanation = {};
};

/// A failure and how far it is known.
struct Trouble {
    Failure failure;
    std::vector<std::uint64_t> told;  // numbers of the streams that reported it
    std::uint64_t told_at = 0;        // when the first of them did, counted in operations; 0: none has
};

/// The end of one operation; what events and other streams wait for.
struct Point {
    bool done = false;
    Picoseconds time = 0;
    std::shared_ptr<Trouble> trouble = {};  // why the operation failed or was left out
    std::weak_ptr<Stream> stream = {};

    /// Nothing is left to wait for; the work of a stream that is gone was done.
    bool reached() const { return done || stream.expired(); }
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
    std::uint64_t queued_at = 0;    // counted in operations
    std::vector<std::shared_ptr<Point>> after = {};
    std::shared_ptr<Point> point = {};
};

struct Stream : std::enable_shared_from_this<Stream> {
    unsigned flags = 0;
    int priority = 0;
    std::uint64_t number = 0;           // differs from that of every other stream, also of other devices
    bool is_default = false;            // the legacy default stream
    bool is_branch = false;             // of a graph that is replayed: what fails there is told by the stream that it was launched in
    bool running = false;               // its front operation, in whatever thread
    std::shared_ptr<Trouble> trouble;   // that it has yet to tell of
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

    /// False once the capture has ended: then it counts as never recorded.
    bool in_capture() const;
};

/// All streams of one device.
class Queue {
public:
    /// `lock`: the machine's, let go of while a call waits for its turn; nullptr where there is one thread only. `host_time`: of the host that
    /// several devices have in common.
    explicit Queue(const Config& config, std::mutex* lock = nullptr, std::shared_ptr<Picoseconds> host_time = nullptr);

    const std::shared_ptr<Stream>& default_stream() const { return streams_.front(); }
    std::shared_ptr<Stream> create(unsigned flags, int priority);
    /// Runs what is left in it first. A failure that it did not tell of is told when the default stream or the device is waited for.
    void destroy(const std::shared_ptr<Stream>& stream);
    /// A stream for a branch of a graph; it is nobody's again once its work is done.
    std::shared_ptr<Stream> branch();

    /// Queues an operation behind what its stream and HIP's rules for the legacy default stream make it wait for. Runs it at once if the
    /// policy says so.
    std::shared_ptr<Point> add(Stream& stream, Operation operation);

    /// Runs all that has to be run before `point` is reached, and it; the host then knows the time of the device.
    void finish(const std::shared_ptr<Point>& point);
    /// For the default stream also the streams that it would wait for.
    void finish(const std::shared_ptr<Stream>& stream);
    void finish_all();
    /// For a program that polls: lets the device get one step ahead towards `point`.
    void poll(const std::shared_ptr<Point>& point);

    /// The failure of a stream, which is thereby told. For the default stream also that of the streams it waits for.
    Failure take_failure(Stream& stream);
    /// The same where only what was before `point` counts.
    Failure take_failure(const Point& point);
    Failure take_any_failure();

    bool owns(const Stream& stream) const;
    const std::vector<std::shared_ptr<Stream>>& streams() const { return streams_; }
    Picoseconds host_time() const { return *host_time_; }

private:
    bool waits_for(const Stream& stream, const Stream& other) const;
    /// Can the front operation of a stream begin?
    bool ready(const Stream& stream) const;
    void run_front(Stream& stream);
    void run_until_done(const std::shared_ptr<Point>& point);
    bool run_somewhere();
    /// Until an operation of another thread has ended; false where none runs.
    bool wait_for_others();

    std::vector<std::shared_ptr<Stream>> streams_;  // the default stream first
    std::shared_ptr<Trouble> lost_;                 // of streams that are gone
    Schedule schedule_;
    Random random_;
    std::mutex* lock_;
    std::condition_variable_any turn_;
    bool engines_busy_ = false;  // with an operation, in whatever thread
    unsigned running_ = 0;       // operations, host functions included
    std::shared_ptr<Picoseconds> host_time_;
    Picoseconds engine_free_[3] = {};
};

}  // namespace hipemu
