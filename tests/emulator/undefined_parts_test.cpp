// Instructions that read a part of a register: undefined bits outside that part do not matter, and each bit inside does. And sums, whose bits
// hang on those below alone.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/instruction_harness.hpp"
#include "emulator/state/undefined.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

constexpr std::uint64_t kBase = 0x7f0000001000;

/// v0 is the destination; all of v0 to v8 hold 0x01020304 and are defined, up to what a case says.
WaveRun prepared(const std::string& lines) {
    WaveRun run(lines);
    for (unsigned r = 0; r < 9; ++r) run.set_v(r, 0x01020304);
    run.set_s(4, 0x07060706);
    return run;
}

struct Part {
    const char* line;
    unsigned source;       // the register of which a part is read
    std::uint32_t read;    // its bits that are
    std::uint32_t result = ~0u;  // bits of v0 that count
};

void check(const Part& part) {
    CAPTURE(std::string(part.line));
    CAPTURE(part.source);
    std::uint32_t read = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
        WaveRun run = prepared(part.line);
        run.undefine_v(part.source, 1u << bit).go();
        REQUIRE_FALSE(run.fault());
        if ((run.undefined_v(0, 3) & part.result) != 0) read |= 1u << bit;
    }
    CHECK(read == part.read);
    WaveRun all = prepared(part.line);
    all.undefine_v(part.source, ~part.read).go();
    CHECK((all.undefined_v(0, 3) & part.result) == 0);
}

}  // namespace

TEST_CASE("of a byte, a field or a narrow factor only its own bits matter") {
    for (const Part& part : {
             Part{"v_cvt_f32_ubyte0 v0, v1", 1, 0xff},
             Part{"v_cvt_f32_ubyte1 v0, v1", 1, 0xff00},
             Part{"v_cvt_f32_ubyte2 v0, v1", 1, 0xff0000},
             Part{"v_cvt_f32_ubyte3 v0, v1", 1, 0xff000000},
             Part{"v_cvt_f32_ubyte1_dpp v0, v1 row_xmask:1 row_mask:0xf bank_mask:0xf", 1, 0xff00},
             Part{"v_cvt_off_f32_i4 v0, v1", 1, 0xf},
             Part{"v_bfe_u32 v0, v1, 8, 8", 1, 0xff00},
             Part{"v_bfe_i32 v0, v1, 3, 2", 1, 0x18},
             Part{"v_bfe_u32 v0, -1, 0, v1", 1, 0x1f},
             Part{"v_and_b32 v0, 0xf0f0, v1", 1, 0xf0f0},
             Part{"v_and_or_b32 v0, v1, 0xff, v2", 1, 0xff & ~0x04},  // a bit that v2 sets anyhow is known
             Part{"v_bfi_b32 v0, 0xff00, v1, v2", 1, 0xff00},
             Part{"v_bfi_b32 v0, 0xff00, v2, v1", 1, 0xffff00ff},
             Part{"v_lshrrev_b32 v0, 24, v1", 1, 0xff000000},
             Part{"v_lshlrev_b32 v0, 24, v1", 1, 0xff},
             Part{"v_ashrrev_i32 v0, 31, v1", 1, 0x80000000},
             Part{"v_lshl_or_b32 v0, v1, 16, v2", 1, 0xffff & ~0x0102},
             Part{"v_alignbit_b32 v0, v2, v1, 16", 1, 0xffff0000},
             Part{"v_alignbit_b32 v0, v1, v2, 16", 1, 0xffff},
             Part{"v_alignbyte_b32 v0, v2, v1, 3", 1, 0xff000000},
             Part{"v_alignbyte_b32 v0, v1, v2, 3", 1, 0xffffff},
             Part{"v_perm_b32 v0, v2, v1, 0x0c0c0c01", 1, 0xff00},
             Part{"v_perm_b32 v0, v1, v2, 0x0c0c0706", 1, 0xffff0000},
             Part{"v_perm_b32 v0, v1, v2, s4", 1, 0xffff0000},
             Part{"v_mul_u32_u24 v0, v1, v2", 1, 0xffffff},
             Part{"v_mul_i32_i24 v0, v2, v1", 1, 0xffffff},
             Part{"v_mul_hi_u32_u24 v0, v1, v2", 1, 0xffffff},
             Part{"v_mul_hi_i32_i24 v0, v1, v2", 1, 0xffffff},
             Part{"v_mad_u32_u24 v0, v1, v2, v3", 1, 0xffffff},
             Part{"v_mad_i32_i24 v0, v2, v1, v3", 1, 0xffffff},
             Part{"v_bfm_b32 v0, v1, v2", 1, 0x1f},
             Part{"v_bfm_b32 v0, v2, v1", 1, 0x1f},
             Part{"v_lshl_add_u32 v0, v2, v1, v3", 1, 0x1f},
             Part{"v_lshl_add_u32 v0, v1, 24, v3", 1, 0xff},
             Part{"v_add_lshl_u32 v0, v2, v3, v1", 1, 0x1f},
             Part{"v_add_lshl_u32 v0, v1, v3, 24", 1, 0xff},
             Part{"v_cvt_pk_u8_f32 v0, v2, v1, v3", 1, 3},
             Part{"v_cvt_pk_u8_f32 v0, v2, 1, v1", 1, 0xffff00ff},
             Part{"v_sat_pk_u8_i16 v0, v1", 1, 0xffff, 0xff},
             Part{"v_sat_pk_u8_i16 v0, v1", 1, 0xffff0000, 0xff00},
         })
        check(part);
}

TEST_CASE("of a half only its own bits matter, whichever way the instruction names it") {
    for (const Part& part : {
             Part{"v_add_f16 v0, v1, v2", 1, 0xffff, 0xffff},
             Part{"v_add_f16 v0.l, v1.h, v2.l", 1, 0xffff0000, 0xffff},
             Part{"v_add_f16 v0.h, v1.l, v2.l", 1, 0xffff, 0xffff0000},
             Part{"v_max3_f16 v0, v1, v2, v3 op_sel:[1,0,0,0]", 1, 0xffff0000, 0xffff},
             Part{"v_fmac_f16 v0, v1, v2", 1, 0xffff, 0xffff},
             Part{"v_cvt_f32_f16 v0, v1", 1, 0xffff},
             Part{"v_cvt_f32_f16 v0, v1.h", 1, 0xffff0000},
             Part{"v_cvt_u32_u16 v0, v1", 1, 0xffff},
             Part{"v_cvt_i32_i16 v0, v1.h", 1, 0xffff0000},
             Part{"v_mov_b16 v0.l, v1.h", 1, 0xffff0000, 0xffff},
             Part{"v_pack_b32_f16 v0, v1, v2", 1, 0xffff},
             Part{"v_pack_b32_f16 v0, v1, v2 op_sel:[1,0,0]", 1, 0xffff0000},
             Part{"v_pack_b32_f16 v0, v1.h, v2.l", 1, 0xffff0000},
             Part{"v_min_u16 v0, v1, v2", 1, 0xffff, 0xffff},
             Part{"v_and_b16 v0.l, v1.l, v2.h", 2, 0xffff0000 & 0x03040000, 0xffff},
             Part{"v_lshrrev_b16 v0, 8, v1", 1, 0xff00, 0xffff},
             Part{"v_lshlrev_b16 v0.l, 8, v1.h", 1, 0xff0000, 0xffff},
             Part{"v_ashrrev_i16 v0, 15, v1", 1, 0x8000, 0xffff},
             Part{"v_lshlrev_b16 v0, v1, v2", 1, 0xf, 0xffff},
             Part{"v_lshlrev_b16 v0.l, v1.h, v2.l", 1, 0xf0000, 0xffff},
             Part{"v_mad_u32_u16 v0, v1, v2, v3", 1, 0xffff},
             Part{"v_mad_i32_i16 v0, v1, v2, v3 op_sel:[1,0,0,0]", 1, 0xffff0000},
             Part{"v_cmp_class_f32 vcc_lo, v2, v1\nv_cndmask_b32 v0, 0, 1, vcc_lo", 1, 0x3ff},
             Part{"v_cmp_lt_f16 vcc_lo, v1, v2\nv_cndmask_b32 v0, 0, 1, vcc_lo", 1, 0xffff},
             Part{"v_cmp_lt_u16 vcc_lo, v1.h, v2.l\nv_cndmask_b32 v0, 0, 1, vcc_lo", 1, 0xffff0000},
             Part{"v_pk_add_f16 v0, v1, v2", 1, 0xffff, 0xffff},
             Part{"v_pk_add_f16 v0, v1, v2", 1, 0xffff0000, 0xffff0000},
             Part{"v_pk_add_f16 v0, v1, v2 op_sel_hi:[0,1]", 1, 0xffff},
             Part{"v_pk_mul_lo_u16 v0, v1, v2 op_sel:[1,0]", 1, 0xffff0000},
             Part{"v_pk_fma_f16 v0, v2, v3, v1 op_sel:[0,0,1] op_sel_hi:[1,1,0]", 1, 0xffff0000, 0xffff},
             Part{"v_fma_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,0,0]", 1, 0xffff},
             Part{"v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]", 1, 0xffff0000},
             Part{"v_fma_mixlo_f16 v0, v2, v3, v1 op_sel:[0,0,1] op_sel_hi:[0,0,1]", 1, 0xffff0000, 0xffff},
             Part{"v_fma_mixhi_f16 v0, v1, v2, v3 op_sel_hi:[1,0,0]", 1, 0xffff, 0xffff0000},
             Part{"v_cvt_pk_norm_i16_f16 v0, v1, v2", 1, 0xffff},
             Part{"v_dot2_f16_f16 v0, v2, v3, v1", 1, 0xffff, 0xffff},
             Part{"v_dot2_f16_f16 v0, v2, v3, v1 op_sel:[0,0,1,0]", 1, 0xffff0000, 0xffff},
         })
        check(part);
}

TEST_CASE("dot products and conversions of whole registers read every bit") {
    for (const Part& part : {
             Part{"v_dot2_f32_f16 v0, v1, v2, v3", 1, ~0u},
             Part{"v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,1,0]", 1, ~0u},
             Part{"v_dot4_u32_u8 v0, v2, v3, v1", 1, ~0u},
             Part{"v_dot8_u32_u4 v0, v2, v1, v3", 1, ~0u},
             Part{"v_cvt_f32_u32 v0, v1", 1, ~0u},
             Part{"v_cvt_f16_f32 v0, v1", 1, ~0u, 0xffff},
             Part{"v_fma_f32 v0, v2, v3, v1", 1, ~0u},
             Part{"v_sad_u8 v0, v2, v1, v3", 1, ~0u},
             Part{"v_add_nc_u32 v0, v2, v1 clamp", 1, ~0u},
         })
        check(part);
}

TEST_CASE("64-bit shifts move undefined bits, and leave the others known") {
    for (const Part& part : {
             Part{"v_lshrrev_b64 v[0:1], 8, v[2:3]", 3, 0xff},
             Part{"v_lshrrev_b64 v[0:1], 8, v[2:3]", 2, 0xffffff00},
             Part{"v_lshlrev_b64 v[0:1], 4, v[2:3]", 3, 0},
             Part{"v_lshlrev_b64 v[0:1], v4, v[2:3]", 4, 0x3f},
             Part{"v_ashrrev_i64 v[0:1], 63, v[2:3]", 3, 0x80000000},
         })
        check(part);
}

TEST_CASE("a sum or product is known below the lowest undefined bit, and unknown from there on") {
    for (const char* const line :
         {"v_add_nc_u32 v0, v1, v2", "v_sub_nc_u32 v0, v2, v1", "v_subrev_nc_u32 v0, v1, v2", "v_add3_u32 v0, v2, v3, v1", "v_mul_lo_u32 v0, v1, v2",
          "v_mul_u32_u24 v0, v1, v2", "v_mad_u32_u24 v0, v2, v3, v1", "v_xad_u32 v0, v1, v2, v3", "v_add_co_u32 v0, vcc_lo, v1, v2",
          "v_sub_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo", "v_lshl_add_u32 v0, v2, 4, v1", "v_mad_u32_u16 v0, v2, v3, v1",
          "v_dual_add_nc_u32 v0, v1, v2 :: v_dual_mov_b32 v5, v4"}) {
        CAPTURE(line);
        WaveRun run = prepared(line);
        run.set_vcc(0).undefine_v(1, 0x00100000).go();
        REQUIRE_FALSE(run.fault());
        CHECK(run.undefined_v(0) == 0xfff00000u);
    }
    WaveRun shifted = prepared("v_lshl_add_u32 v0, v1, 4, v2");
    shifted.undefine_v(1, 0x100).go();
    CHECK(shifted.undefined_v(0) == 0xfffff000u);
    WaveRun sum = prepared("v_add_lshl_u32 v0, v1, v2, 4");
    sum.undefine_v(1, 0x100).go();
    CHECK(sum.undefined_v(0) == 0xfffff000u);
    WaveRun half = prepared("v_add_nc_u16 v0, v1, v2");
    half.undefine_v(1, 0xff00).go();
    CHECK((half.undefined_v(0) & 0xffff) == 0xff00);
    WaveRun carry = prepared("v_add_co_u32 v0, vcc_lo, v1, v2\nv_cndmask_b32 v0, 0, 1, vcc_lo");
    carry.undefine_v(1, 0x80000000u).go();
    CHECK(carry.undefined_v(0) == 1);
}

TEST_CASE("what is multiplied by zero does not matter") {
    for (const char* const line : {"v_mul_lo_u32 v0, v1, v2", "v_mul_lo_u32 v0, v2, v1", "v_mul_lo_u32 v0, 0, v1", "v_mul_hi_u32 v0, v1, v2", "v_mul_hi_i32 v0, v2, v1",
                                   "v_mul_u32_u24 v0, v1, v2", "v_mul_i32_i24 v0, v2, v1", "v_mul_hi_u32_u24 v0, v1, v2", "v_mul_hi_i32_i24 v0, v1, v2",
                                   "v_mad_u32_u24 v0, v1, v2, v3", "v_mad_i32_i24 v0, v2, v1, v3", "v_mad_u64_u32 v[0:1], null, v1, v2, v[3:4]",
                                   "v_mad_i64_i32 v[0:1], null, v2, v1, v[3:4]"}) {
        CAPTURE(line);
        WaveRun zero = prepared(line);
        zero.set_v(2, 0).undefine_v(1, ~0u).go();
        REQUIRE_FALSE(zero.fault());
        CHECK(zero.undefined_v(0, 3) == 0);
        if (std::string(line).find(", 0,") != std::string::npos) continue;
        WaveRun other = prepared(line);
        other.undefine_v(1, ~0u).go();
        CHECK(other.undefined_v(0, 3) != 0);
        WaveRun maybe_zero = prepared(line);  // bits that decide whether it is
        maybe_zero.set_v(2, 0).undefine_v(2, 8).undefine_v(1, ~0u).go();
        CHECK(maybe_zero.undefined_v(0, 3) != 0);
    }
    for (const char* const line : {"s_mul_i32 s2, s9, 0", "s_mul_hi_u32 s2, s4, s9", "s_mul_hi_i32 s2, 0, s9"}) {  // nobody wrote s9
        CAPTURE(line);
        WaveRun zero(line), other(line);
        zero.set_s(4, 0).go();
        CHECK(zero.undefined_s(2) == 0);
        other.set_s(4, 7).go();
        CHECK((other.undefined_s(2) != 0) == (std::string(line).find("s4") != std::string::npos));
    }
    // A floating-point product is unknown: the other factor may be NaN.
    WaveRun product = prepared("v_mul_f32 v0, v1, v2");
    product.set_v(2, 0).undefine_v(1, ~0u).go();
    CHECK(product.undefined_v(0, 3) != 0);
}

TEST_CASE("of a scalar source, too, only what is read matters") {
    const auto after = [](const std::string& line) {
        WaveRun run("s_and_b32 s2, s9, 0xff00\n" + line);  // bits 8 to 15 are undefined
        run.set_v(1, 0x01020304).set_v(2, 0).go();
        REQUIRE_FALSE(run.fault());
        return run.undefined_v(0, 5);
    };
    CHECK(after("v_and_b32 v0, s2, v1") == 0x0300);
    CHECK(after("v_bfe_u32 v0, s2, 0, 8") == 0);
    CHECK(after("v_lshrrev_b32 v0, 8, s2") == 0xff);
    CHECK(after("v_cvt_f32_ubyte0 v0, s2") == 0);
    CHECK(after("v_cvt_f32_ubyte1 v0, s2") == ~0u);
    CHECK(after("v_lshlrev_b32 v0, s2, v1") == 0);
    CHECK(after("v_add_nc_u32 v0, s2, v1") == 0xffffff00u);
    CHECK(after("v_cndmask_b32 v0, 5, 4, s2") == 0);  // of lane 5's bit nothing is undefined
    CHECK(after("v_lshl_add_u32 v0, v1, s2, v2") == 0);
}

namespace {

/// What a store of v1, whose bits `undefined` are, is stopped for.
const char* store_of(const std::string& line, std::uint32_t undefined) {
    std::vector<std::uint32_t> words(64);
    std::vector<std::uint8_t> defined(32);
    const auto map = std::make_shared<MemoryMap>(std::vector<Allocation>{
        {.base = kBase, .size = 256, .host = reinterpret_cast<std::byte*>(words.data()), .defined = defined.data(), .label = "the words"}});
    WaveRun run(line);
    run.set_memory(map).set_lds(256).set_s64(2, kBase).set_s(4, 0).set_s(8, static_cast<std::uint32_t>(kBase));
    run.set_s(9, static_cast<std::uint32_t>(kBase >> 32)).set_s(10, 256).set_s(11, 0x30020000).set_exec(1).set_v(0, 0).set_v(1, 0).undefine_v(1, undefined).go();
    if (!run.fault()) return "nothing";
    return run.fault()->kind == FaultKind::undefined_store ? "undefined store" : "something else";
}

}  // namespace

TEST_CASE("a narrow store takes its own part of the register") {
    for (const auto& [store, part] : {
             std::pair{"global_store_b8 v0, v1, s[2:3]", 0xffu},
             std::pair{"global_store_b16 v0, v1, s[2:3]", 0xffffu},
             std::pair{"global_store_d16_hi_b8 v0, v1, s[2:3]", 0xff0000u},
             std::pair{"global_store_d16_hi_b16 v0, v1, s[2:3]", 0xffff0000u},
             std::pair{"buffer_store_b8 v1, v0, s[8:11], 0 offen", 0xffu},
             std::pair{"buffer_store_b16 v1, v0, s[8:11], 0 offen", 0xffffu},
             std::pair{"buffer_store_d16_hi_b8 v1, v0, s[8:11], 0 offen", 0xff0000u},
             std::pair{"buffer_store_d16_hi_b16 v1, v0, s[8:11], 0 offen", 0xffff0000u},
         }) {
        const char* const line = store;
        CAPTURE(line);
        CHECK(std::string(store_of(line, ~part)) == "nothing");
        for (unsigned bit = 0; bit < 32; ++bit) {
            CAPTURE(bit);
            CHECK(std::string(store_of(line, 1u << bit)) == ((part >> bit & 1) != 0 ? "undefined store" : "nothing"));
        }
    }
    for (const auto& [store, load, part] : {
             std::tuple{"ds_store_b8 v0, v1", "ds_load_u8 v0, v0", 0xffu},
             std::tuple{"ds_store_b16 v0, v1", "ds_load_u16 v0, v0", 0xffffu},
             std::tuple{"ds_store_b8_d16_hi v0, v1", "ds_load_u8 v0, v0", 0xff0000u},
             std::tuple{"ds_store_b16_d16_hi v0, v1", "ds_load_u16 v0, v0", 0xffff0000u},
         }) {
        const char* const line = store;
        CAPTURE(line);
        for (unsigned bit = 0; bit < 32; ++bit) {
            CAPTURE(bit);
            WaveRun run(std::string(line) + "\n" + load);
            run.set_lds(16).set_v(0, 0).set_v(1, 0).set_exec(1).undefine_v(1, 1u << bit).go();
            REQUIRE_FALSE(run.fault());
            CHECK((run.undefined_v(0) != 0) == ((part >> bit & 1) != 0));
        }
    }
}
