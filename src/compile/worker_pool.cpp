#include "compile/worker_pool.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/log.hpp"

namespace flashwave {
namespace {

constexpr std::chrono::milliseconds kListTime{60'000};
// A worker that says goodbye just as it is asked is replaced; a second time in a row is somebody's defect.
constexpr int kAttempts = 3;

int default_workers() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2); }

}  // namespace

// The right to one running worker; gives it back, or the free place when the worker broke.
class WorkerPool::Lease {
  public:
    Lease(WorkerPool& pool, std::unique_ptr<WorkerChannel> channel) : pool_(&pool), channel_(std::move(channel)) {}
    Lease(Lease&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), channel_(std::move(other.channel_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
        if (pool_ != nullptr) pool_->give_back(std::move(channel_));
    }
    WorkerChannel& channel() { return *channel_; }
    bool has_channel() const { return channel_ != nullptr; }
    void adopt(std::unique_ptr<WorkerChannel> channel) { channel_ = std::move(channel); }

  private:
    WorkerPool* pool_;
    std::unique_ptr<WorkerChannel> channel_;
};

WorkerPool::WorkerPool(WorkerPoolOptions options)
    : options_(std::move(options)),
      workers_(options_.workers > 0 ? options_.workers : default_workers()),
      owner_(::getpid()),
      launch_(options_.launch) {}

WorkerPool::~WorkerPool() {
    // The workers are children of the process that made the pool; a fork of it has no right to wait for them.
    if (::getpid() != owner_)
        for (auto& channel : idle_) channel->disown();
}

Result<WorkerLaunch> WorkerPool::launch() {
    {
        const std::lock_guard lock(mutex_);
        if (launch_) return *launch_;
    }
    Result<WorkerLaunch> found = find_worker();
    if (found.ok()) {
        const std::lock_guard lock(mutex_);
        launch_ = *found;
    }
    return found;
}

Result<WorkerPool::Lease> WorkerPool::take(Deadline deadline) {
    if (::getpid() != owner_)
        return Status(Code::unavailable,
                      "the compiler's workers belong to the process that forked this one; make a Runtime after fork, "
                      "not before.");
    std::unique_ptr<WorkerChannel> channel;
    {
        std::unique_lock lock(mutex_);
        const auto free = [this] { return in_use_ < workers_; };
        if (deadline == kNoDeadline) changed_.wait(lock, free);
        else if (!changed_.wait_until(lock, deadline, free))
            return Status(Code::deadline,
                          fmt::format("all {} compiler processes were busy until the deadline.", workers_));
        ++in_use_;
        if (!idle_.empty()) {
            channel = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    Lease lease(*this, std::move(channel));
    if (!lease.has_channel()) FLASHWAVE_RETURN_IF_ERROR(start_worker(lease));
    return lease;
}

Status WorkerPool::start_worker(Lease& lease) {
    Result<WorkerLaunch> how = launch();
    if (!how.ok()) return how.status();
    Result<std::unique_ptr<WorkerChannel>> started = WorkerChannel::start(*how, options_.extra_arguments);
    if (!started.ok()) return started.status();
    log_debug("started compiler process {} ({})", (*started)->pid(), how->origin);
    lease.adopt(std::move(*started));
    const std::lock_guard lock(mutex_);
    ++started_;
    return {};
}

void WorkerPool::give_back(std::unique_ptr<WorkerChannel> channel) {
    {
        const std::lock_guard lock(mutex_);
        --in_use_;
        if (channel && !channel->broken()) idle_.push_back(std::move(channel));
    }
    changed_.notify_one();
}

template <class T, class Ask>
Result<T> WorkerPool::with_worker(Deadline deadline, Ask&& ask) {
    Status last;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        Result<Lease> lease = take(deadline);
        if (!lease.ok()) return lease.status();
        Result<T> answer = ask(lease->channel());
        if (answer.ok() || !lease->channel().said_goodbye()) {
            if (lease->channel().broken()) log_warn("{}", answer.status().message());
            return answer;
        }
        last = answer.status();
    }
    return last;
}

Deadline WorkerPool::within_compile_time(Deadline deadline) const {
    return std::min(deadline, deadline_after(options_.compile_time));
}

Result<CompiledObject> WorkerPool::compile(const CompileJob& job, Deadline deadline) {
    return with_worker<CompiledObject>(deadline, [&](WorkerChannel& channel) {
        {
            const std::lock_guard lock(mutex_);
            ++compiles_;
        }
        return channel.compile(job, within_compile_time(deadline));
    });
}

void WorkerPool::compile_all(std::span<const CompileJob> jobs,
                             const std::function<void(std::size_t, Result<CompiledObject>)>& done, Deadline deadline) {
    std::atomic<std::size_t> next{0};
    std::mutex one_at_a_time;
    const auto work = [&] {
        for (std::size_t index = next++; index < jobs.size(); index = next++) {
            Result<CompiledObject> object = compile(jobs[index], deadline);
            const std::lock_guard lock(one_at_a_time);
            done(index, std::move(object));
        }
    };
    std::vector<std::thread> threads;
    const std::size_t helpers = std::min<std::size_t>(jobs.size(), static_cast<std::size_t>(workers_));
    for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
}

Result<std::string> WorkerPool::list(std::string_view code_object, std::string_view target, Deadline deadline) {
    return with_worker<std::string>(deadline, [&](WorkerChannel& channel) {
        return channel.list(code_object, target, std::min(deadline, deadline_after(kListTime)));
    });
}

Result<WorkerIdentity> WorkerPool::identity(Deadline deadline) {
    return with_worker<WorkerIdentity>(
        deadline, [&](WorkerChannel& channel) { return channel.hello(within_compile_time(deadline)); });
}

Result<std::vector<std::string>> WorkerPool::targets(const std::vector<std::string>& candidates, Deadline deadline) {
    return with_worker<std::vector<std::string>>(
        deadline, [&](WorkerChannel& channel) { return channel.targets(candidates, within_compile_time(deadline)); });
}

Result<Fields> WorkerPool::request(const Fields& fields, Deadline deadline) {
    return with_worker<Fields>(
        deadline, [&](WorkerChannel& channel) { return channel.request(fields, within_compile_time(deadline)); });
}

std::uint64_t WorkerPool::compiles() const {
    const std::lock_guard lock(mutex_);
    return compiles_;
}

std::uint64_t WorkerPool::workers_started() const {
    const std::lock_guard lock(mutex_);
    return started_;
}

void WorkerPool::stop_idle() {
    std::vector<std::unique_ptr<WorkerChannel>> stopped;
    const std::lock_guard lock(mutex_);
    stopped.swap(idle_);
}

}  // namespace flashwave
