// Lanes that read other lanes: DPP, permlane, readlane and their like; and both halves of VOPD.
#include <array>
#include <functional>

#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"
#include "emulator/instruction_harness.hpp"

using emulator_test::CaseTable;
using emulator_test::runnable_builds;
using emulator_test::WaveRun;

// Operations whose lanes differ have tests of their own here instead of a line in a table.
static const bool kCovered = emulator_test::covers({"v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32", "v_permlane16_b32", "v_permlanex16_b32",
                                                    "v_writelane_b32"});

namespace {

/// Lane l holds 100 + l.
std::array<std::uint32_t, 32> numbered() {
    std::array<std::uint32_t, 32> lanes{};
    for (unsigned l = 0; l < 32; ++l) lanes[l] = 100 + l;
    return lanes;
}

/// Runs `line` (v1 numbered, v0 all 7) and checks lane l of v0 against expected(l).
void check_lanes(std::string_view line, const std::function<std::uint32_t(int)>& expected, std::uint32_t exec = ~0u) {
    for (const auto build : runnable_builds()) {
        WaveRun run(line, build);
        run.set_v(0, 7).set_v(1, numbered()).set_s(2, 0x01234567).set_s(3, 0x89abcdef).set_exec(exec).go();
        REQUIRE(kCovered);
        REQUIRE(run.fault() == nullptr);
        for (int l = 0; l < 32; ++l) {
            INFO(line, " lane ", l);
            CHECK(run.v(0, l) == expected(l));
        }
    }
}

}  // namespace

TEST_CASE("DPP moves lanes within rows of 16") {
    check_lanes("v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", [](int l) { return 100u + static_cast<unsigned>(l ^ 3); });
    check_lanes("v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf", [](int l) { return l % 16 == 15 ? 7u : 101u + static_cast<unsigned>(l); });
    check_lanes("v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
                [](int l) { return l % 16 == 15 ? 0u : 101u + static_cast<unsigned>(l); });
    check_lanes("v_mov_b32_dpp v0, v1 row_shr:4 row_mask:0xf bank_mask:0xf", [](int l) { return l % 16 < 4 ? 7u : 96u + static_cast<unsigned>(l); });
    check_lanes("v_mov_b32_dpp v0, v1 row_ror:4 row_mask:0xf bank_mask:0xf",
                [](int l) { return 100u + static_cast<unsigned>((l & 16) + (((l & 15) + 12) & 15)); });
    check_lanes("v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf", [](int l) { return 100u + static_cast<unsigned>(l ^ 15); });
    check_lanes("v_mov_b32_dpp v0, v1 row_half_mirror row_mask:0xf bank_mask:0xf", [](int l) { return 100u + static_cast<unsigned>(l ^ 7); });
    check_lanes("v_mov_b32_dpp v0, v1 row_share:5 row_mask:0xf bank_mask:0xf", [](int l) { return 105u + static_cast<unsigned>(l & 16); });
    check_lanes("v_mov_b32_dpp v0, v1 row_xmask:9 row_mask:0xf bank_mask:0xf", [](int l) { return 100u + static_cast<unsigned>(l ^ 9); });
    check_lanes("v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]", [](int l) { return 100u + static_cast<unsigned>(l ^ 7); });
}

TEST_CASE("DPP masks, and lanes that are off") {
    check_lanes("v_mov_b32_dpp v0, v1 row_mirror row_mask:0x1 bank_mask:0xf", [](int l) { return l < 16 ? 100u + static_cast<unsigned>(l ^ 15) : 7u; });
    check_lanes("v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0x2",
                [](int l) { return l / 4 % 4 == 1 ? 100u + static_cast<unsigned>(l ^ 15) : 7u; });
    // Lane 0 is off: lane 1 cannot read it and keeps its value, is given 0, or reads it all the same.
    check_lanes("v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf", [](int l) { return l < 2 || l == 16 ? 7u : 99u + static_cast<unsigned>(l); },
                0xfffffffeu);
    check_lanes("v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
                [](int l) { return l == 0 ? 7u : l == 1 || l == 16 ? 0u : 99u + static_cast<unsigned>(l); }, 0xfffffffeu);
    check_lanes("v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf fi:1",
                [](int l) { return l == 0 || l == 16 ? 7u : 99u + static_cast<unsigned>(l); }, 0xfffffffeu);
    check_lanes("v_add_nc_u32_dpp v0, v1, v1 row_xmask:1 row_mask:0xf bank_mask:0xf",
                [](int l) { return 200u + static_cast<unsigned>(l) + static_cast<unsigned>(l ^ 1); });
}

TEST_CASE("permlane takes its selectors from scalar registers and constants") {
    // Nibble i of the selectors names the lane that lane i of a row reads.
    const auto selected = [](int l) { return static_cast<int>((0x89abcdef01234567ull >> (4 * (l & 15))) & 15); };
    check_lanes("v_permlane16_b32 v0, v1, s2, s3", [&](int l) { return 100u + static_cast<unsigned>((l & 16) + selected(l)); });
    check_lanes("v_permlanex16_b32 v0, v1, s2, s3", [&](int l) { return 100u + static_cast<unsigned>(((l & 16) ^ 16) + selected(l)); });
    check_lanes("v_permlanex16_b32 v0, v1, s2, 0xfedcba98", [](int l) {
        const int source = (l & 15) < 8 ? 7 - (l & 15) : (l & 15);
        return 100u + static_cast<unsigned>(((l & 16) ^ 16) + source);
    });
    check_lanes("v_permlanex16_b32 v0, v1, 0, 0", [](int l) { return 100u + static_cast<unsigned>((l & 16) ^ 16); });
}

TEST_CASE("permlane and lanes that are off") {
    // Only the low row is on; what it would read is off.
    check_lanes("v_permlanex16_b32 v0, v1, s2, s3", [](int) { return 7u; }, 0x0000ffffu);
    check_lanes("v_permlanex16_b32 v0, v1, s2, s3 op_sel:[0,1]", [](int l) { return l < 16 ? 0u : 7u; }, 0x0000ffffu);
    const auto selected = [](int l) { return static_cast<unsigned>((0x89abcdef01234567ull >> (4 * (l & 15))) & 15); };
    check_lanes("v_permlanex16_b32 v0, v1, s2, s3 op_sel:[1,0]", [&](int l) { return l < 16 ? 116u + selected(l) : 7u; }, 0x0000ffffu);
}

TEST_CASE("xor 16 by permlanex16 exchanges the rows") {
    for (const auto build : runnable_builds()) {
        WaveRun run("v_permlanex16_b32 v1, v1, s2, 0xfedcba98 op_sel:[1,0]", build);
        run.set_v(1, numbered()).set_s(2, 0x76543210).go();
        REQUIRE(run.fault() == nullptr);
        for (int l = 0; l < 32; ++l) CHECK(run.v(1, l) == 100u + static_cast<unsigned>(l ^ 16));
    }
}

TEST_CASE("single lanes to and from scalars, whatever EXEC") {
    for (const auto build : runnable_builds()) {
        WaveRun run(
            "v_readlane_b32 s4, v1, 5\n"
            "v_readlane_b32 s5, v1, s2\n"
            "v_readfirstlane_b32 s6, v1\n"
            "v_writelane_b32 v0, s2, 9\n"
            "v_writelane_b32 v0, -1, s3\n",
            build);
        run.set_v(0, 7).set_v(1, numbered()).set_s(2, 33).set_s(3, 31).set_exec(0x00000100).go();
        REQUIRE(run.fault() == nullptr);
        CHECK(run.s(4) == 105);
        CHECK(run.s(5) == 101);  // the lane counts modulo 32
        CHECK(run.s(6) == 108);
        CHECK(run.v(0, 9) == 33);
        CHECK(run.v(0, 31) == 0xffffffffu);
        CHECK(run.v(0, 8) == 7);
    }
    WaveRun none("v_readfirstlane_b32 s6, v1");
    none.set_v(1, numbered()).set_exec(0).go();
    CHECK(none.s(6) == 100);  // lane 0 when all are off
}

static const CaseTable kScalarTable = {
    {"v_readlane_b32 s4, v1, 3", "v1=42", "s4=42", true},
    {"v_readfirstlane_b32 s4, v1", "v1=42", "s4=42", true},
    {"v_permlane64_b32 v0, v1", "v0=1 v1=42", "v0=1", true},  // does nothing in a wave of 32
};

TEST_CASE("lanes as scalars") { kScalarTable.check(); }

TEST_CASE("counts of lower lanes") {
    check_lanes("v_mbcnt_lo_u32_b32 v0, -1, 0", [](int l) { return static_cast<std::uint32_t>(l); });
    check_lanes("v_mbcnt_hi_u32_b32 v0, -1, 5", [](int) { return 5u; });
    check_lanes("v_mbcnt_lo_u32_b32 v0, 0x5, 1", [](int l) { return l == 0 ? 1u : l < 3 ? 2u : 3u; });
}

static const CaseTable kTable1 = {
    {"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", "v0=1 v1=2", "v0=2 v1=1"},
    {"v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v0, v2", "v0=5.0f v1=1.0f v2=2.0f", "v0=3.0f v3=10.0f"},
    {"v_dual_mul_f32 v0, v3, v2 :: v_dual_add_f32 v3, v1, v2", "v3=5.0f v1=1.0f v2=2.0f", "v0=10.0f v3=3.0f"},
    {"v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v0, v2", "v0=5.0f v1=1.0f v2=2.0f v3=1.0f", "v0=7.0f v3=11.0f"},
    {"v_dual_sub_f32 v0, v1, v2 :: v_dual_subrev_f32 v3, v4, v5", "v1=1.0f v2=2.0f v4=1.0f v5=2.0f", "v0=-1.0f v3=1.0f"},
    {"v_dual_fmaak_f32 v0, v1, v2, 0x3f800000 :: v_dual_fmamk_f32 v3, v4, 0x3f800000, v5", "v1=2.0f v2=3.0f v4=4.0f v5=5.0f", "v0=7.0f v3=9.0f"},
    {"v_dual_max_f32 v0, v1, v2 :: v_dual_min_f32 v3, v1, v4", "v1=1.0f v2=2.0f v4=0.5f", "v0=2.0f v3=0.5f"},
    {"v_dual_cndmask_b32 v0, v1, v2 :: v_dual_mul_dx9_zero_f32 v3, v4, v5", "v1=1 v2=2 v4=0 v5=0x7f800000 vcc=-1", "v0=2 v3=0"},
    {"v_dual_dot2acc_f32_f16 v0, v1, v2 :: v_dual_add_nc_u32 v3, v4, v5", "v0=1.0f v1=0x40003c00 v2=0x42004400 v4=4 v5=5", "v0=11.0f v3=9"},
    {"v_dual_dot2acc_f32_bf16 v0, v1, v2 :: v_dual_lshlrev_b32 v3, v4, v5", "v0=1.0f v1=0x40003f80 v2=0x40404080 v4=4 v5=5", "v0=11.0f v3=80"},
    {"v_dual_mov_b32 v0, s2 :: v_dual_and_b32 v3, 0xff00, v5", "s2=9 v5=0x1234", "v0=9 v3=0x1200"},
};

TEST_CASE("VOPD: both halves read before either writes") { kTable1.check(); }
