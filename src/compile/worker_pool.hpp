// Several flashwave-worker processes serving several threads. A worker is started when it is needed, reused, and
// replaced after it crashed, hung or talked nonsense; the failure belongs to the request that met it.
//
// Thread-safe. Making a pool starts nothing and finds nothing, so it costs a warm process nothing. In a forked child
// every request is refused: the workers belong to the parent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/worker_channel.hpp"

namespace flashwave {

struct WorkerPoolOptions {
    int workers = 0;  ///< How many may run at once; 0: half the processors, at least one.
    /// How long one compile may take; the largest kernels of ROCm 6 take a few seconds on a slow machine.
    std::chrono::milliseconds compile_time{120'000};
    /// How the worker is started; empty: find_worker() at the first request.
    std::optional<WorkerLaunch> launch;
    std::vector<std::string> extra_arguments;  ///< For tests.
};

class WorkerPool {
public:
    explicit WorkerPool(WorkerPoolOptions options = {});
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    ~WorkerPool();  ///< No request may be under way. Kills the workers.

    /// compile_error: the compiler refused; the message begins with file and line. crashed, deadline, corrupt, io_error: the worker
    /// failed and was replaced. unavailable: there is no compiler, and how to get one.
    Result<CompiledObject> compile(const CompileJob& job, Deadline deadline = kNoDeadline);

    /// Several at a time; `done(index, result)` is called as each ends, one at a time, from this thread or a helper.
    void compile_all(std::span<const CompileJob> jobs, const std::function<void(std::size_t, Result<CompiledObject>)>& done,
                     Deadline deadline = kNoDeadline);

    Result<std::string> list(std::string_view code_object, std::string_view target, Deadline deadline = kNoDeadline);
    Result<WorkerIdentity> identity(Deadline deadline = kNoDeadline);
    Result<std::vector<std::string>> targets(const std::vector<std::string>& candidates, Deadline deadline = kNoDeadline);
    /// Any request of the protocol, for tests.
    Result<Fields> request(const Fields& fields, Deadline deadline);

    Result<WorkerLaunch> launch();  ///< How workers are started; found once, a failure is looked for again.
    int size() const { return workers_; }
    std::uint64_t compiles() const;         ///< Compile requests that reached a worker.
    std::uint64_t workers_started() const;
    void stop_idle();                       ///< Ends the workers that do nothing now, to give their memory back.

private:
    class Lease;

    Result<Lease> take(Deadline deadline);
    Status start_worker(Lease& lease);
    void give_back(std::unique_ptr<WorkerChannel> channel);
    template <class T, class Ask>
    Result<T> with_worker(Deadline deadline, Ask&& ask);
    Deadline within_compile_time(Deadline deadline) const;

    const WorkerPoolOptions options_;
    const int workers_;
    const pid_t owner_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<WorkerLaunch> launch_;
    std::vector<std::unique_ptr<WorkerChannel>> idle_;
    int in_use_ = 0;
    std::uint64_t compiles_ = 0;
    std::uint64_t started_ = 0;
};

}  // namespace flashwave
