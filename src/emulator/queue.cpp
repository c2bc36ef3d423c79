#include "emulator/queue.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "emulator/injector.hpp"

namespace hipemu {

Queue::Queue(const Config& config, std::mutex* lock, std::shared_ptr<Picoseconds> host_time)
    : schedule_(config.schedule), random_(config.seed), lock_(lock),
      host_time_(host_time ? std::move(host_time) : std::make_shared<Picoseconds>(0)) {
    streams_.push_back(std::make_shared<Stream>());
    streams_.front()->is_default = true;
}

std::shared_ptr<Stream> Queue::create(unsigned flags, int priority) {
    auto stream = std::make_shared<Stream>();
    stream->flags = flags;
    stream->priority = priority;
    streams_.push_back(stream);
    return stream;
}

void Queue::destroy(const std::shared_ptr<Stream>& stream) {
    finish(*stream);
    std::erase(streams_, stream);
}

std::shared_ptr<Point> Queue::add(Stream& stream, Operation operation) {
    // HIP's legacy default stream: it waits for every blocking stream, and every blocking stream waits for it.
    if (stream.is_default) {
        for (const auto& other : streams_)
            if (other->blocking() && other->tail && !other->tail->done) operation.after.push_back(other->tail);
    } else if (stream.blocking() && default_stream()->tail && !default_stream()->tail->done) {
        operation.after.push_back(default_stream()->tail);
    }
    // Time, too: a stream that has nothing to wait for any more still starts no earlier than that ended.
    if (stream.is_default) {
        for (const auto& other : streams_)
            if (other->blocking() && other->tail && other->tail->done) operation.not_before = std::max(operation.not_before, other->tail->time);
    } else if (stream.blocking() && default_stream()->tail && default_stream()->tail->done) {
        operation.not_before = std::max(operation.not_before, default_stream()->tail->time);
    }
    operation.not_before = std::max(operation.not_before, *host_time_);
    operation.point = std::make_shared<Point>();
    operation.point->stream = stream.weak_from_this();
    // In order within the stream, also where the operation before has run already.
    if (stream.tail) {
        if (stream.tail->done) operation.not_before = std::max(operation.not_before, stream.tail->time);
        else operation.after.push_back(stream.tail);
    }
    stream.tail = operation.point;
    std::shared_ptr<Point> point = operation.point;
    stream.queue.push_back(std::move(operation));

    if (schedule_ == Schedule::eager) run_until_done(point);
    if (schedule_ == Schedule::seeded)
        for (std::uint64_t steps = random_.next() % 3; steps > 0; --steps) run_somewhere();
    return point;
}

bool Queue::ready(const Operation& operation) const {
    return std::all_of(operation.after.begin(), operation.after.end(), [](const auto& point) { return point->done; });
}

void Queue::run_front(Stream& stream) {
    Operation operation = std::move(stream.queue.front());
    stream.queue.pop_front();
    Picoseconds start = operation.not_before;
    hipError_t failure = stream.failure;
    const std::shared_ptr<Stream> alive = stream.weak_from_this().lock();  // whatever other threads destroy meanwhile
    for (const auto& point : operation.after) {
        start = std::max(start, point->time);
        // What waits for work that failed must not run on its half-made results. An event of a stream that is gone has no failure left.
        if (const auto other = point->stream.lock(); other && failure == hipSuccess) failure = other->failure;
    }
    Picoseconds& engine_free = engine_free_[static_cast<int>(operation.engine)];  // nobody else runs anything meanwhile
    if (operation.engine != Engine::none) start = std::max(start, engine_free);

    running_ = true;
    Outcome outcome;
    if (operation.run && (failure == hipSuccess || operation.even_after_failure)) {
        // Whoever waits for the point must get there, also if the host has no memory (or no thread) left for the work.
        try {
            outcome = operation.run();
        } catch (const std::exception&) {
            outcome = {.error = hipErrorOutOfMemory};
        }
    }
    running_ = false;
    turn_.notify_all();
    if (stream.failure == hipSuccess) {
        stream.failure = failure != hipSuccess ? failure : outcome.error;
        stream.explanation = std::move(outcome.explanation);
    }
    operation.point->time = start + Injector::instance().stretch(outcome.duration, start);
    operation.point->done = true;
    if (operation.engine != Engine::none) engine_free = operation.point->time;
}

void Queue::run_until_done(const std::shared_ptr<Point>& point) {
    // Depth first: only what `point` needs is run. Waits point backwards in time, so this ends.
    while (!point->done) {
        if (running_) {
            wait_for_turn();
            continue;
        }
        const auto stream = point->stream.lock();
        if (!stream || stream->queue.empty()) return;
        const std::vector<std::shared_ptr<Point>>& after = stream->queue.front().after;
        const auto open = std::find_if(after.begin(), after.end(), [](const auto& one) { return !one->done; });
        // What it needs first may run in another thread's hands by then: look again.
        if (open != after.end()) run_until_done(std::shared_ptr<Point>(*open));
        else run_front(*stream);
    }
}

void Queue::wait_for_turn() {
    while (running_ && lock_) turn_.wait(*lock_);
}

void Queue::run_somewhere() {
    wait_for_turn();
    std::vector<Stream*> candidates;
    for (const auto& stream : streams_)
        if (!stream->queue.empty() && ready(stream->queue.front())) candidates.push_back(stream.get());
    if (!candidates.empty()) run_front(*candidates[random_.next() % candidates.size()]);
}

void Queue::finish(const std::shared_ptr<Point>& point) {
    if (!point) return;
    if (schedule_ == Schedule::seeded)
        while (!point->done && !point->stream.expired()) run_somewhere();
    run_until_done(point);
    *host_time_ = std::max(*host_time_, point->time);
}

void Queue::finish(Stream& stream) { finish(std::shared_ptr<Point>(stream.tail)); }

void Queue::finish_all() {
    // Host functions may queue more: until nothing is left.
    for (bool found = true; found;) {
        found = false;
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            const std::shared_ptr<Stream> stream = streams_[i];
            if (stream->tail && !stream->tail->done) found = true;
            finish(*stream);
        }
    }
}

void Queue::poll(const std::shared_ptr<Point>& point) {
    if (!point || point->done || running_) return;
    if (schedule_ == Schedule::seeded) return run_somewhere();
    std::shared_ptr<Point> step = point;
    for (;;) {
        const auto stream = step->stream.lock();
        if (!stream || stream->queue.empty()) return;
        const auto& after = stream->queue.front().after;
        const auto open = std::find_if(after.begin(), after.end(), [](const auto& one) { return !one->done; });
        if (open == after.end()) return run_front(*stream);
        step = *open;
    }
}

Failure Queue::take_failure(Stream& stream) {
    const auto take = [](Stream& one) { return Failure{std::exchange(one.failure, hipSuccess), std::exchange(one.explanation, {})}; };
    Failure failure = take(stream);
    if (stream.is_default)
        for (const auto& other : streams_)
            if (other->blocking() && other.get() != &stream)
                if (Failure theirs = take(*other); failure.error == hipSuccess) failure = std::move(theirs);
    return failure;
}

Failure Queue::take_any_failure() {
    Failure failure;
    for (const auto& stream : streams_) {
        Failure theirs{std::exchange(stream->failure, hipSuccess), std::exchange(stream->explanation, {})};
        if (failure.error == hipSuccess) failure = std::move(theirs);
    }
    return failure;
}

bool Queue::owns(const Stream& stream) const {
    return std::any_of(streams_.begin(), streams_.end(), [&](const auto& one) { return one.get() == &stream; });
}

}  // namespace hipemu
