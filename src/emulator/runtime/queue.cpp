#include "emulator/runtime/queue.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "emulator/runtime/injector.hpp"

namespace hipemu {
namespace {

std::atomic<std::uint64_t> stream_numbers{0}, operations{0};

const std::shared_ptr<Point>* first_open(const Operation& operation) {
    const auto open = std::find_if(operation.after.begin(), operation.after.end(), [](const auto& one) { return !one->reached(); });
    return open != operation.after.end() ? &*open : nullptr;
}

bool was_told_by(const Trouble& trouble, const Stream& stream) {
    return std::find(trouble.told.begin(), trouble.told.end(), stream.number) != trouble.told.end();
}

void note_told(Trouble& trouble, std::uint64_t stream_number) {
    trouble.told.push_back(stream_number);
    if (trouble.told_at == 0) trouble.told_at = operations;
}

Failure tell(std::shared_ptr<Trouble>& trouble, std::uint64_t stream_number) {
    if (!trouble) return {};
    note_told(*trouble, stream_number);
    return std::exchange(trouble, nullptr)->failure;
}

}  // namespace

Queue::Queue(const Config& config, std::mutex* lock, std::shared_ptr<Picoseconds> host_time)
    : schedule_(config.schedule), random_(config.seed), lock_(lock),
      host_time_(host_time ? std::move(host_time) : std::make_shared<Picoseconds>(0)) {
    streams_.push_back(std::make_shared<Stream>());
    streams_.front()->is_default = true;
    streams_.front()->number = ++stream_numbers;
}

std::shared_ptr<Stream> Queue::create(unsigned flags, int priority) {
    auto stream = std::make_shared<Stream>();
    stream->flags = flags;
    stream->priority = priority;
    stream->number = ++stream_numbers;
    streams_.push_back(stream);
    return stream;
}

void Queue::destroy(const std::shared_ptr<Stream>& stream) {
    finish(stream);
    if (stream->trouble && !lost_) lost_ = stream->trouble;
    std::erase(streams_, stream);
}

std::shared_ptr<Stream> Queue::branch() {
    for (const auto& stream : streams_)
        // The graph that is being launched may hold others, which have nothing to do as yet.
        if (stream->is_branch && stream.use_count() == 1 && (!stream->tail || stream->tail->done)) return stream;
    std::shared_ptr<Stream> stream = create(hipStreamNonBlocking, 0);
    stream->is_branch = true;
    return stream;
}

bool Queue::waits_for(const Stream& stream, const Stream& other) const {
    if (stream.is_default) return other.blocking();
    return other.is_default && stream.blocking();
}

std::shared_ptr<Point> Queue::add(Stream& stream, Operation operation) {
    const std::vector<std::shared_ptr<Point>> asked = std::exchange(operation.after, {});
    operation.queued_at = ++operations;
    operation.not_before = std::max(operation.not_before, *host_time_);
    const auto come_after = [&operation](const std::shared_ptr<Point>& point) {
        // Time, too: what has nothing to wait for any more still starts no earlier than that ended.
        if (point->done) operation.not_before = std::max(operation.not_before, point->time);
        if (!point->reached() || point->trouble) operation.after.push_back(point);
    };
    for (const auto& point : asked) come_after(point);
    // HIP's legacy default stream: it waits for every blocking stream, and every blocking stream waits for it.
    for (const auto& other : streams_)
        if (other.get() != &stream && other->tail && waits_for(stream, *other)) come_after(other->tail);
    if (stream.tail) come_after(stream.tail);

    operation.point = std::make_shared<Point>();
    operation.point->stream = stream.weak_from_this();
    stream.tail = operation.point;
    std::shared_ptr<Point> point = operation.point;
    stream.queue.push_back(std::move(operation));

    if (schedule_ == Schedule::eager) run_until_done(point);
    if (schedule_ == Schedule::seeded)
        for (std::uint64_t steps = random_.next() % 3; steps > 0; --steps) (void)run_somewhere();
    return point;
}

bool Queue::ready(const Stream& stream) const {
    if (stream.running || stream.queue.empty()) return false;
    const Operation& operation = stream.queue.front();
    return !first_open(operation) && (operation.engine == Engine::none || !engines_busy_);
}

void Queue::run_front(Stream& stream) {
    Operation operation = std::move(stream.queue.front());
    stream.queue.pop_front();
    const std::shared_ptr<Stream> alive = stream.weak_from_this().lock();  // whatever other threads destroy meanwhile
    Picoseconds start = operation.not_before;
    std::shared_ptr<Trouble> trouble = stream.trouble;
    for (const auto& point : operation.after) {
        start = std::max(start, point->time);
        // What waits for work that failed must not run on its half-made results.
        const std::shared_ptr<Trouble>& theirs = point->trouble;
        if (!trouble && theirs && (theirs->told_at == 0 || theirs->told_at >= operation.queued_at)) trouble = theirs;
    }
    const bool on_engine = operation.engine != Engine::none;
    Picoseconds& engine_free = engine_free_[static_cast<int>(operation.engine)];
    if (on_engine) start = std::max(start, engine_free);
    const auto suffer = [&stream](const std::shared_ptr<Trouble>& from) {
        if (from && !stream.trouble && !stream.is_branch && !was_told_by(*from, stream)) stream.trouble = from;
    };
    suffer(trouble);

    stream.running = true;
    engines_busy_ = engines_busy_ || on_engine;
    ++running_;
    Outcome outcome;
    if (operation.run && (!trouble || operation.even_after_failure)) {
        // Whoever waits for the point must get there, also if the host has no memory (or no thread) left for the work.
        try {
            outcome = operation.run();
        } catch (const std::exception&) {
            outcome = {.error = hipErrorOutOfMemory};
        }
    }
    --running_;
    if (on_engine) engines_busy_ = false;
    stream.running = false;
    if (!trouble && outcome.error != hipSuccess) {
        trouble = std::make_shared<Trouble>(Trouble{.failure = {.error = outcome.error, .explanation = std::move(outcome.explanation)}, .told = {}});
        suffer(trouble);
    }
    operation.point->time = start + Injector::instance().stretch(outcome.duration, start);
    operation.point->trouble = std::move(trouble);
    operation.point->done = true;
    if (on_engine) engine_free = operation.point->time;
    turn_.notify_all();
}

void Queue::run_until_done(const std::shared_ptr<Point>& point) {
    // Depth first: only what `point` needs is run. Waits point backwards in time, so this ends.
    std::vector<std::shared_ptr<Point>> needed{point};
    while (!needed.empty()) {
        const std::shared_ptr<Point> next = needed.back();
        const std::shared_ptr<Stream> stream = next->stream.lock();
        if (next->done || !stream) {
            needed.pop_back();
        } else if (ready(*stream)) {
            run_front(*stream);
        } else if (const auto* open = stream->running || stream->queue.empty() ? nullptr : first_open(stream->queue.front())) {
            needed.push_back(*open);
        } else if (!wait_for_others()) {  // it, or what it needs the engine of, runs in another thread
            return;
        }
    }
}

bool Queue::wait_for_others() {
    if (!lock_ || running_ == 0) return false;
    turn_.wait(*lock_);
    return true;
}

bool Queue::run_somewhere() {
    std::vector<Stream*> candidates;
    for (const auto& stream : streams_)
        if (ready(*stream)) candidates.push_back(stream.get());
    if (candidates.empty()) return false;
    run_front(*candidates[random_.next() % candidates.size()]);
    return true;
}

void Queue::finish(const std::shared_ptr<Point>& point) {
    if (!point) return;
    if (schedule_ == Schedule::seeded)
        while (!point->reached() && (run_somewhere() || wait_for_others())) {}
    run_until_done(point);
    *host_time_ = std::max(*host_time_, point->time);
}

void Queue::finish(const std::shared_ptr<Stream>& stream) {
    finish(std::shared_ptr<Point>(stream->tail));
    if (!stream->is_default) return;
    for (const auto& other : std::vector<std::shared_ptr<Stream>>(streams_))
        if (other->blocking()) finish(std::shared_ptr<Point>(other->tail));
}

void Queue::finish_all() {
    // Other threads may queue more while one of them is waited for: until nothing is left.
    for (bool found = true; found;) {
        found = false;
        for (const auto& stream : std::vector<std::shared_ptr<Stream>>(streams_)) {
            if (stream->tail && !stream->tail->done) found = true;
            finish(std::shared_ptr<Point>(stream->tail));
        }
    }
}

void Queue::poll(const std::shared_ptr<Point>& point) {
    if (!point || point->done) return;
    if (schedule_ == Schedule::seeded) {
        (void)run_somewhere();
        return;
    }
    std::shared_ptr<Point> step = point;
    for (;;) {
        const auto stream = step->stream.lock();
        if (!stream) return;
        if (ready(*stream)) return run_front(*stream);
        const auto* open = stream->running || stream->queue.empty() ? nullptr : first_open(stream->queue.front());
        if (!open) return;  // it runs in another thread
        step = std::shared_ptr<Point>(*open);
    }
}

Failure Queue::take_failure(Stream& stream) {
    Failure failure = tell(stream.trouble, stream.number);
    if (!stream.is_default) return failure;
    for (const auto& other : streams_)
        if (other->blocking() && other.get() != &stream)
            if (Failure theirs = tell(other->trouble, other->number); failure.error == hipSuccess) failure = std::move(theirs);
    if (Failure theirs = tell(lost_, stream.number); failure.error == hipSuccess) failure = std::move(theirs);
    return failure;
}

Failure Queue::take_failure(const Point& point) {
    const auto stream = point.stream.lock();
    if (!stream || !point.trouble || was_told_by(*point.trouble, *stream)) return {};
    if (!stream->is_branch) return stream->trouble == point.trouble ? take_failure(*stream) : Failure{};
    note_told(*point.trouble, stream->number);
    return point.trouble->failure;
}

Failure Queue::take_any_failure() {
    Failure failure;
    for (const auto& stream : streams_)
        if (Failure theirs = tell(stream->trouble, stream->number); failure.error == hipSuccess) failure = std::move(theirs);
    if (Failure theirs = tell(lost_, default_stream()->number); failure.error == hipSuccess) failure = std::move(theirs);
    return failure;
}

bool Queue::owns(const Stream& stream) const {
    return std::any_of(streams_.begin(), streams_.end(), [&](const auto& one) { return one.get() == &stream; });
}

}  // namespace hipemu
