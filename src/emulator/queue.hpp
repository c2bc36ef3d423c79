// Streams, events and the order in which queued work runs. There is no thread behind it: work runs in the thread that queues it or waits for
// it, as the scheduling policy says (config.hpp), so a program behaves the same every time.
//
// Time is the model's: an operation starts when its stream, what it waits for, the host that queued it and the engine it needs (kernels:
// one at a time; copies: one at a time) are ready, and lasts as long as the model says. In picoseconds since the device began.
//
// Not thread-safe: the machine's lock protects it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/config.hpp"
#include "emulator/random.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

using Picoseconds = std::int64_t;

enum class Engine : std::uint8_t { none, compute, copy };

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
    std::shared_ptr<Point> tail;        // end of the last operation queued
    std::deque<Operation> queue;

    bool blocking() const { return !(flags & hipStreamNonBlocking); }
};

struct Event {
    unsigned flags = 0;
    std::shared_ptr<Point> point = {};  // nullptr: never recorded
};

/// All streams of one device.
class Queue {
public:
    explicit Queue(const Config& config);

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
    hipError_t take_failure(Stream& stream);
    hipError_t take_any_failure();

    bool owns(const Stream& stream) const;
    Picoseconds host_time() const { return host_time_; }

private:
    bool ready(const Operation& operation) const;
    void run_front(Stream& stream);
    void run_until_done(const std::shared_ptr<Point>& point);
    void run_somewhere();

    std::vector<std::shared_ptr<Stream>> streams_;  // the default stream first
    Schedule schedule_;
    Random random_;
    Picoseconds host_time_ = 0;
    Picoseconds engine_free_[3] = {};
};

}  // namespace hipemu
