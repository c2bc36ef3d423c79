#include "runtime/runtime.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "autotune/candidates.hpp"
#include "base/log.hpp"
#include "cache/query.hpp"
#include "flashwave/log.hpp"
#include "host/allocations.hpp"
#include "host/example_call.hpp"
#include "host/programs.hpp"
#include "temporary_directory.hpp"

using namespace flashwave;
using namespace flashwave::testing;
namespace fs = std::filesystem;

namespace {

std::string count(const std::string& directory, const std::string& table) {
    const auto rows = cache::query(directory, "SELECT count(*) FROM " + table);
    return rows.ok() ? rows->rows[0][0].text : rows.status().message();
}

// Launches go nowhere, so that what is counted is ours and not the emulator's.
std::atomic<int> launches{0};
hipError_t count_launch(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        hipStream_t, void**, void**) {
    ++launches;
    return hipSuccess;
}

Options options(const std::string& cache_dir, TuneMode mode) {
    return {.device = "emulated:gfx1100", .cache_dir = cache_dir, .tune = mode};
}

bool nothing_to_compile_with() {
    if (has_compiler()) return false;
    MESSAGE("no compiler: nothing to launch");
    return true;
}

}  // namespace

TEST_CASE("a malformed option is refused by name") {
    CHECK(Runtime::create({.device = "cuda:0"}).status().code() == Code::invalid_argument);
    CHECK(Runtime::create({.device = "emulated:gfx9999"}).status().code() == Code::invalid_argument);
    const Status budget =
        Runtime::create({.device = "emulated:gfx1100", .tune_budget = std::chrono::milliseconds(0)}).status();
    CHECK(budget.code() == Code::invalid_argument);
    CHECK(contains(budget.message(), "tune_budget is 0 ms"));
}

TEST_CASE("a GPU that is missing is an error that says how to ask for the emulator, never the emulator itself") {
    const Result<Runtime> runtime = Runtime::create({.device = "hip:63", .cache_dir = ":memory:"});
    REQUIRE_FALSE(runtime.ok());
    CHECK(runtime.status().code() == Code::unavailable);
    CHECK_MESSAGE(contains(runtime.status().message(), "emulated:gfx1100"), runtime.status().message());
}

TEST_CASE("bad arguments are refused before anything is compiled or launched, empty calls launch nothing") {
    const TemporaryDirectory folder;
    Result<Runtime> runtime = Runtime::create(options(folder.path(), TuneMode::off));
    REQUIRE_MESSAGE(runtime.ok(), runtime.status().message());
    ForwardArgs args = example_args();
    args.o.strides[1] = 0;
    CHECK(runtime->forward(args).code() == Code::invalid_argument);
    CHECK(runtime->warm(args).code() == Code::invalid_argument);
    ForwardInfo info{.launched = true};
    CHECK(runtime->forward(example_args({.batch = 0}), &info).ok());
    CHECK_FALSE(info.launched);
    CHECK(runtime->impl().pool().workers_started() == 0);
    CHECK_FALSE(fs::exists(folder.path() + "/cache.db"));
}

TEST_CASE("an application routes the messages") {
    std::vector<std::string> lines;
    route_log([&](std::string_view level, std::string_view message) {
        lines.push_back(std::string(level) + ": " + std::string(message));
    });
    const TemporaryDirectory folder;
    std::ofstream(folder.path() + "/file") << "x";
    CHECK(Runtime::create(options(folder.path() + "/file/cache", TuneMode::off)).ok());
    route_log({});
    REQUIRE(lines.size() == 1);
    CHECK(contains(lines[0], "warning: the kernel cache is not used"));
}

TEST_CASE("replay with nothing stored says so and compiles nothing") {
    const TemporaryDirectory folder;
    Result<Runtime> runtime = Runtime::create(options(folder.path(), TuneMode::replay));
    REQUIRE(runtime.ok());
    const Status status = runtime->warm(example_args());
    if (has_compiler()) CHECK_MESSAGE(status.code() == Code::not_found, status.message());
    CHECK(runtime->impl().pool().compiles() == 0);
}

TEST_CASE("a geometry that was found wrong is not the default any more") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    const ForwardArgs args = example_args();
    ForwardInfo info;
    std::string first;
    {
        Result<Runtime> runtime = Runtime::create(options(folder.path(), TuneMode::off));
        REQUIRE(runtime.ok());
        REQUIRE(runtime->warm(args, &info).ok());
        first = info.geometry;

        ForwardCall call;
        REQUIRE(check_forward(args, Pointers::ignored, call).ok());
        const hip::Device& device = runtime->impl().device();
        const Arch& arch = *find_arch(device.facts().target);
        TargetName target;
        REQUIRE(target.assign(device.facts().target));
        const ProblemKey key = make_problem_key(call, target);
        const Result<Toolchain> toolchain = identify_toolchain(runtime->impl().pool(), folder.path());
        REQUIRE(toolchain.ok());
        const cache::ToolchainRecord tools = record_of(*toolchain);
        const CompileUnit unit = make_compile_unit(key, default_candidate(key, arch), arch, tools.fp);
        cache::Store store(folder.path(), 1u << 30);
        REQUIRE(store.record_measurement({key, record_of(device)}, tools, unit.kernel,
                                         {.outcome = cache::Outcome::wrong, .detail = "off by one"}, {})
                    .ok());
    }
    Result<Runtime> runtime = Runtime::create(options(folder.path(), TuneMode::off));
    REQUIRE(runtime.ok());
    REQUIRE(runtime->warm(args, &info).ok());
    CHECK(info.source == PlanSource::default_geometry);
    CHECK(info.geometry != first);
}

TEST_CASE("a hit allocates nothing") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    Result<Runtime> runtime = Runtime::create(options(folder.path(), TuneMode::off));
    REQUIRE(runtime.ok());
    ForwardInfo info;
    REQUIRE(runtime->warm(example_args(), &info).ok());
    CHECK(info.source == PlanSource::default_geometry);
    CHECK(info.compiles == 1);
    auto& api = const_cast<hip::Api&>(runtime->impl().device().api());
    const auto real = std::exchange(api.hipModuleLaunchKernel, &count_launch);
    const ForwardArgs args = example_args();
    REQUIRE(runtime->forward(args, &info).ok());
    CHECK(info.source == PlanSource::memory);
    launches = 0;
    const long before = allocations();
    bool good = true;
    for (int i = 0; i < 100; ++i) good = runtime->forward(args, &info).ok() && good;
    CHECK(allocations() == before);
    CHECK(good);
    CHECK(launches == 100);
    api.hipModuleLaunchKernel = real;
}

TEST_CASE("threads that meet on a cold key compile it once") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    Result<Runtime> runtime = Runtime::create(options(folder.path(), TuneMode::off));
    REQUIRE(runtime.ok());
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 6; ++i) threads.emplace_back([&] { good += runtime->warm(example_args()).ok(); });
    for (std::thread& thread : threads) thread.join();
    CHECK(good == 6);
    CHECK(runtime->impl().pool().compiles() == 1);
}

TEST_CASE("a default plan is compiled once for all processes, and again when its code object is damaged") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    CHECK(contains(run(host_forward(folder.path(), "off", 96, 64)), "source=default compiles=1 candidates=0"));
    CHECK(contains(run(host_forward(folder.path(), "off", 96, 64)), "source=default compiles=0 candidates=0"));
    const std::string db = folder.path() + "/cache.db";
    {
        std::fstream file(db, std::ios::in | std::ios::out | std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), {});
        const std::size_t elf = bytes.find(
            "\x7f"
            "ELF");
        REQUIRE(elf != std::string::npos);
        file.clear();
        file.seekp(static_cast<std::streamoff>(elf + 40));
        file.put(static_cast<char>(bytes[elf + 40] ^ 1));
    }
    const std::string again = run(host_forward(folder.path(), "off", 96, 64));
    CHECK_MESSAGE(contains(again, "compiles=1"), again);
    CHECK_MESSAGE(contains(again, "passed=1"), again);
    std::ofstream(db, std::ios::trunc) << "not a database";
    const std::string once_more = run(host_forward(folder.path(), "off", 96, 64));
    CHECK_MESSAGE(contains(once_more, "compiles=1 candidates=0"), once_more);
    CHECK_MESSAGE(contains(once_more, "passed=1"), once_more);
}

TEST_CASE("while one thread tunes, others run the default geometry; afterwards all run the winner") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    Options tuning = options(folder.path(), TuneMode::first_use);
    std::atomic<bool> begun{false};
    tuning.on_progress = [&](const TuneProgress& step) {
        begun = true;
        CHECK(step.candidates >= 8);
        CHECK(step.modelled);
    };
    Result<Runtime> runtime = Runtime::create(tuning);
    REQUIRE(runtime.ok());
    const ForwardArgs args = example_args({.seq_q = 32, .seq_k = 32});
    ForwardInfo first, meanwhile, later;
    std::thread tuner([&] { CHECK(runtime->warm(args, &first).ok()); });
    while (!begun) std::this_thread::yield();
    CHECK(runtime->warm(args, &meanwhile).ok());
    CHECK(meanwhile.source == PlanSource::default_geometry);
    CHECK(meanwhile.candidates == 0);
    tuner.join();
    CHECK(first.source == PlanSource::tuned);
    CHECK(first.candidates >= 8);
    CHECK(first.tuned_time_us > 0);
    CHECK(runtime->warm(args, &later).ok());
    CHECK(later.source == PlanSource::memory);
    CHECK(later.geometry == first.geometry);
    CHECK(later.compiles == 0);
}

TEST_CASE("eight processes on one cold key end with one selection and no error; what comes later starts warm") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    std::vector<std::string> lines(8);
    std::vector<std::thread> threads;
    for (std::string& line : lines)
        threads.emplace_back([&] { line = run(host_forward(folder.path(), "first_use", 64, 64)); });
    for (std::thread& thread : threads) thread.join();
    int tuned = 0;
    for (const std::string& line : lines) {
        CHECK_MESSAGE(contains(line, "passed=1"), line);
        tuned += contains(line, "source=tuned");
    }
    CHECK(tuned == 1);
    CHECK(count(folder.path(), "selection") == "1");
    CHECK(count(folder.path(), "v_candidates WHERE status = 'ok'") != "0");
    CHECK(count(folder.path(), "attempt") == "0");

    for (const char* mode : {"first_use", "replay"}) {
        const std::string warm = run(host_forward(folder.path(), mode, 64, 64));
        CHECK_MESSAGE(contains(warm, "source=disk compiles=0 candidates=0"), warm);
        CHECK_MESSAGE(contains(warm, "passed=1"), warm);
    }
    const std::string without_rocm = run(host_forward(folder.path(), "first_use", 64, 64, {"FLASHWAVE_ROCM=/nowhere"}));
    CHECK_MESSAGE(contains(without_rocm, "source=disk compiles=0 candidates=0"), without_rocm);
    const std::string nothing = run(host_forward(folder.path(), "first_use", 96, 128, {"FLASHWAVE_ROCM=/nowhere"}));
    CHECK_MESSAGE(contains(nothing, "status=unavailable"), nothing);
}
