// Vector, matrix and scalar instructions as the timing model sees them: issue rates, latencies, what runs beside what.
#include <doctest/doctest.h>

#include <string>

#include "emulator/timing_loop.hpp"

using namespace hipemu;
using emulator_test::TimedLoop;

namespace {

std::string repeat(std::string_view line, int times) {
    std::string lines;
    for (int i = 0; i < times; ++i) lines.append(line).append("\n");
    return lines;
}

doctest::Approx within_a_tenth(double value) { return doctest::Approx(value).epsilon(0.1); }

const Chip& card() { return *find_chip("rx7900xtx"); }

constexpr std::string_view kIndependent =
    "v_add_f32 v1, v10, v11\n v_add_f32 v2, v10, v11\n v_add_f32 v3, v10, v11\n v_add_f32 v4, v10, v11\n"
    "v_add_f32 v5, v10, v11\n v_add_f32 v6, v10, v11\n v_add_f32 v7, v10, v11\n v_add_f32 v8, v10, v11\n";

}  // namespace

TEST_CASE("independent vector instructions issue every cycle, dependent ones after the latency") {
    CHECK(TimedLoop(kIndependent).cycles_each() / 8 == within_a_tenth(card().valu_cycles));
    CHECK(TimedLoop("v_add_f32 v1, v1, v2").cycles_each() == within_a_tenth(card().valu_latency));
}

TEST_CASE("waves of one SIMD hide each other's latency, up to its issue rate") {
    const auto each = [](std::uint32_t waves) { return TimedLoop("v_add_f32 v1, v1, v2").waves(waves).cycles_each(); };
    CHECK(each(4) == within_a_tenth(5));   // one on each SIMD
    CHECK(each(8) == within_a_tenth(5));   // two on each
    CHECK(each(20) == within_a_tenth(5));  // five: the SIMD is full
    // Eight: the five oldest take every cycle, the others come after them.
    CHECK(each(32) == within_a_tenth(10));
}

TEST_CASE("slow vector instructions take the issue cycles of the table") {
    CHECK(TimedLoop("v_mul_lo_u32 v1, v2, v3\n v_mul_lo_u32 v4, v2, v3").cycles_each() / 2 == within_a_tenth(card().mul32_cycles));
    CHECK(TimedLoop("v_lshlrev_b64 v[4:5], v1, v[2:3]\n v_lshlrev_b64 v[6:7], v1, v[2:3]").cycles_each() / 2 == within_a_tenth(card().shift64_cycles));
    CHECK(TimedLoop("v_mad_u64_u32 v[4:5], s4, v1, v2, v[8:9]\n v_mad_u64_u32 v[6:7], s4, v1, v2, v[8:9]").cycles_each() / 2 ==
          within_a_tenth(card().mad64_cycles));
    CHECK(TimedLoop("v_add_f64 v[4:5], v[8:9], v[10:11]\n v_add_f64 v[6:7], v[8:9], v[10:11]").cycles_each() / 2 == within_a_tenth(card().f64_cycles));
}

TEST_CASE("the transcendental unit takes four cycles and leaves the rest to other vector instructions") {
    CHECK(TimedLoop("v_exp_f32 v1, v10\n v_exp_f32 v2, v10\n v_exp_f32 v3, v10").cycles_each() / 3 == within_a_tenth(card().trans_cycles));
    CHECK(TimedLoop("v_exp_f32 v1, v1").cycles_each() == within_a_tenth(card().trans_latency));
    CHECK(TimedLoop("v_exp_f32 v1, v10\n v_add_f32 v2, v10, v11\n v_add_f32 v3, v10, v11\n v_add_f32 v4, v10, v11").cycles_each() == within_a_tenth(4));
}

TEST_CASE("a matrix instruction takes 34 cycles, 32 where its operands start in three banks") {
    CHECK(TimedLoop("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]").cycles_each() == within_a_tenth(card().wmma_cycles));
    const double spread = TimedLoop("v_wmma_f32_16x16x16_f16 v[0:7], v[9:16], v[18:25], v[0:7]").cycles_each();
    CHECK(spread == doctest::Approx(card().wmma_spread_cycles).epsilon(0.01));
    CHECK(TimedLoop("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]").cycles_each() == doctest::Approx(card().wmma_cycles).epsilon(0.01));
    CHECK(TimedLoop("v_wmma_i32_16x16x16_iu4 v[0:7], v[8:9], v[12:13], v[0:7]").cycles_each() == doctest::Approx(card().wmma_iu4_cycles).epsilon(0.01));
}

TEST_CASE("a product as operand of the next matrix instruction waits for the vector latency, as a sum it does not") {
    const double chained = TimedLoop("v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]").cycles_each();
    CHECK(chained == doctest::Approx(card().wmma_cycles).epsilon(0.01));
    const double fed = TimedLoop("v_wmma_f16_16x16x16_f16 v[0:7], v[0:7], v[16:23], v[24:31]").cycles_each();
    CHECK(fed == doctest::Approx(card().wmma_cycles + card().valu_latency).epsilon(0.05));
}

TEST_CASE("vector instructions do not run beside matrix instructions, in any wave") {
    const std::string matrix = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]\n";
    std::string body = matrix;
    for (int i = 0; i < 10; ++i) body += "v_add_f32 v" + std::to_string(24 + i % 8) + ", v40, v41\n";
    const double one_wave = TimedLoop(body).cycles_each();
    CHECK(one_wave == within_a_tenth(card().wmma_cycles + 10 + card().matrix_switch_cycles));
    CHECK(TimedLoop(body).waves(16).cycles_each() == within_a_tenth(4 * (card().wmma_cycles + 10 + card().matrix_switch_cycles)));
}

TEST_CASE("a pair of vector instructions costs one cycle, nearly two beside matrix instructions") {
    const std::string pair = "v_dual_add_f32 v2, v8, v9 :: v_dual_mul_f32 v3, v10, v11\n v_dual_add_f32 v4, v8, v9 :: v_dual_mul_f32 v5, v10, v11\n";
    CHECK(TimedLoop(repeat(pair, 4)).cycles_each() / 8 == within_a_tenth(card().vopd_cycles));
    const std::string matrix = "v_wmma_f32_16x16x16_f16 v[24:31], v[40:47], v[48:55], v[24:31]\n";
    const double beside = TimedLoop(matrix + repeat(pair, 5)).vgprs(64).cycles_each();
    CHECK(beside == within_a_tenth(card().wmma_cycles + card().matrix_switch_cycles + 10 * card().vopd_matrix_cycles));
}

TEST_CASE("scalar instructions run beside vector instructions of other waves, dependent ones wait") {
    CHECK(TimedLoop("s_add_u32 s4, s4, s5").cycles_each() == within_a_tenth(card().salu_latency));
    CHECK(TimedLoop("s_add_u32 s4, s5, s6\n s_mov_b32 s7, s5\n s_mov_b32 s8, s5").cycles_each() / 3 == within_a_tenth(1));
    CHECK(TimedLoop("v_readfirstlane_b32 s4, v1\n s_add_u32 s5, s4, s4\n v_mov_b32 v1, s5").cycles_each() >=
          card().valu_to_salu_latency + card().salu_latency);
}

TEST_CASE("a branch waits for its comparison, and what follows for the branch") {
    const double not_taken = TimedLoop("s_cmp_lg_u32 s4, s4\n s_cbranch_scc1 512").cycles_each();
    CHECK(not_taken == within_a_tenth(card().salu_to_branch_latency + card().branch_not_taken_cycles));
    const double taken = TimedLoop("s_branch 0").cycles_each(16);  // to the next instruction: nothing is jumped over
    CHECK(taken == within_a_tenth(card().branch_not_taken_cycles));
    std::string loop = "s_mov_b32 s4, 0x1000\nagain:\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 again";
    const double each = TimedLoop("s_nop 0", loop).time(1).cycles / 4096;
    CHECK(each == within_a_tenth(card().salu_latency + card().salu_to_branch_latency + card().branch_taken_cycles));
}

TEST_CASE("hints take an issue slot of their wave only, s_nop as many as it says") {
    CHECK(TimedLoop("s_delay_alu instid0(VALU_DEP_1)\n v_add_f32 v1, v10, v11").cycles_each() == within_a_tenth(2));
    CHECK(TimedLoop("s_nop 4").cycles_each() == within_a_tenth(5));
    CHECK(TimedLoop("s_clause 0x3\n v_add_f32 v1, v10, v11\n v_add_f32 v2, v10, v11").cycles_each() == within_a_tenth(3));
}

TEST_CASE("the work-groups that fit run together, the others after them") {
    const std::string body = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]";
    // 240 registers: six waves a SIMD, so six work-groups of four waves a WGP, so 288 on the chip.
    const auto time = [&](std::uint32_t groups) { return TimedLoop(body).waves(4).vgprs(240).groups(groups).time(200).cycles; };
    const double one = time(48), six = time(288), seven = time(336), thirty = time(1440);
    CHECK(six == within_a_tenth(6 * one));
    CHECK(seven == within_a_tenth(7 * one));
    CHECK(thirty == within_a_tenth(30 * one));
    CHECK(time(1) == within_a_tenth(one));
}
