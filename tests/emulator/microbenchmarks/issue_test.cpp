// How fast instructions issue, how long a dependent one waits, what branches and barriers cost.
#include <cstdint>
#include <vector>

#include "emulator/microbenchmarks/benchmark.hpp"

using namespace hip_test;

namespace {

constexpr int kCopies = 32;  // of the lines of a kernel, a round

struct Line {
    const char* kernel;
    int lines;  // a round
    double cycles;
};

void check_lines(const Benchmark& benchmark, const std::vector<Line>& lines, const LaunchShape& shape = {}) {
    for (const Line& line : lines)
        check_near(benchmark.cycles_each(line.kernel, line.lines, shape), line.cycles,
                   std::string(benchmark.chip().name) + " " + line.kernel);
}

}  // namespace

TEST_CASE("vector instructions issue at the rates of the table") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("vector.hip", card);
        const hipemu::Chip& chip = benchmark.chip();
        constexpr int kSix = kCopies * 6;
        check_lines(benchmark, {{"add_f32", kSix, chip.valu_cycles},
                                {"fma_f32", kSix, chip.valu_cycles},
                                {"perm_b32", kSix, chip.valu_cycles},
                                {"pk_fma_f16", kSix, chip.valu_cycles},
                                {"dual_f32", kSix, chip.vopd_cycles},
                                {"exp_f32", kSix, chip.trans_cycles},
                                {"rcp_f32", kSix, chip.trans_cycles},
                                {"mul_lo_u32", kSix, chip.mul32_cycles},
                                {"lshlrev_b64", kSix, chip.shift64_cycles},
                                {"mad_u64_u32", kSix, chip.mad64_cycles},
                                {"fma_f64", kSix, chip.f64_cycles}});
        // Two waves a SIMD share it.
        check_near(benchmark.cycles_each("add_f32", kSix, {.waves = 8}), 2 * chip.valu_cycles, "two waves a SIMD");
    }
}

TEST_CASE("a dependent vector instruction waits for the latency of the table") {
    const Benchmark benchmark("vector.hip", kLarge);
    const hipemu::Chip& chip = benchmark.chip();
    check_lines(benchmark, {{"add_f32_chain", kCopies, chip.valu_latency},
                            {"dual_f32_chain", kCopies, chip.valu_latency},
                            {"exp_f32_chain", kCopies, chip.trans_latency},
                            {"exp_add_chain", kCopies, chip.trans_latency + chip.valu_latency},
                            {"mul_lo_u32_chain", kCopies, chip.valu_latency - 1 + chip.mul32_cycles},
                            {"fma_f64_chain", kCopies, chip.valu_latency - 1 + chip.f64_cycles}});
    // Waves hide it from each other: five on each SIMD issue one instruction a cycle.
    check_near(benchmark.cycles_each("add_f32_chain", kCopies, {.waves = 8}), chip.valu_latency,
               "two waves a SIMD, dependent");
    check_near(benchmark.cycles_each("add_f32_chain", kCopies, {.waves = 20}), 5 * chip.valu_cycles,
               "five waves a SIMD, dependent");
}

TEST_CASE("three vector instructions run beside a transcendental one") {
    const Benchmark benchmark("vector.hip", kLarge);
    check_lines(benchmark,
                {{"exp_beside_three", kCopies, benchmark.chip().trans_cycles}, {"exp_beside_seven", kCopies, 8}});
}

TEST_CASE("scalar instructions, branches, hints and barriers take the cycles of the table") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("control.hip", card);
        const hipemu::Chip& chip = benchmark.chip();
        // Behind a branch stands one s_nop; a taken one leads over it.
        check_lines(benchmark,
                    {{"salu", kCopies * 4, 1},
                     {"salu_chain", kCopies, chip.salu_latency},
                     {"nop_4", kCopies, 5},
                     {"delay_alu", kCopies, 2},
                     {"branch_taken", kCopies, chip.branch_taken_cycles},
                     {"branch_not_taken", kCopies, chip.salu_to_branch_latency + chip.branch_not_taken_cycles + 1},
                     {"branch_on_compare", kCopies, chip.salu_to_branch_latency + chip.branch_taken_cycles},
                     {"branch_on_exec", kCopies, chip.valu_to_salu_latency + chip.branch_not_taken_cycles + 1},
                     {"read_first_lane", kCopies, chip.valu_to_salu_latency + chip.salu_latency + chip.valu_latency}});
        check_lines(benchmark, {{"barrier", kCopies, chip.barrier_cycles}}, {.waves = 4});
    }
}

TEST_CASE("a scalar load takes the latency of the scalar cache") {
    const Benchmark benchmark("control.hip", kLarge);
    const Array<std::uint64_t> self(1);
    void* const at = self.get();
    HIP_OK(hipMemcpy(self.get(), &at, sizeof at, hipMemcpyHostToDevice));
    check_near(benchmark.cycles_of_round("scalar_chase", {}, at) / 32, benchmark.chip().scalar_latency, "scalar_chase");
}

TEST_CASE("a loop that the instruction cache does not hold is fetched anew in every round") {
    const Benchmark benchmark("control.hip", kLarge);
    const hipemu::Chip& chip = benchmark.chip();
    check_near(benchmark.cycles_of_round("code_16k", {}) / 2048, chip.valu_cycles, "16 KiB of code");
    // A line and those fetched ahead of it come together; the next ones are asked for when the first of them, 16
    // instructions, has run.
    const double lines = 48.0 * 1024 / chip.instruction_line_bytes,
                 line_cycles = chip.instruction_line_bytes / 8 * chip.valu_cycles;
    const double expected =
        lines / (1 + chip.instruction_prefetch_lines) * (chip.l2_latency_ns * chip.clock_ghz + line_cycles);
    check_near(benchmark.cycles_of_round("code_48k", {}), expected, "48 KiB of code");
}
