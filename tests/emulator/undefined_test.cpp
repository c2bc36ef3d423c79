// Undefined bits: how they move, and where they are a finding.
#include <doctest/doctest.h>

#include "emulator/instruction_harness.hpp"
#include "emulator/state/undefined.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

FaultKind kind_of(WaveRun& run) {
    REQUIRE(run.fault() != nullptr);
    return run.fault()->kind;
}

}  // namespace

TEST_CASE("an undefined source makes the lane's result undefined, in that lane alone") {
    WaveRun run("v_add_nc_u32 v0, v1, v2");
    run.set_v(1, 1).set_v(2, 2);
    LaneBits bits{};
    bits[7] = 1;
    Operand v1;
    v1.kind = OperandKind::vgpr;
    v1.index = 1;
    set_undefined_all(run.wave(), v1, 0, bits);
    run.go();
    CHECK(run.fault() == nullptr);
    CHECK(run.undefined_v(0, 7) == ~0u);
    CHECK(run.undefined_v(0, 6) == 0);
}

TEST_CASE("a register that is written everywhere becomes defined") {
    WaveRun run("v_mov_b32 v0, 5\nv_add_nc_u32 v1, v0, v0");
    run.go();
    CHECK(run.wave().defined.contains(0));
    CHECK(run.wave().defined.contains(1));
    WaveRun halves("v_mov_b32 v0, 5\ns_mov_b32 exec_lo, s1\nv_mov_b32 v0, 6");
    halves.set_exec(0xffff).set_s(1, 0xffff0000).go();
    CHECK(halves.wave().defined.contains(0));
    CHECK(halves.v(0, 0) == 5);
    CHECK(halves.v(0, 16) == 6);
}

TEST_CASE("lanes that are off stay as undefined as they were") {
    WaveRun run("v_mov_b32 v0, 5");
    run.set_exec(0xffff).go();
    CHECK(run.undefined_v(0, 3) == 0);
    CHECK(run.undefined_v(0, 20) == ~0u);
}

TEST_CASE("moves carry bits along; registers nobody wrote may be saved") {
    WaveRun run("v_mov_b32 v0, v1\nv_mov_b32 v2, v9");
    run.set_v(1, 5).undefine_v(1, 0xf00).go();
    CHECK(run.fault() == nullptr);
    CHECK(run.undefined_v(0) == 0xf00);
    CHECK(run.undefined_v(2) == ~0u);
}

TEST_CASE("logic keeps known bits known") {
    WaveRun run("v_and_b32 v0, 0xff, v1\nv_or_b32 v2, 0xff, v1\nv_xor_b32 v3, 0xff, v1\ns_and_b32 s0, s1, 0xff\ns_or_b32 s2, s1, -1");
    run.set_v(1, 0).undefine_v(1, 0xff0).go();
    CHECK(run.fault() == nullptr);
    CHECK(run.undefined_v(0) == 0xf0);
    CHECK(run.undefined_v(2) == 0xf00);
    CHECK(run.undefined_v(3) == 0xff0);
    CHECK(run.undefined_s(0) == 0xff);
    CHECK(run.undefined_s(2) == 0);
    WaveRun same("s_xor_b32 s0, s1, s1");
    same.go();
    CHECK(same.undefined_s(0) == 0);
}

TEST_CASE("scalar shifts and selects move bits") {
    WaveRun run("s_lshl_b32 s0, s1, 8\ns_cselect_b32 s2, s3, s4\ns_pack_ll_b32_b16 s5, s1, 3");
    run.set_scc(true).set_s(3, 1);
    run.wave().s[1] = 0;
    set_scalar_undefined(run.wave(), 1, 0xf0);
    run.go();
    CHECK(run.undefined_s(0) == 0xf000);
    CHECK(run.undefined_s(5) == 0xf0);
    CHECK(run.undefined_s(2) != 0);  // SCC, whether the shifted value is zero, depends on them
}

TEST_CASE("a comparison's undefined lanes are undefined bits of its mask") {
    WaveRun run("v_cmp_gt_u32 vcc_lo, v0, v1\ns_and_b32 s0, vcc_lo, s1\ns_and_b32 s2, vcc_lo, s3");
    run.set_v(0, 1).set_v(1, 0).set_s(1, 0xff).set_s(3, 0xff00);
    LaneBits bits{};
    bits[3] = ~0u;
    Operand v0;
    v0.kind = OperandKind::vgpr;
    set_undefined_all(run.wave(), v0, 0, bits);
    run.go();
    CHECK(run.undefined_s(kVccLo) == 8);
    CHECK(run.undefined_s(0) == 8);
    CHECK(run.undefined_s(2) == 0);
}

TEST_CASE("branches and EXEC must not be decided by undefined bits") {
    WaveRun scc("s_cmp_eq_u32 s0, 1\ns_cbranch_scc1 out\nout:\ns_nop 0");
    CHECK(kind_of(scc.go()) == FaultKind::undefined_branch);
    WaveRun vcc("s_cbranch_vccz out\nout:\ns_nop 0");
    CHECK(kind_of(vcc.go()) == FaultKind::undefined_branch);
    WaveRun exec("s_mov_b32 exec_lo, s0");
    CHECK(kind_of(exec.go()) == FaultKind::undefined_branch);
    WaveRun saved("s_and_saveexec_b32 s0, s1");
    CHECK(kind_of(saved.go()) == FaultKind::undefined_branch);
    WaveRun compared("v_cmpx_gt_u32 v0, v1");
    CHECK(kind_of(compared.go()) == FaultKind::undefined_branch);
    WaveRun jumped("s_setpc_b64 s[0:1]");
    CHECK(kind_of(jumped.go()) == FaultKind::undefined_branch);
}

TEST_CASE("a branch that defined bits decide is none") {
    WaveRun vcc("v_cmp_gt_u32 vcc_lo, v0, v1\ns_cbranch_vccnz out\nout:\ns_nop 0");
    vcc.set_v(0, 1).set_v(1, 0);
    LaneBits bits{};
    bits[3] = ~0u;
    Operand v0;
    v0.kind = OperandKind::vgpr;
    set_undefined_all(vcc.wave(), v0, 0, bits);
    vcc.go();
    CHECK(vcc.fault() == nullptr);  // 31 lanes compare defined values and differ
    WaveRun masked("s_and_saveexec_b32 s0, s1");
    masked.set_exec(0xff).set_s(1, 0);
    set_scalar_undefined(masked.wave(), 1, 0xff00);
    masked.go();
    CHECK(masked.fault() == nullptr);
}

TEST_CASE("DPP takes the bits of the lane it reads") {
    WaveRun run("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1");
    run.set_v(0, 5);
    LaneBits bits{};
    bits[4] = 6;
    Operand v0;
    v0.kind = OperandKind::vgpr;
    set_undefined_all(run.wave(), v0, 0, bits);
    run.go();
    CHECK(run.undefined_v(1, 5) == 6);
    CHECK(run.undefined_v(1, 4) == 0);
    CHECK(run.undefined_v(1, 0) == 0);  // reads no lane: zero
    WaveRun kept("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf");
    kept.set_v(0, 5).go();
    CHECK(kept.undefined_v(1, 0) == ~0u);  // keeps its old, undefined value
    CHECK(kept.undefined_v(1, 1) == 0);
}

TEST_CASE("the halves of a VOPD each follow their rule, also when they exchange registers") {
    WaveRun run("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0");
    run.set_v(0, 1).set_v(1, 2).undefine_v(0, 0xf).go();
    CHECK(run.fault() == nullptr);
    CHECK(run.v(0) == 2);
    CHECK(run.undefined_v(0) == 0);
    CHECK(run.undefined_v(1) == 0xf);
    WaveRun defined("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0");
    defined.set_v(0, 1).set_v(1, 2).go();
    CHECK(defined.v(0) == 2);
    CHECK(defined.v(1) == 1);
}

TEST_CASE("register-relative moves follow M0, and so do their undefined bits") {
    WaveRun run("s_mov_b32 m0, 3\nv_movrels_b32 v0, v1\nv_movreld_b32 v5, v2\nv_movrels_b32 v10, v2");
    run.set_v(1, 11).set_v(2, 12).set_v(4, 14).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.v(0) == 14);
    CHECK(run.v(8) == 12);
    CHECK(run.undefined_v(0) == 0);
    CHECK(run.undefined_v(8) == 0);
    CHECK(run.undefined_v(10) == ~0u);
    WaveRun beyond("s_movk_i32 m0, 0x100\nv_movrels_b32 v0, v1");
    beyond.set_v(1, 0).go();
    CHECK(kind_of(beyond) == FaultKind::out_of_bounds);
    WaveRun unknown("v_movrels_b32 v0, v1");
    unknown.set_v(1, 0).go();
    CHECK(kind_of(unknown) == FaultKind::undefined_address);
}
