// Instructions too close behind each other: each rule of gfx11 broken and kept, on straight lines and around loops.
#include <doctest/doctest.h>

#include <string>

#include "emulator/checks/hazards.hpp"
#include "emulator/instruction_harness.hpp"
#include "emulator/timing/chips.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

std::string finding(const std::string& lines) {
    WaveRun run(lines);
    for (unsigned r = 0; r < 64; ++r) run.set_v(r, 0);
    for (unsigned r = 0; r < 16; ++r) run.set_s(r, 0);
    run.set_vcc(0).set_scc(false).set_lds(64).watched().go();
    if (run.fault() == nullptr) return "";
    CHECK(run.fault()->kind == FaultKind::hazard);
    return run.fault()->message;
}

bool is_fine(const std::string& lines) {
    const std::string said = finding(lines);
    INFO(lines);
    CHECK(said == "");
    return said.empty();
}

std::string repeated(const char* line, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::string(line) + "\n";
    return text;
}

constexpr const char* kWmma = "v_wmma_f32_16x16x16_f16 v[0:7], v[16:23], v[24:31], v[0:7]\n";

}  // namespace

TEST_CASE("a matrix operation does not read A or B from the one right before it") {
    CHECK(finding(std::string(kWmma) + "v_wmma_f32_16x16x16_f16 v[32:39], v[0:7], v[24:31], v[32:39]").find("reads A or B") == 0);
    CHECK(finding(std::string(kWmma) + "v_wmma_f32_16x16x16_f16 v[32:39], v[16:23], v[7:14], v[32:39]").find("reads A or B") == 0);
    // What is not a vector instruction does not help.
    CHECK(finding(std::string(kWmma) + "s_nop 7\ns_mov_b32 s4, s5\nv_wmma_f32_16x16x16_f16 v[32:39], v[0:7], v[24:31], v[32:39]") != "");
    is_fine(std::string(kWmma) + "v_nop\nv_wmma_f32_16x16x16_f16 v[32:39], v[0:7], v[24:31], v[32:39]");
    is_fine(std::string(kWmma) + kWmma);  // C may be the result before
    is_fine(std::string(kWmma) + "v_wmma_f32_16x16x16_f16 v[32:39], v[16:23], v[24:31], v[32:39]");
}

TEST_CASE("a transcendental result is not read before it is there") {
    const std::string use = "v_add_f32 v2, v1, v3";
    CHECK(finding("v_exp_f32 v1, v0\n" + use).find("reads the result of `v_exp_f32 v1, v0`") == 0);
    CHECK(finding("v_rcp_f32 v1, v0\n" + repeated("v_mov_b32 v4, v5", 5) + use) != "");
    CHECK(finding("v_rcp_f32 v1, v0\nv_exp_f32 v6, v7\n" + use) != "");
    CHECK(finding("v_exp_f32 v1, v0\ns_waitcnt_depctr 0xffff\n" + use) != "");
    CHECK(finding("v_exp_f32 v1, v0\nv_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v7, v1") != "");
    CHECK(finding("v_rcp_f32 v1, v0\nv_fmac_f32 v1, v2, v3") != "");
    is_fine("v_exp_f32 v1, v0\ns_waitcnt_depctr 0xfff\n" + use);
    is_fine("v_rcp_f32 v1, v0\n" + repeated("v_mov_b32 v4, v5", 6) + use);
    is_fine("v_rcp_f32 v1, v0\nv_exp_f32 v6, v7\nv_exp_f32 v8, v7\n" + use);
    is_fine("v_exp_f32 v1, v0\nds_store_b32 v4, v5\n" + use);  // waits by itself
    is_fine("v_exp_f32 v1, v0\nbuffer_gl0_inv\n" + use);        // likewise, as behind a barrier
    is_fine("v_exp_f32 v1, v0\nv_add_f32 v2, v3, v3");
}

TEST_CASE("lanes are not exchanged right after a comparison set EXEC") {
    const std::string exchange = "v_permlanex16_b32 v1, v2, s0, s1";
    CHECK(finding("v_cmpx_eq_u32 v4, v5\n" + exchange).find("follows `v_cmpx_eq_u32 v4, v5`, which sets EXEC") == 0);
    CHECK(finding("v_cmpx_eq_u32 v4, v5\nv_nop\ns_mov_b32 s4, s5\n" + exchange) != "");
    is_fine("v_cmpx_eq_u32 v4, v5\nv_mov_b32 v2, v2\n" + exchange);
    is_fine("v_cmp_eq_u32 vcc_lo, v4, v5\n" + exchange);
}

TEST_CASE("a wide multiply-add does not write what it reads") {
    CHECK(finding("v_mad_u64_u32 v[0:1], null, v2, v3, v[0:1]").find("writes a register that it reads") == 0);
    CHECK(finding("v_mad_u64_u32 v[0:1], null, v2, v0, v[4:5]").find("writes a register that it reads") == 0);
    is_fine("v_mad_u64_u32 v[0:1], null, v2, v3, v[4:5]");
    is_fine("v_mad_u64_u32 v[1:2], null, s2, s3, v[0:1]");  // as compilers add a work-item's number: v1 is the addend's upper half
}

TEST_CASE("hazards are found around a loop, and only on the path that is taken") {
    // The end of the loop's body runs into its start.
    const std::string loop = "loop:\nv_add_f32 v2, v1, v3\n" + repeated("v_mov_b32 v4, v5", 6) +
                             "v_exp_f32 v1, v0\ns_add_i32 s4, s4, 1\ns_cmp_lt_i32 s4, 2\ns_cbranch_scc1 loop";
    CHECK(finding(loop) != "");
    // Once through: the use comes first.
    const std::string once = "loop:\nv_add_f32 v2, v1, v3\n" + repeated("v_mov_b32 v4, v5", 6) +
                             "v_exp_f32 v1, v0\ns_add_i32 s4, s4, 1\ns_cmp_lt_i32 s4, 1\ns_cbranch_scc1 loop";
    is_fine(once);
    // Two ways to the use, the dangerous one not taken.
    is_fine("s_cbranch_scc0 other\nv_exp_f32 v1, v0\nother:\nv_add_f32 v2, v1, v3");
    CHECK(finding("s_cbranch_scc1 other\nv_exp_f32 v1, v0\nother:\nv_add_f32 v2, v1, v3") != "");
    // Stretches without vector instructions do not count.
    CHECK(finding("v_exp_f32 v1, v0\ns_branch next\nnext:\ns_branch there\nthere:\nv_add_f32 v2, v1, v3") != "");
}

TEST_CASE("cards have the hazards of their chips") {
    for (const char* card : {"gfx1100", "gfx1101", "gfx1102", "gfx1103"}) {
        CHECK(has_hazard(*find_chip(card), Hazard::transcendental_use));
        CHECK(has_hazard(*find_chip(card), Hazard::wide_multiply_add));
    }
    for (const char* card : {"gfx1150", "gfx1151"}) {
        CHECK_FALSE(has_hazard(*find_chip(card), Hazard::transcendental_use));
        CHECK_FALSE(has_hazard(*find_chip(card), Hazard::wide_multiply_add));
        CHECK(has_hazard(*find_chip(card), Hazard::matrix_operand));
        CHECK(has_hazard(*find_chip(card), Hazard::exchange_lanes));
    }
}

TEST_CASE("hazards are no findings where they are not asked for") {
    WaveRun run("v_exp_f32 v1, v0\nv_add_f32 v2, v1, v1");
    run.set_v(0, 0).watched({.hazards = false}).go();
    CHECK(run.fault() == nullptr);
}
