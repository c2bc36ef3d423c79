#include "compile/worker_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "base/log.hpp"
#include "worker/compiler.hpp"

namespace {

using namespace flashwave;
using namespace std::chrono_literals;

WorkerPoolOptions misbehaving(int workers, std::chrono::milliseconds compile_time = 60s) {
    return {.workers = workers,
            .compile_time = compile_time,
            .launch = launch_without_rocm(),
            .extra_arguments = {"--test-requests"}};
}

// Failures that a test provokes are logged by the pool; they need not be on the test's stderr.
struct Quiet {
    LogLevel before = log_level();
    Quiet() { set_log_level(LogLevel::off); }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet() { set_log_level(before); }
};

TEST_CASE("a pool that is not asked starts nothing") {
    WorkerPool pool(misbehaving(4));
    CHECK(pool.workers_started() == 0);
    CHECK(pool.size() == 4);
    CHECK(WorkerPool().size() >= 1);
}

TEST_CASE("a worker is used again and replaced after a crash, a hang and garbage") {
    const Quiet quiet;
    WorkerPool pool(misbehaving(1));
    CHECK(pool.request({"echo"}, soon()).ok());
    CHECK(pool.request({"echo"}, soon()).ok());
    CHECK(pool.workers_started() == 1);
    CHECK(pool.request({"crash"}, soon()).status().code() == Code::crashed);
    CHECK(pool.request({"echo"}, soon()).ok());
    CHECK(pool.request({"hang"}, deadline_after(100ms)).status().code() == Code::deadline);
    CHECK(pool.request({"echo"}, soon()).ok());
    CHECK(pool.request({"garbage"}, soon()).status().code() == Code::corrupt);
    CHECK(pool.request({"echo"}, soon()).ok());
    CHECK(pool.workers_started() == 4);
}

TEST_CASE("a request has its own time limit, whatever its caller's deadline") {
    const Quiet quiet;
    WorkerPool pool(misbehaving(1, 100ms));
    CHECK(pool.request({"hang"}, kNoDeadline).status().code() == Code::deadline);
}

TEST_CASE("as many requests run at once as there are workers, and no more") {
    WorkerPool pool(misbehaving(3));
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 6; ++i) threads.emplace_back([&] { good += pool.request({"sleep", "300"}, soon()).ok(); });
    for (std::thread& thread : threads) thread.join();
    const auto took = std::chrono::steady_clock::now() - begin;
    CHECK(good == 6);
    CHECK(pool.workers_started() == 3);
    CHECK(took >= 600ms);  // two rounds of three; a second and third worker start only while the others are busy
}

TEST_CASE("waiting for a free worker ends at the deadline") {
    WorkerPool pool(misbehaving(1));
    std::thread busy([&] { CHECK(pool.request({"sleep", "500"}, soon()).ok()); });
    std::this_thread::sleep_for(100ms);
    const Status status = pool.request({"echo"}, deadline_after(50ms)).status();
    CHECK(status.code() == Code::deadline);
    CHECK(status.message().find("busy") != std::string::npos);
    busy.join();
    CHECK(pool.request({"echo"}, soon()).ok());
}

TEST_CASE("a broken worker harms no request but its own") {
    const Quiet quiet;
    WorkerPool pool(misbehaving(3));
    std::atomic<int> good{0};
    std::atomic<int> crashed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 10; ++i) {
                const auto answer = pool.request(t == 0 ? Fields{"crash"} : Fields{"echo", std::to_string(t)}, soon());
                if (t == 0) crashed += answer.status().code() == Code::crashed;
                else good += answer.ok() && (*answer)[1] == std::to_string(t);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(good == 50);
    CHECK(crashed == 10);
}

TEST_CASE("without a worker program every request says so") {
    WorkerPoolOptions options;
    options.launch = launch_without_rocm();
    options.launch->program = "/no/such/worker";
    WorkerPool pool(options);
    CHECK(pool.compile(small_job(), soon()).status().message().find("/no/such/worker") != std::string::npos);
    CHECK(pool.compile(small_job(), soon()).status().code() == Code::not_found);
}

TEST_CASE("idle workers can be let go") {
    WorkerPool pool(misbehaving(2));
    REQUIRE(pool.request({"echo"}, soon()).ok());
    pool.stop_idle();
    REQUIRE(pool.request({"echo"}, soon()).ok());
    CHECK(pool.workers_started() == 2);
}

TEST_CASE("a worker that ended for want of work is replaced without a word") {
    WorkerPoolOptions options = misbehaving(1);
    options.extra_arguments.insert(options.extra_arguments.end(), {"--idle-ms", "50"});
    WorkerPool pool(options);
    REQUIRE(pool.request({"echo"}, soon()).ok());
    std::this_thread::sleep_for(300ms);
    CHECK(pool.request({"echo"}, soon()).ok());
    CHECK(pool.workers_started() == 2);
}

TEST_CASE("a forked child has no workers, and its end leaves the parent's alone") {
    WorkerPool* pool = new WorkerPool(misbehaving(1));
    REQUIRE(pool->request({"echo"}, soon()).ok());
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const bool refused = pool->request({"echo"}, soon()).status().code() == Code::unavailable;
        delete pool;
        ::_exit(refused ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(pool->request({"echo"}, soon()).ok());
    CHECK(pool->workers_started() == 1);
    delete pool;
}

TEST_CASE("many kernels compile at once and each result has its place") {
    if (!compiler_here()) return;
    WorkerPool pool({.workers = 2, .launch = compiler_here()});
    std::vector<CompileJob> jobs(5, small_job());
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].options.push_back("-DNUMBER=" + std::to_string(i));
    jobs[3].files[0].text = "#error number three\n";
    std::set<std::size_t> seen;
    pool.compile_all(
        jobs,
        [&](std::size_t index, const Result<CompiledObject>& object) {
            CHECK(seen.insert(index).second);
            CHECK(object.ok() == (index != 3));
            if (index == 3) CHECK(object.status().message().starts_with("small.hip:1: number three"));
        },
        soon());
    CHECK(seen.size() == jobs.size());
    CHECK(pool.compiles() == 5);
    CHECK(pool.workers_started() == 2);
}

}  // namespace
