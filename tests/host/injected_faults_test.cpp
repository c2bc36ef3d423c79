// What the library makes of a device that fails: faults are injected into the emulator, in the tuner's process by the environment, in this one
// by hipemuSetFaults.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "autotune/candidates.hpp"
#include "autotune/tuner.hpp"
#include "autotune/tuner_process.hpp"
#include "cache/query.hpp"
#include "host/example_call.hpp"
#include "host/programs.hpp"
#include "problem/kernel_spec.hpp"
#include "runtime/runtime.hpp"
#include "temporary_directory.hpp"

using namespace flashwave;
using namespace flashwave::testing;
using cache::Measurement;
using cache::Outcome;

namespace {

/// HIPEMU_FAULTS for the processes that are started while it lives. This one's emulator has read its environment before.
class FaultsOfChildren {
  public:
    explicit FaultsOfChildren(const std::string& faults) {
        REQUIRE(hip::Device::open("emulated:gfx1100").ok());
        ::setenv("HIPEMU_FAULTS", faults.c_str(), 1);
    }
    ~FaultsOfChildren() { ::unsetenv("HIPEMU_FAULTS"); }
};

/// Faults of this process's emulator while it lives.
class Faults {
  public:
    Faults(const hip::Api& api, const char* text) : api_(api) { REQUIRE_EQ(api_.hipemuSetFaults(text), hipSuccess); }
    ~Faults() { (void)api_.hipemuSetFaults(""); }

  private:
    const hip::Api& api_;
};

const Arch& gfx1100() { return *find_arch("gfx1100"); }

ProblemKey small_key() { return {.target = "gfx1100", .head_dim = 64, .seq_q = 16, .seq_k = 16, .parallel = 1}; }

bool nothing_to_compile_with() {
    if (has_compiler()) return false;
    MESSAGE("no compiler: nothing to try");
    return true;
}

/// What SQLite says of the file itself.
std::string integrity(const std::string& directory) {
    sqlite3* db = nullptr;
    std::string verdict = "cannot be opened";
    if (sqlite3_open_v2((directory + "/cache.db").c_str(), &db, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK)
        (void)sqlite3_exec(
            db, "PRAGMA integrity_check",
            [](void* to, int, char** texts, char**) { return *static_cast<std::string*>(to) = texts[0] ? texts[0] : "", 0; }, &verdict, nullptr);
    sqlite3_close(db);
    return verdict;
}

/// A tuning into a cache of its own.
struct Tuned {
    TemporaryDirectory folder;
    cache::Store store{folder.path(), 1u << 30};
    WorkerPool pool;
    cache::ToolchainRecord tools{sha256("toolchain"), sha256("sources"), "a compiler", "libraries"};
    cache::DeviceRecord device{sha256("device"), "card", "A Card", "gfx1100", true};

    Result<TuneResult> tune(bool deterministic_clock = true) {
        const TunerContext context{.device_name = "emulated:gfx1100",
                                   .device = device,
                                   .arch = gfx1100(),
                                   .toolchain = tools,
                                   .store = store,
                                   .pool = pool,
                                   .on_progress = {},
                                   .deterministic_clock = deterministic_clock};
        return flashwave::tune(small_key(), context, deadline_after(std::chrono::minutes(5)));
    }

    std::map<Digest, Measurement> measurements() {
        const ProblemKey key = small_key();
        std::map<Digest, Measurement> all;
        for (const cache::StoredMeasurement& one : store.find_measurements({key, device}, tools)) all.emplace(one.kernel, one.measurement);
        return all;
    }
    int count(Outcome outcome) {
        int found = 0;
        for (const auto& [kernel, measurement] : measurements()) found += measurement.outcome == outcome;
        return found;
    }
    CompileUnit unit_of_default() const {
        return make_compile_unit(small_key(), default_candidate(small_key(), gfx1100()), gfx1100(), tools.fp);
    }
};

}  // namespace

TEST_CASE("a kernel that never ends is stopped at the deadline of its attempt, and the next attempt has a new process") {
    if (nothing_to_compile_with()) return;
    Tuned tuned;
    const CompileUnit unit = tuned.unit_of_default();
    const Result<CompiledObject> object = tuned.pool.compile(unit.job);
    REQUIRE_MESSAGE(object.ok(), object.status().message());
    const TryRequest request{.key = small_key(), .candidate = default_candidate(small_key(), gfx1100()), .entry = unit.kernel.entry, .code = object->code};
    TunerProcess tuner("emulated:gfx1100");
    {
        const FaultsOfChildren faults("hang:" + unit.kernel.entry + ":2:block");
        const Result<Measurement> result = tuner.attempt(request, deadline_after(std::chrono::seconds(8)), {});
        REQUIRE_MESSAGE(result.ok(), result.status().message());
        CHECK(result->outcome == Outcome::timeout);
    }
    const Result<Measurement> again = tuner.attempt(request, deadline_after(std::chrono::minutes(1)), {});
    REQUIRE_MESSAGE(again.ok(), again.status().message());
    CHECK_MESSAGE(again->outcome == Outcome::ok, again->detail);
    CHECK(tuner.starts() == 2);
}

TEST_CASE("a kernel that is stopped by the device is a crash, and others win") {
    if (nothing_to_compile_with()) return;
    Tuned tuned;
    const CompileUnit unit = tuned.unit_of_default();
    const FaultsOfChildren faults("hang:" + unit.kernel.entry);
    const Result<TuneResult> result = tuned.tune();
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    const Measurement stopped = tuned.measurements().at(unit.kernel.fp);
    CHECK(stopped.outcome == Outcome::crash);
    CHECK_MESSAGE(contains(stopped.detail, "hipErrorLaunchTimeOut"), stopped.detail);
    CHECK(result->winner.kernel.entry != unit.kernel.entry);
}

TEST_CASE("a flipped bit condemns the candidate: it is recorded, never tried again, and another wins") {
    if (nothing_to_compile_with()) return;
    Tuned tuned;
    const CompileUnit unit = tuned.unit_of_default();
    std::string where;
    Outcome expected{};
    // The highest bit of the exponent of the first output, every time; or one bit of one run out of two.
    SUBCASE("in every result") where = ":*:buffer=0,byte=1,bit=6", expected = Outcome::wrong;
    SUBCASE("in one result") where = ":3:seed=5", expected = Outcome::nondeterministic;
    {
        const FaultsOfChildren faults("flip:" + unit.kernel.entry + where);
        const Result<TuneResult> result = tuned.tune();
        REQUIRE_MESSAGE(result.ok(), result.status().message());
        CHECK(result->winner.kernel.entry != unit.kernel.entry);
    }
    const Measurement condemned = tuned.measurements().at(unit.kernel.fp);
    CHECK_MESSAGE(condemned.outcome == expected, condemned.detail);
    CHECK_FALSE(condemned.detail.empty());
    CHECK(tuned.count(expected) == 1);
    const Result<TuneResult> again = tuned.tune();
    REQUIRE(again.ok());
    CHECK(again->candidates == 0);
    CHECK(again->winner.kernel.entry != unit.kernel.entry);
}

TEST_CASE("a device without memory for the inputs condemns no candidate") {
    if (nothing_to_compile_with()) return;
    Tuned tuned;
    {
        const FaultsOfChildren faults("oom:16KiB");
        const Result<TuneResult> result = tuned.tune();
        REQUIRE_FALSE(result.ok());
        CHECK_MESSAGE(result.status().code() == Code::out_of_memory, result.status().to_string());
    }
    CHECK(tuned.count(Outcome::refused) == static_cast<int>(tuned.measurements().size()));
    const Result<TuneResult> later = tuned.tune();
    REQUIRE_MESSAGE(later.ok(), later.status().message());
    CHECK(tuned.count(Outcome::ok) >= 8);
}

TEST_CASE("a candidate that does not fit the device's memory is recorded as that") {
    if (nothing_to_compile_with()) return;
    Tuned tuned;
    const FaultsOfChildren faults("fail:hipModuleLoadData:2:hipErrorOutOfMemory");
    const Result<TuneResult> result = tuned.tune();
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    CHECK(tuned.count(Outcome::out_of_memory) == 1);
    CHECK(tuned.count(Outcome::ok) >= 7);
}

TEST_CASE("a tuner that is killed again and again costs the candidates that it was at, and leaves the cache sound") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    // In each tuner's process once three candidates have been launched or so; in the application's own, only its one launch is.
    const std::string killed = run(host_forward(folder.path(), "first_use", 16, 64, {"HIPEMU_FAULTS=kill:launch:40"}));
    CHECK_MESSAGE(contains(killed, "source=tuned"), killed);
    CHECK_MESSAGE(contains(killed, "passed=1"), killed);
    const auto rows = [&](const std::string& query) {
        const auto result = cache::query(folder.path(), query);
        return result.ok() ? result->rows[0][0].text : result.status().message();
    };
    CHECK(rows("SELECT count(*) > 0 FROM v_candidates WHERE status = 'crash'") == "1");
    CHECK(rows("SELECT count(*) > 0 FROM v_candidates WHERE status = 'ok'") == "1");
    CHECK(rows("SELECT count(*) FROM selection") == "1");
    CHECK(rows("SELECT count(*) FROM attempt") == "0");
    CHECK(integrity(folder.path()) == "ok");
    const std::string warm = run(host_forward(folder.path(), "first_use", 16, 64));
    CHECK_MESSAGE(contains(warm, "source=disk compiles=0 candidates=0"), warm);
    CHECK_MESSAGE(contains(warm, "passed=1"), warm);
}

TEST_CASE("an application that is killed while it tunes leaves a cache in which the next one goes on") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    // Its tuner blocks for good in the second candidate or so; it is killed meanwhile.
    const auto outcome = run_process(host_forward(folder.path(), "first_use", 16, 64, {"HIPEMU_FAULTS=hang:*:12:block"}), {},
                                     deadline_after(std::chrono::seconds(10)));
    REQUIRE_FALSE(outcome.ok());
    CHECK(outcome.status().code() == Code::deadline);
    CHECK(integrity(folder.path()) == "ok");
    const std::string next = run(host_forward(folder.path(), "first_use", 16, 64));
    CHECK_MESSAGE(contains(next, "source=tuned"), next);
    CHECK_MESSAGE(contains(next, "passed=1"), next);
    const auto left = cache::query(folder.path(), "SELECT count(*) FROM v_candidates WHERE status = 'ok'");
    REQUIRE(left.ok());
    CHECK(left->rows[0][0].text != "0");
}

TEST_CASE("under a clock with noise and drift a sane candidate wins") {
    if (nothing_to_compile_with()) return;
    Tuned exact, noisy;
    const Result<TuneResult> reference = exact.tune();
    REQUIRE_MESSAGE(reference.ok(), reference.status().message());
    const FaultsOfChildren faults("noise:8%:seed=11;drift:1%");
    const Result<TuneResult> result = noisy.tune(false);
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    const std::map<Digest, Measurement> truth = exact.measurements();
    double best = 0;
    for (const auto& [kernel, measurement] : truth)
        if (measurement.outcome == Outcome::ok && (best == 0 || measurement.us_median < best)) best = measurement.us_median;
    const Measurement& winner = truth.at(result->winner.kernel.fp);
    REQUIRE(winner.outcome == Outcome::ok);
    CHECK(winner.us_median <= best * 1.04);
    // And the spread of what it measured is the clock's.
    const Measurement measured = noisy.measurements().at(result->winner.kernel.fp);
    CHECK(measured.us_p80 > measured.us_p20 * 1.02);
}

TEST_CASE("a call that fails once is an error that names it, and the same call works afterwards") {
    if (nothing_to_compile_with()) return;
    const TemporaryDirectory folder;
    Result<Runtime> runtime = Runtime::create({.device = "emulated:gfx1100", .cache_dir = folder.path(), .tune = TuneMode::off});
    REQUIRE_MESSAGE(runtime.ok(), runtime.status().message());
    const hip::Api& api = runtime->impl().device().api();
    {
        const Faults faults(api, "fail:hipModuleLoadData:1:hipErrorOutOfMemory");
        const Status failed = runtime->warm(example_args());
        CHECK_MESSAGE(failed.code() == Code::out_of_memory, failed.to_string());
        CHECK_MESSAGE(contains(failed.message(), "hipModuleLoadData: made to fail on purpose"), failed.message());
    }
    ForwardInfo info;
    const Status warmed = runtime->warm(example_args(), &info);
    CHECK_MESSAGE(warmed.ok(), warmed.to_string());

    const Faults faults(api, "fail:hipModuleLaunchKernel:1:hipErrorLaunchFailure;fail:hipMalloc:1:hipErrorOutOfMemory");
    const Status launch = runtime->forward(example_args());
    CHECK(launch.code() == Code::device_error);
    CHECK_MESSAGE(contains(launch.message(), "hipModuleLaunchKernel"), launch.message());
    CHECK(runtime->allocate(64).status().code() == Code::out_of_memory);
    CHECK(runtime->allocate(64).ok());
}
