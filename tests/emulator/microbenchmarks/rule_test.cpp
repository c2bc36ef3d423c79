// What many instructions together cost: the published rule for kernels with waves enough to hide latency, and how many
// waves there are.
#include <algorithm>
#include <cstdio>

#include "emulator/microbenchmarks/benchmark.hpp"

using namespace hip_test;

TEST_CASE(
    "compute-bound mixes take 34 cycles a matrix instruction, 1 a vector, 4 a transcendental and 3 an LDS load of 128 "
    "bits") {
    struct Mix {
        int matrix, vector, trans, loads;
    };
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("rule.hip", card);
        for (const Mix& mix : {Mix{16, 8, 0, 16}, Mix{64, 160, 32, 128}, Mix{32, 165, 32, 64}, Mix{8, 64, 0, 4},
                               Mix{8, 8, 16, 4}, Mix{4, 100, 25, 0}}) {
            char kernel[64];
            std::snprintf(kernel, sizeof kernel, "mix_%d_%d_%d_%d", mix.matrix, mix.vector, mix.trans, mix.loads);
            const double rule = 34 * mix.matrix + mix.vector + 4 * mix.trans + 3 * mix.loads;
            // Four waves a SIMD.
            check_near(benchmark.cycles_of_round(kernel, {.waves = 16, .lds = 4096}) / 4, rule,
                       std::string(card.name) + " " + kernel);
        }
    }
}

TEST_CASE("registers and LDS decide how many waves a SIMD holds, and those how much latency is hidden") {
    struct Step {
        const char* kernel;
        unsigned waves;
    };
    const auto check = [](const BenchmarkCard& card, std::initializer_list<Step> steps) {
        const Benchmark benchmark("occupancy.hip", card);
        for (const Step& step : steps) {
            CAPTURE(step.kernel);
            // As many work-groups of four waves as one WGP holds, on every WGP.
            const LaunchShape shape{.groups = benchmark.chip().compute_units / 2 * step.waves,
                                    .waves = 4,
                                    .lds = 512,
                                    .sample = step.waves};
            CHECK_EQ(benchmark.run(step.kernel, shape, 1).waves_per_simd, step.waves);
            // A load takes its latency and the wait; the port serves one a cycle for four SIMDs.
            const double latency = benchmark.chip().lds_latency + 2, port = 4.0 * step.waves;
            check_near(benchmark.cycles_of_round(step.kernel, shape) / 16, std::max(latency, port),
                       std::string(card.name) + " " + step.kernel);
        }
    };
    check(kLarge, {{"vgprs_96", 16},
                   {"vgprs_120", 12},
                   {"vgprs_144", 10},
                   {"vgprs_168", 9},
                   {"vgprs_192", 8},
                   {"vgprs_216", 7},
                   {"vgprs_240", 6},
                   {"vgprs_256", 5}});
    check({"rx7600", "gfx1102"}, {{"vgprs_64", 16}, {"vgprs_96", 10}, {"vgprs_128", 8}, {"vgprs_256", 4}});

    const Benchmark benchmark("occupancy.hip", kLarge);
    const auto waves_with_lds = [&](unsigned bytes) {
        return benchmark.run("vgprs_64", {.groups = 512, .waves = 4, .lds = bytes, .sample = 4}, 1).waves_per_simd;
    };
    CHECK_EQ(waves_with_lds(65536), 2);
    CHECK_EQ(waves_with_lds(65536 - 512), 2);
    CHECK_EQ(waves_with_lds(32768), 4);
    CHECK_EQ(waves_with_lds(16384 + 512), 7);
    CHECK_EQ(waves_with_lds(8192), 16);
}
