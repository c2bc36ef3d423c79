// Undefined bits that choose: shift amounts, fields, byte selectors. Every value that they can have counts, not only all zeros and all ones. And
// the holes of structs, which compilers copy.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "emulator/instruction_harness.hpp"
#include "emulator/state/undefined.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

/// Undefined bits of v0 after `line`, with the low `bits` of v1 undefined and zero, v2 and v3 as given.
std::uint32_t after(const char* line, std::uint32_t bits, std::uint32_t v2, std::uint32_t v3 = 0) {
    WaveRun run(line);
    run.set_v(1, 0).undefine_v(1, bits).set_v(2, v2).set_v(3, v3).go();
    REQUIRE_FALSE(run.fault());
    return run.undefined_v(0, 9);
}

/// Undefined bits of s0 after `lines`; s2 has its two low bits undefined, s1 is 6.
std::uint32_t scalar_after(const std::string& lines) {
    WaveRun run("s_and_b32 s2, s9, 3\n" + lines);
    run.set_s(1, 6).set_s(4, 6).set_s(5, 0).go();
    REQUIRE_FALSE(run.fault());
    return run.undefined_s(0);
}

}  // namespace

TEST_CASE("an undefined shift amount leaves every bit undefined that some amount changes") {
    CHECK(after("v_lshlrev_b32 v0, v1, v2", 3, 1) == 0xf);
    CHECK(after("v_lshlrev_b32 v0, v1, v2", 3, 0) == 0);         // zero stays zero
    CHECK(after("v_lshlrev_b32 v0, v1, v2", 0x20, 1) == 0);      // that bit is not looked at
    CHECK(after("v_lshrrev_b32 v0, v1, v2", 3, 8) == 0xf);
    CHECK(after("v_ashrrev_i32 v0, v1, v2", 1, 0x80000000u) == 0x40000000u);
    CHECK(after("v_lshl_or_b32 v0, v2, v1, v3", 3, 1, 2) == 0xd);  // a bit that is set anyhow is known
    CHECK(after("v_alignbit_b32 v0, v3, v2, v1", 3, 6, 0) == 7);
}

TEST_CASE("undefined fields and byte selectors are tried in between") {
    CHECK(after("v_bfe_u32 v0, v2, v1, 1", 3, 6) == 1);  // bits 0 and 3 of 6 are equal, 1 and 2 are not
    CHECK(after("v_bfe_u32 v0, v2, 0, v1", 3, 6) == 6);
    CHECK(after("v_perm_b32 v0, v3, v2, v1", 3, 0x11333311u) == 0x22);
    CHECK(after("v_perm_b32 v0, v3, v2, v1", 3, 0x11111111u) == 0);
    CHECK(after("v_perm_b32 v0, v3, v2, v1", 0x0300u, 0x11333311u) == 0x2200);
}

TEST_CASE("undefined amounts of scalar shifts and fields are tried in between") {
    CHECK(scalar_after("s_bfe_u32 s0, s1, s2") == 0);  // the width is 0
    CHECK(scalar_after("s_or_b32 s2, s2, 0x10000\ns_bfe_u32 s0, s1, s2") == 1);
    CHECK(scalar_after("s_lshl_b32 s0, 1, s2") == 0xf);
    CHECK(scalar_after("s_lshr_b64 s[0:1], s[4:5], s2") == 7);
    CHECK(scalar_after("s_bfm_b32 s0, s2, 0") == ~0u);
    CHECK(scalar_after("s_mov_b32 s0, 0\ns_bitset1_b32 s0, s2") == 0xf);
    CHECK(scalar_after("s_bitcmp1_b32 s1, s2\ns_cselect_b32 s0, 1, 0") == 1);
    CHECK(scalar_after("s_bitcmp1_b32 0, s2\ns_cselect_b32 s0, 1, 0") == 0);
}

TEST_CASE("dpp8 gives a lane 0 where its source is off, and that is defined") {
    WaveRun run("v_mov_b32_dpp v0, v1 dpp8:[1,0,2,3,4,5,6,7]");
    run.set_v(1, 5).set_exec(0xfffffffdu).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(0, 0) == 0);
    CHECK(run.undefined_v(0, 0) == 0);
    CHECK(run.undefined_v(0, 1) == ~0u);  // off itself
    WaveRun kept("v_mov_b32_dpp v0, v1 quad_perm:[1,0,2,3] row_mask:0xf bank_mask:0xf");
    kept.set_v(1, 5).set_exec(0xfffffffdu).go();
    CHECK(kept.undefined_v(0, 0) == ~0u);  // not written
}

namespace {

constexpr std::uint64_t kBase = 0x7f0000001000;

/// Sixteen words, none of them defined.
struct Memory {
    std::vector<std::uint32_t> words = std::vector<std::uint32_t>(16, 0);
    std::vector<std::uint8_t> defined = std::vector<std::uint8_t>(8, 0);
    std::shared_ptr<const MemoryMap> map = std::make_shared<MemoryMap>(std::vector<Allocation>{
        {.base = kBase, .size = 64, .host = reinterpret_cast<std::byte*>(words.data()), .defined = defined.data(), .label = "the records"}});
};

void start(WaveRun& run, const Memory& memory) {
    run.set_scratch(16).set_memory(memory.map).set_exec(1).set_s64(2, kBase).set_v(0, 0).set_v(1, 0x1234).set_s(32, 0);
}

}  // namespace

TEST_CASE("the holes of a struct may be copied to global memory, where they stay undefined") {
    const Memory memory;
    WaveRun copied("scratch_store_b16 off, v1, s32\nscratch_load_b32 v2, off, s32\nglobal_store_b32 v0, v2, s[2:3]");
    start(copied, memory);
    copied.go();
    REQUIRE_FALSE(copied.fault());
    CHECK((memory.words[0] & 0xffff) == 0x1234);
    CHECK(memory.defined[0] == 3);  // the two bytes that were written

    WaveRun used("global_load_b32 v2, v0, s[2:3]\nv_cmp_lt_u32 vcc_lo, v2, v1\ns_cbranch_vccnz end\nend:\ns_nop 0");
    start(used, memory);
    used.go();
    REQUIRE(used.fault());
    CHECK(used.fault()->kind == FaultKind::undefined_branch);
    WaveRun part("global_load_b32 v2, v0, s[2:3]\nv_and_b32 v2, 0xffff, v2\nv_cmp_eq_u32 vcc_lo, v2, v1\ns_cbranch_vccnz end\nend:\ns_nop 0");
    start(part, memory);
    part.go();
    CHECK_FALSE(part.fault());
}

TEST_CASE("what looks like a hole and is none is still a finding") {
    const Memory memory;
    // A variable that nobody wrote.
    WaveRun whole("scratch_load_b32 v2, off, s32\nglobal_store_b32 v0, v2, s[2:3]");
    start(whole, memory);
    whole.go();
    REQUIRE(whole.fault());
    CHECK(whole.fault()->kind == FaultKind::undefined_store);
    // Half of a register that nobody wrote.
    WaveRun half("v_perm_b32 v2, v9, v1, 0x7060100\nglobal_store_b32 v0, v2, s[2:3]");
    start(half, memory);
    half.go();
    REQUIRE(half.fault());
    CHECK(half.fault()->kind == FaultKind::undefined_store);
    // A hole that was computed with.
    WaveRun changed("scratch_store_b16 off, v1, s32\nscratch_load_b32 v2, off, s32\nv_xor_b32 v2, 0x1000000, v2\nglobal_store_b32 v0, v2, s[2:3]");
    start(changed, memory);
    changed.go();
    REQUIRE(changed.fault());
    CHECK(changed.fault()->kind == FaultKind::undefined_store);
}
