#include "autotune/tuner.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "autotune/candidates.hpp"
#include "autotune/tuner_process.hpp"
#include "autotune/validate.hpp"
#include "host/programs.hpp"
#include "temporary_directory.hpp"
#include "problem/kernel_spec.hpp"

using namespace flashwave;
using namespace flashwave::testing;
using cache::Measurement;
using cache::Outcome;

namespace {

const Arch& gfx1100() { return *find_arch("gfx1100"); }

ProblemKey example_key(int head_dim = 128, int seq_q = 2048, int seq_k = 2048) {
    return {.target = "gfx1100", .head_dim = head_dim, .seq_q = seq_q, .seq_k = seq_k, .parallel = 32};
}

Measurement right(double us) { return {.outcome = Outcome::ok, .us_median = us, .us_p20 = us, .us_p80 = us}; }

TryRequest any_request() {
    return {.key = example_key(), .candidate = {}, .entry = "kernel", .code = "no code object"};
}

Deadline soon() { return deadline_after(std::chrono::seconds(20)); }

}  // namespace

TEST_CASE(
    "every key has at least eight candidates that differ in block sizes, waves and staging, and the default is the "
    "first") {
    for (const int head_dim : kHeadDims)
        for (const int seq_q : {0, 1, 16, 32, 128, 1024, 65536})
            for (const int seq_k : {0, 1, 16, 64, 1024, 65536})
                for (const int parallel : {1, 8, 1024}) {
                    ProblemKey key = example_key(head_dim, seq_q, seq_k);
                    key.parallel = parallel;
                    CAPTURE(to_json(key));
                    const auto candidates = candidates_to_try(key, gfx1100());
                    CHECK(candidates.size() >= 8);
                    CHECK(candidates.front() == default_candidate(key, gfx1100()));
                    std::set<std::string> names;
                    std::set<int> waves_or_blocks, staging;
                    for (const Candidate& one : candidates) {
                        CHECK(why_not(one, key, gfx1100()).empty());
                        names.insert(make_kernel_spec(key, one, gfx1100()).entry);
                        waves_or_blocks.insert(one.waves * 1000 + one.block_n);
                        staging.insert(one.q_in_lds * 2 + one.prefetch);
                    }
                    CHECK(names.size() == candidates.size());
                    CHECK(waves_or_blocks.size() > 1);
                    CHECK(staging.size() > 1);
                }
}

TEST_CASE("the two structures that counted best are among the candidates of head_dim 128") {
    const auto candidates = candidates_to_try(example_key(), gfx1100());
    const auto has = [&](int waves, int q_tiles, int block_n, bool q_in_lds) {
        return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
            return c.waves == waves && c.q_tiles == q_tiles && c.block_n == block_n && c.q_in_lds == q_in_lds;
        });
    };
    CHECK(has(8, 1, 64, false));
    CHECK(has(4, 2, 32, true));
}

TEST_CASE("refusals are sentences with the number and its limit") {
    const auto refusal = [](Candidate candidate, ProblemKey key) { return why_not(candidate, key, gfx1100()); };
    CHECK(refusal({.waves = 8, .block_n = 128}, example_key()) == "LDS 68.2 KiB > 64 KiB");
    CHECK(refusal({.waves = 4, .q_tiles = 2, .block_n = 64, .prefetch = false}, example_key()).find("VGPRs > 256") !=
          std::string::npos);
    CHECK(refusal({.waves = 8}, example_key(128, 16)) == "128 query rows a block for 16 queries");
    CHECK(refusal({.waves = 8, .block_n = 128}, example_key(64, 2048, 64)) == "128 keys a step for 64 keys");
    CHECK(refusal({.waves = 8}, example_key()).empty());
}

TEST_CASE("whatever is not tried has a sentence that says why") {
    const auto refused = refusals(example_key(), gfx1100());
    const auto tried = candidates_to_try(example_key(), gfx1100());
    CHECK(refused.size() + tried.size() == all_candidates(example_key(), gfx1100()).size());
    for (const Refusal& one : refused) CHECK_FALSE(one.why.empty());
}

TEST_CASE("LDS is counted as the kernels lay it out") {
    CHECK(lds_bytes({.waves = 8, .q_tiles = 1, .block_n = 64}, 128) == 36096);
    CHECK(lds_bytes({.waves = 4, .q_tiles = 2, .block_n = 32, .q_in_lds = true}, 128) == 54016);
    CHECK(lds_bytes({.waves = 4, .q_tiles = 1, .block_n = 64}, 64) == 18560);
}

TEST_CASE("the winner must beat the default by more than the noise") {
    CHECK(choose_winner({right(100), right(99.9)}, true) == 0);
    CHECK(choose_winner({right(100), right(99)}, true) == 1);
    CHECK(choose_winner({right(100), right(98)}, false) == 0);
    CHECK(choose_winner({right(100), right(90), right(80)}, false) == 2);
    Measurement noisy = right(100);
    noisy.us_p20 = 80;
    noisy.us_p80 = 120;
    CHECK(choose_winner({noisy, right(85)}, false) == 0);
}

TEST_CASE("only right candidates win, and with none there is no winner") {
    const Measurement wrong{.outcome = Outcome::wrong, .us_median = 1};
    CHECK(choose_winner({right(100), wrong}, true) == 0);
    CHECK(choose_winner({wrong, right(200), right(100)}, true) == 2);
    CHECK(choose_winner({wrong, wrong}, true) == 2);
    CHECK(choose_winner({}, true) == 0);
}

TEST_CASE("a candidate that brings its process down is a result, and the next one runs in a new process") {
    TunerProcess tuner("crash", program("host_misbehaving_tuner"));
    for (int i = 1; i <= 2; ++i) {
        const auto result = tuner.attempt(any_request(), soon(), {});
        REQUIRE_MESSAGE(result.ok(), result.status().message());
        CHECK(result->outcome == Outcome::crash);
        CHECK_MESSAGE(contains(result->detail, "signal 11"), result->detail);
        CHECK(tuner.starts() == i);
    }
}

TEST_CASE("a candidate that hangs is stopped at its deadline") {
    TunerProcess tuner("hang", program("host_misbehaving_tuner"));
    const auto begun = std::chrono::steady_clock::now();
    const auto result = tuner.attempt(any_request(), deadline_after(std::chrono::seconds(3)), {});
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    CHECK(result->outcome == Outcome::timeout);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(15));
}

TEST_CASE("garbage from the tuner is a crash; its own refusal to start is a failure to be told") {
    TunerProcess garbage("garbage", program("host_misbehaving_tuner"));
    const auto result = garbage.attempt(any_request(), soon(), {});
    REQUIRE(result.ok());
    CHECK(result->outcome == Outcome::crash);
    TunerProcess refusing("refuse", program("host_misbehaving_tuner"));
    CHECK(refusing.attempt(any_request(), soon(), {}).status().code() == Code::unavailable);
    TunerProcess missing("crash", "/nowhere/flashwave-tuner");
    CHECK_FALSE(missing.attempt(any_request(), soon(), {}).ok());
}

TEST_CASE("states are passed on and the result survives the protocol") {
    TunerProcess tuner("well", program("host_misbehaving_tuner"));
    std::string states;
    const auto result = tuner.attempt(any_request(), soon(), [&](std::string_view state) { states += state; });
    REQUIRE(result.ok());
    CHECK(result->us_median == 7);
    CHECK(states == "validating");
}

TEST_CASE("a request for a candidate survives the protocol") {
    TryRequest request = any_request();
    request.code = std::string("\0binary\xff", 8);
    const auto again = decode_try(encode(request));
    REQUIRE_MESSAGE(again.ok(), again.status().message());
    CHECK(again->key == request.key);
    CHECK(again->candidate == request.candidate);
    CHECK(again->code == request.code);
    CHECK_FALSE(decode_try({"try", "{}"}).ok());
}

TEST_CASE("what is no code object is refused by HIP, not crashed on") {
    TunerProcess tuner("emulated:gfx1100");
    const auto result = tuner.attempt(any_request(), deadline_after(std::chrono::minutes(2)), {});
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    CHECK(result->outcome == Outcome::load_error);
}

TEST_CASE("under a clock with noise the best candidates and the default are timed again, in turns") {
    if (!has_compiler()) {
        MESSAGE("no compiler: nothing to tune");
        return;
    }
    const TemporaryDirectory folder;
    cache::Store store(folder.path(), 1u << 30);
    WorkerPool pool;
    const Result<Toolchain> toolchain = identify_toolchain(pool, folder.path());
    REQUIRE_MESSAGE(toolchain.ok(), toolchain.status().message());
    const cache::ToolchainRecord tools{toolchain->fingerprint, sha256("sources"), "a compiler", "libraries"};
    const cache::DeviceRecord device{sha256("device"), "card", "A Card", "gfx1100", false};
    std::map<std::string, int> timed;
    const TunerContext context{
        .device_name = "emulated:gfx1100",
        .device = device,
        .arch = gfx1100(),
        .toolchain = tools,
        .store = store,
        .pool = pool,
        .on_progress = [&](const TuneProgress& step) { timed[std::string(step.geometry)] += step.state == "done"; },
        .deterministic_clock = false};
    ProblemKey key = example_key(64, 16, 16);
    key.parallel = 1;
    const Result<TuneResult> first = tune(key, context, deadline_after(std::chrono::minutes(5)));
    REQUIRE_MESSAGE(first.ok(), first.status().message());
    CHECK(first->compiles >= 8);
    CHECK(first->candidates == first->compiles);
    CHECK(first->winner.selection.complete);
    CHECK(timed[to_text(default_candidate(key, gfx1100()))] == 2);
    int again = 0;
    for (const auto& [geometry, times] : timed) again += times == 2;
    CHECK(again >= 3);
    CHECK(again <= 4);

    std::size_t refused = 0;
    for (const cache::StoredMeasurement& one : store.find_measurements({key, device}, tools))
        refused += one.measurement.outcome == Outcome::refused;
    CHECK(refused == refusals(key, gfx1100()).size());

    // What is known is not tried again: a tuning that is asked for once more has only to decide.
    const Result<TuneResult> second = tune(key, context, deadline_after(std::chrono::minutes(5)));
    REQUIRE_MESSAGE(second.ok(), second.status().message());
    CHECK(second->compiles == 0);
    CHECK(second->candidates == 0);
    CHECK(second->winner.kernel.fp == first->winner.kernel.fp);
    CHECK(second->winner.kernel.code == first->winner.kernel.code);
}

TEST_CASE("a budget that is used up leaves the rest for another time") {
    if (!has_compiler()) return;
    const TemporaryDirectory folder;
    cache::Store store(folder.path(), 1u << 30);
    WorkerPool pool;
    const cache::ToolchainRecord tools{sha256("toolchain"), sha256("sources"), "a compiler", "libraries"};
    const cache::DeviceRecord device{sha256("device"), "card", "A Card", "gfx1100", true};
    const TunerContext context{.device_name = "emulated:gfx1100",
                               .device = device,
                               .arch = gfx1100(),
                               .toolchain = tools,
                               .store = store,
                               .pool = pool,
                               .on_progress = {},
                               .deterministic_clock = true};
    const ProblemKey key = example_key(64, 16, 16);
    const Result<TuneResult> result = tune(key, context, deadline_after(std::chrono::milliseconds(1)));
    CHECK(result.status().code() == Code::deadline);
    for (const cache::StoredMeasurement& one : store.find_measurements({key, device}, tools))
        CHECK((one.measurement.outcome == Outcome::skipped || one.measurement.outcome == Outcome::refused));
}

TEST_CASE("a worker that cannot be started is no candidate's fault") {
    const TemporaryDirectory folder;
    cache::Store store(folder.path(), 1u << 30);
    WorkerPool pool({.launch = WorkerLaunch{.program = "/bin/false", .loader = {}, .library_path = {}, .hiprtc = {}, .comgr = {}, .origin = {}}});
    const cache::ToolchainRecord tools{sha256("toolchain"), sha256("sources"), "a compiler", "libraries"};
    const cache::DeviceRecord device{sha256("device"), "card", "A Card", "gfx1100", true};
    const TunerContext context{.device_name = "emulated:gfx1100",
                               .device = device,
                               .arch = gfx1100(),
                               .toolchain = tools,
                               .store = store,
                               .pool = pool,
                               .on_progress = {},
                               .deterministic_clock = true};
    const ProblemKey key = example_key(64, 16, 16);
    CHECK_FALSE(tune(key, context, deadline_after(std::chrono::minutes(1))).ok());
    for (const cache::StoredMeasurement& one : store.find_measurements({key, device}, tools))
        CHECK(one.measurement.outcome == Outcome::refused);
}

TEST_CASE("a kernel with a planted error is found wrong, the same kernel without it is right") {
    if (!has_compiler()) {
        MESSAGE("no compiler: nothing to validate");
        return;
    }
    const Result<hip::Device> device = hip::Device::open("emulated:gfx1100");
    REQUIRE_MESSAGE(device.ok(), device.status().message());
    ProblemKey key = example_key(64, 128, 128);
    key.mask = MaskKind::bottom_right;
    const Candidate candidate{.kernel = Kernel::naive};
    WorkerPool pool;
    const auto verdict_of = [&](const ProblemKey& compiled_for, std::string_view find, std::string_view replace) {
        CompileUnit unit = make_compile_unit(compiled_for, candidate, gfx1100(), {});
        for (SourceFile& file : unit.job.files)
            if (const std::size_t at = file.text.find(find); file.name == "naive.hip" && !find.empty()) {
                REQUIRE(at != std::string::npos);
                file.text.replace(at, find.size(), replace);
            }
        const Result<CompiledObject> object = pool.compile(unit.job);
        REQUIRE_MESSAGE(object.ok(), object.status().message());
        const Result<hip::Module> module = hip::Module::load(*device, std::as_bytes(std::span(object->code)));
        REQUIRE_MESSAGE(module.ok(), module.status().message());
        Result<Validator> validator = Validator::create(*device, key);
        REQUIRE_MESSAGE(validator.ok(), validator.status().message());
        return validator->check(*module->kernel(unit.kernel.entry), candidate);
    };
    const auto good = verdict_of(key, "", "");
    CHECK_MESSAGE(good.outcome == Outcome::ok, good.detail);
    CHECK(good.max_error > 0);
    CHECK(good.max_error <= good.error_bound);
    ProblemKey unmasked = key;
    unmasked.mask = MaskKind::none;
    const auto ignores_mask = verdict_of(unmasked, "", "");
    CHECK(ignores_mask.outcome == Outcome::wrong);
    CHECK_MESSAGE(contains(ignores_mask.detail, "and must be"), ignores_mask.detail);
    const auto one_key_short =
        verdict_of(key, "min(args.seq_k, row + args.causal_shift + 1)", "min(args.seq_k, row + args.causal_shift)");
    CHECK(one_key_short.outcome == Outcome::wrong);
}
