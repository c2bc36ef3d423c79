// Scalar instructions: values and SCC.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "emulator/instruction_harness.hpp"

using emulator_test::WaveRun;

namespace {

struct Binary {
    const char* mnemonic;
    std::uint32_t a, b, result;
    bool scc;
    bool scc_before = false;
};

struct Wide {
    const char* mnemonic;
    std::uint64_t a, b, result;
    bool scc;
};

struct Unary {
    const char* mnemonic;
    std::uint32_t a, result;
    bool scc;  // set beforehand where the instruction leaves it alone
};

}  // namespace

TEST_CASE("two 32-bit sources") {
    // Instructions that leave SCC alone keep scc_before.
    for (const Binary& test : {
             Binary{"s_add_u32", 0xffffffff, 2, 1, true},
             Binary{"s_add_u32", 1, 2, 3, false, true},
             Binary{"s_sub_u32", 1, 2, 0xffffffff, true},
             Binary{"s_add_i32", 0x7fffffff, 1, 0x80000000, true},
             Binary{"s_add_i32", 0xffffffff, 1, 0, false},
             Binary{"s_sub_i32", 0x80000000, 1, 0x7fffffff, true},
             Binary{"s_sub_i32", 5, 7, 0xfffffffe, false},
             Binary{"s_addc_u32", 0xffffffff, 0, 0, true, true},
             Binary{"s_addc_u32", 1, 1, 3, false, true},
             Binary{"s_subb_u32", 0, 0, 0xffffffff, true, true},
             Binary{"s_subb_u32", 5, 0xffffffff, 5, true, true},
             Binary{"s_absdiff_i32", 2, 5, 3, true},
             Binary{"s_mul_i32", 0x10000, 0x10001, 0x10000, true, true},
             Binary{"s_mul_hi_u32", 0xffffffff, 0xffffffff, 0xfffffffe, false},
             Binary{"s_mul_hi_i32", 0xffffffff, 5, 0xffffffff, false},
             Binary{"s_lshl2_add_u32", 0x40000001, 3, 7, true},
             Binary{"s_min_i32", 0xffffffff, 1, 0xffffffff, true},
             Binary{"s_min_u32", 0xffffffff, 1, 1, false},
             Binary{"s_max_i32", 0xffffffff, 1, 1, false},
             Binary{"s_max_u32", 0xffffffff, 1, 0xffffffff, true},
             Binary{"s_max_u32", 5, 5, 5, false, true},
             Binary{"s_and_b32", 0xf0, 0x0f, 0, false},
             Binary{"s_or_b32", 0xf0, 0x0f, 0xff, true},
             Binary{"s_xor_b32", 0xff, 0x0f, 0xf0, true},
             Binary{"s_nand_b32", 0xffffffff, 0xffffffff, 0, false},
             Binary{"s_nor_b32", 0, 1, 0xfffffffe, true},
             Binary{"s_xnor_b32", 5, 5, 0xffffffff, true},
             Binary{"s_and_not1_b32", 0xff, 0x0f, 0xf0, true},
             Binary{"s_or_not1_b32", 0, 0xffffffff, 0, false},
             Binary{"s_lshl_b32", 1, 33, 2, true},
             Binary{"s_lshr_b32", 0x80000000, 31, 1, true},
             Binary{"s_ashr_i32", 0x80000000, 31, 0xffffffff, true},
             Binary{"s_bfe_u32", 0xabcd, 4 | 8 << 16, 0xbc, true},
             Binary{"s_bfe_i32", 0xabcd, 4 | 8 << 16, 0xffffffbc, true},
             Binary{"s_bfe_u32", 0xabcd, 4, 0, false},
             Binary{"s_bfe_i32", 0x80000000, 28 | 8 << 16, 0xfffffff8, true},  // the field reaches beyond bit 31
             Binary{"s_bfe_i32", 0x70000000, 28 | 8 << 16, 7, true},
             Binary{"s_bfe_i32", 0xf0000000, 28, 0, false},
             Binary{"s_bfm_b32", 4, 8, 0xf00, true, true},
             Binary{"s_pack_ll_b32_b16", 0x11112222, 0x33334444, 0x44442222, true, true},
             Binary{"s_pack_lh_b32_b16", 0x11112222, 0x33334444, 0x33332222, true, true},
             Binary{"s_pack_hh_b32_b16", 0x11112222, 0x33334444, 0x33331111, true, true},
             Binary{"s_pack_hl_b32_b16", 0x11112222, 0x33334444, 0x44441111, true, true},
             Binary{"s_cselect_b32", 1, 2, 1, true, true},
             Binary{"s_cselect_b32", 1, 2, 2, false},
         }) {
        CAPTURE(test.mnemonic);
        CAPTURE(test.a);
        WaveRun run(fmt::format("{} s0, s1, s2", test.mnemonic));
        run.set_s(1, test.a).set_s(2, test.b).set_scc(test.scc_before).go();
        REQUIRE(run.fault() == nullptr);
        CHECK(run.s(0) == test.result);
        CHECK(run.scc() == test.scc);
        CHECK(run.undefined_s(0) == 0);
    }
}

TEST_CASE("two 64-bit sources") {
    for (const Wide& test : {
             Wide{"s_and_b64", 0xff00000000, 0x0f00000000, 0x0f00000000, true},
             Wide{"s_or_b64", 0, 0, 0, false},
             Wide{"s_xor_b64", 1ull << 63, 1, 1ull << 63 | 1, true},
             Wide{"s_and_not1_b64", ~0ull, ~0ull, 0, false},
             Wide{"s_lshl_b64", 1, 40, 1ull << 40, true},
             Wide{"s_lshr_b64", 1ull << 40, 40, 1, true},
             Wide{"s_ashr_i64", 1ull << 63, 63, ~0ull, true},
             Wide{"s_bfe_u64", 0xabcdull << 32, 36 | 8 << 16, 0xbc, true},
             Wide{"s_bfe_i64", 0xabcdull << 32, 36 | 8 << 16, ~0ull << 8 | 0xbc, true},
             Wide{"s_bfe_i64", 1ull << 63, 60 | 8 << 16, ~0ull << 3, true},
             Wide{"s_bfm_b64", 4, 40, 0xfull << 40, false},
             Wide{"s_cselect_b64", 1, 2ull << 40, 2ull << 40, false},
         }) {
        CAPTURE(test.mnemonic);
        WaveRun run(fmt::format("{} s[0:1], s[2:3], s[4:5]", test.mnemonic));
        run.set_s64(2, test.a).set_s64(4, test.b).set_scc(false).go();
        REQUIRE(run.fault() == nullptr);
        CHECK(run.s64(0) == test.result);
        CHECK(run.scc() == test.scc);
    }
}

TEST_CASE("one source") {
    for (const Unary& test : {
             Unary{"s_mov_b32", 7, 7, true},
             Unary{"s_cmov_b32", 7, 7, true},
             Unary{"s_brev_b32", 1, 0x80000000, true},
             Unary{"s_ctz_i32_b32", 0x50, 4, true},
             Unary{"s_ctz_i32_b32", 0, 0xffffffff, true},
             Unary{"s_clz_i32_u32", 0x50, 25, true},
             Unary{"s_cls_i32", 0xfffffff0, 28, true},
             Unary{"s_cls_i32", 0xffffffff, 0xffffffff, true},
             Unary{"s_bcnt1_i32_b32", 0xf0, 4, true},
             Unary{"s_bcnt0_i32_b32", 0xffffffff, 0, false},
             Unary{"s_sext_i32_i8", 0x80, 0xffffff80, true},
             Unary{"s_sext_i32_i16", 0x8000, 0xffff8000, true},
             Unary{"s_abs_i32", 0xfffffffe, 2, true},
             Unary{"s_not_b32", 0xffffffff, 0, false},
             Unary{"s_wqm_b32", 0x00010020, 0x000f00f0, true},
             Unary{"s_quadmask_b32", 0x00010020, 0x12, true},
         }) {
        CAPTURE(test.mnemonic);
        WaveRun run(fmt::format("{} s0, s1", test.mnemonic));
        run.set_s(0, 99).set_s(1, test.a).set_scc(true).go();
        REQUIRE(run.fault() == nullptr);
        CHECK(run.s(0) == test.result);
        CHECK(run.scc() == test.scc);
    }
}

TEST_CASE("64-bit sources with 32-bit results, and the other way") {
    WaveRun count("s_bcnt1_i32_b64 s0, s[2:3]\ns_ctz_i32_b64 s1, s[2:3]\ns_clz_i32_u64 s4, s[2:3]");
    count.set_s64(2, 0x0f00000000000010).go();
    CHECK(count.s(0) == 5);
    CHECK(count.s(1) == 4);
    CHECK(count.s(4) == 4);
    WaveRun replicate("s_bitreplicate_b64_b32 s[0:1], s2\ns_brev_b64 s[4:5], s[0:1]");
    replicate.set_s(2, 0x80000001).go();
    CHECK(replicate.s64(0) == 0xc000000000000003);
    CHECK(replicate.s64(4) == 0xc000000000000003);
    WaveRun bits("s_bitset1_b32 s0, 4\ns_bitset0_b64 s[2:3], 40");
    bits.set_s(0, 1).set_s64(2, ~0ull).go();
    CHECK(bits.s(0) == 0x11);
    CHECK(bits.s64(2) == ~(1ull << 40));
}

TEST_CASE("comparisons set SCC only") {
    const auto scc_of = [](const char* line) {
        WaveRun run(line);
        run.set_s(0, 0xffffffff).set_s(1, 1).set_s64(2, 5ull << 32).set_s64(4, 5).set_scc(false).go();
        REQUIRE(run.fault() == nullptr);
        return run.scc();
    };
    CHECK(scc_of("s_cmp_lt_i32 s0, s1"));
    CHECK_FALSE(scc_of("s_cmp_lt_u32 s0, s1"));
    CHECK(scc_of("s_cmp_ge_u32 s0, s1"));
    CHECK(scc_of("s_cmp_lg_i32 s0, s1"));
    CHECK(scc_of("s_cmp_eq_u32 s0, -1"));
    CHECK(scc_of("s_cmp_lg_u64 s[2:3], s[4:5]"));
    CHECK(scc_of("s_bitcmp1_b32 s0, 31"));
    CHECK(scc_of("s_bitcmp0_b64 s[2:3], 33"));
    CHECK(scc_of("s_cmpk_eq_i32 s0, 0xffff"));
    CHECK_FALSE(scc_of("s_cmpk_eq_u32 s0, 0xffff"));
    CHECK(scc_of("s_cmpk_gt_u32 s0, 0xffff"));
}

TEST_CASE("16-bit constants are sign-extended") {
    WaveRun run("s_movk_i32 s0, 0xff80\ns_addk_i32 s1, 0xffff\ns_mulk_i32 s2, 0xfffe\ns_cmovk_i32 s3, 0x5");
    run.set_s(1, 5).set_s(2, 3).set_s(3, 9).set_scc(true).go();
    CHECK(run.s(0) == 0xffffff80);
    CHECK(run.s(1) == 4);
    CHECK(run.s(2) == 0xfffffffa);
    CHECK(run.s(3) == 9);  // s_addk has cleared SCC
}

TEST_CASE("EXEC is saved and combined in one step") {
    WaveRun run("s_and_saveexec_b32 s0, s1\ns_or_saveexec_b32 s2, s3\ns_and_not1_saveexec_b32 s4, s5");
    run.set_exec(0xff).set_s(1, 0xf0f).set_s(3, 0x1000).set_s(5, 0xffff).go();
    CHECK(run.s(0) == 0xff);
    CHECK(run.s(2) == 0x0f);
    CHECK(run.s(4) == 0x100f);
    CHECK(run.exec() == (0xffff & ~0x100f));
    CHECK(run.scc());
    WaveRun none("s_and_not0_saveexec_b32 s0, s1");
    none.set_exec(0xff).set_s(1, 0xff).go();
    CHECK(none.exec() == 0);
    CHECK_FALSE(none.scc());
}

TEST_CASE("MODE is read and written by field") {
    WaveRun run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 5\ns_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 2)\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s1");
    run.set_s(1, 7).go();
    CHECK((run.wave().mode >> 4 & 15) == 5);
    CHECK(run.s(0) == 1);
    CHECK((run.wave().mode & 15) == 3);
}

TEST_CASE("a wave's clock goes on, the same way every time") {
    const auto passed = [] {
        WaveRun run(R"(
            s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
            s_getreg_b32 s1, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
            s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)
            again:
            s_getreg_b32 s2, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
            s_sub_u32 s3, s2, s0
            s_cmp_lt_u32 s3, 0x3e8
            s_cbranch_scc1 again
            s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)
        )");
        run.go();
        REQUIRE(run.fault() == nullptr);
        CHECK(run.s(1) > run.s(0));
        CHECK(run.s(3) >= 1000);
        CHECK(run.s(3) < 1010);
        CHECK(run.s64(6) > run.s64(4));
        CHECK(run.s64(6) - run.s64(4) < 50);  // at 100 MHz
        return run.s(2);
    };
    CHECK(passed() == passed());
}

TEST_CASE("results for null vanish and null reads as zero") {
    WaveRun run("s_mov_b32 null, 5\ns_add_u32 s0, null, 3");
    run.go();
    CHECK(run.s(0) == 3);
}

TEST_CASE("a call comes back") {
    WaveRun run(
        "s_getpc_b64 s[4:5]\n"         // 0: gives 4
        "s_add_u32 s4, s4, 20\n"       // 4
        "s_addc_u32 s5, s5, 0\n"       // 8
        "s_swappc_b64 s[6:7], s[4:5]\n"  // 12
        "s_add_u32 s0, s0, 1\n"        // 16
        "s_endpgm\n"                   // 20
        "s_mov_b32 s0, 41\n"           // 24
        "s_setpc_b64 s[6:7]\n");
    run.go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.s(0) == 42);
    WaveRun direct("s_call_b64 s[6:7], f\ns_add_u32 s0, s0, 1\ns_endpgm\nf:\ns_mov_b32 s0, 41\ns_setpc_b64 s[6:7]");
    direct.go();
    CHECK(direct.s(0) == 42);
}

TEST_CASE("loops and branches on every condition") {
    WaveRun loop("s_mov_b32 s0, 0\nagain:\ns_add_i32 s0, s0, 1\ns_cmp_lt_i32 s0, 10\ns_cbranch_scc1 again");
    loop.go();
    CHECK(loop.s(0) == 10);
    const auto taken = [](const char* condition, std::uint32_t vcc, std::uint32_t exec, bool scc) {
        WaveRun run(fmt::format("s_mov_b32 s0, 1\n{} out\ns_mov_b32 s0, 2\nout:\ns_nop 0", condition));
        run.set_vcc(vcc).set_exec(exec).set_scc(scc).go();
        REQUIRE(run.fault() == nullptr);
        return run.s(0) == 1;
    };
    CHECK(taken("s_cbranch_scc0", 0, 1, false));
    CHECK_FALSE(taken("s_cbranch_scc0", 0, 1, true));
    CHECK(taken("s_cbranch_vccz", 0, 1, false));
    CHECK(taken("s_cbranch_vccnz", 8, 1, false));
    CHECK(taken("s_cbranch_execz", 0, 0, false));
    CHECK_FALSE(taken("s_cbranch_execnz", 0, 0, false));
    CHECK(taken("s_branch", 0, 0, false));
}

TEST_CASE("what cannot run stops the wave by name") {
    WaveRun unknown("v_frobnicate_b32 v0, v1");
    unknown.go();
    REQUIRE(unknown.fault() != nullptr);
    CHECK(unknown.fault()->kind == hipemu::FaultKind::unknown_instruction);
    CHECK(unknown.fault()->to_string().find("v_frobnicate_b32") != std::string::npos);
    WaveRun trap("s_trap 2");
    trap.go();
    REQUIRE(trap.fault() != nullptr);
    CHECK(trap.fault()->kind == hipemu::FaultKind::trap);
    WaveRun hang("again:\ns_branch again");
    hang.go();
    REQUIRE(hang.fault() != nullptr);
    CHECK(hang.fault()->kind == hipemu::FaultKind::instruction_limit);
    WaveRun wild("s_setpc_b64 s[0:1]");
    wild.set_s64(0, 0x123456789).go();
    REQUIRE(wild.fault() != nullptr);
    CHECK(wild.fault()->kind == hipemu::FaultKind::out_of_bounds);
}
