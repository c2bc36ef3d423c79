// Floats of scalar instructions (gfx11.5): values, NaNs, rounding and denormals as MODE says, undefined bits.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "emulator/instruction_harness.hpp"

using emulator_test::bits_of;
using emulator_test::WaveRun;
using namespace hipemu;

namespace {

constexpr std::uint32_t kKeepDenormals = 0xf0;
constexpr std::uint32_t kUp = 5, kDown = 10, kZero = 15;  // both rounding fields

constexpr float kEpsilon = 0x1p-24f;
constexpr std::uint32_t kQuietNan = 0x7fc01234u, kSignallingNan = 0x7f801234u;

/// `mnemonic s0, s1, s2` with MODE.
std::uint32_t binary(const char* mnemonic, std::uint32_t a, std::uint32_t b, std::uint32_t mode = kKeepDenormals) {
    INFO(mnemonic);
    WaveRun run(fmt::format("{} s0, s1, s2", mnemonic));
    run.set_s(1, a).set_s(2, b).set_mode(mode).go();
    REQUIRE_FALSE(run.fault());
    return run.s(0);
}

std::uint32_t unary(const char* mnemonic, std::uint32_t a, std::uint32_t mode = kKeepDenormals) {
    INFO(mnemonic);
    WaveRun run(fmt::format("{} s0, s1", mnemonic));
    run.set_s(1, a).set_mode(mode).go();
    REQUIRE_FALSE(run.fault());
    return run.s(0);
}

bool holds(const std::string& mnemonic, std::uint32_t a, std::uint32_t b) {
    INFO(mnemonic);
    WaveRun run(fmt::format("{} s1, s2", mnemonic));
    run.set_s(1, a).set_s(2, b).go();
    REQUIRE_FALSE(run.fault());
    return run.scc();
}

}  // namespace

TEST_CASE("scalar floats: arithmetic of 32 bits") {
    CHECK(binary("s_add_f32", bits_of(1.5f), bits_of(2.25f)) == bits_of(3.75f));
    CHECK(binary("s_sub_f32", bits_of(1.5f), bits_of(2.25f)) == bits_of(-0.75f));
    CHECK(binary("s_mul_f32", bits_of(1.5f), bits_of(-2.0f)) == bits_of(-3.0f));
    CHECK(binary("s_add_f32", bits_of(1.0f), kSignallingNan) == (kSignallingNan | 0x400000u));
    CHECK(binary("s_sub_f32", 0x7f800000u, 0x7f800000u) == 0xffc00000u);
    WaveRun fused("s_fmac_f32 s0, s1, s2\ns_fmaak_f32 s3, s1, s2, 0x41200000\ns_fmamk_f32 s4, s1, 0x41200000, s2");
    fused.set_s(0, bits_of(1.0f)).set_s(1, bits_of(2.0f)).set_s(2, bits_of(3.0f)).go();
    REQUIRE_FALSE(fused.fault());
    CHECK(fused.s(0) == bits_of(7.0f));
    CHECK(fused.s(3) == bits_of(16.0f));
    CHECK(fused.s(4) == bits_of(23.0f));
}

TEST_CASE("scalar floats: minimum and maximum order zeros and know NaNs") {
    CHECK(binary("s_min_f32", bits_of(-0.0f), bits_of(0.0f)) == bits_of(-0.0f));
    CHECK(binary("s_min_f32", bits_of(0.0f), bits_of(-0.0f)) == bits_of(-0.0f));
    CHECK(binary("s_max_f32", bits_of(-0.0f), bits_of(0.0f)) == bits_of(0.0f));
    CHECK(binary("s_max_f32", bits_of(2.0f), bits_of(3.0f)) == bits_of(3.0f));
    CHECK(binary("s_min_f32", kQuietNan, bits_of(3.0f)) == bits_of(3.0f));
    CHECK(binary("s_max_f32", bits_of(3.0f), kQuietNan) == bits_of(3.0f));
    CHECK(binary("s_max_f32", bits_of(3.0f), kSignallingNan) == (kSignallingNan | 0x400000u));
    CHECK(binary("s_min_f16", 0x3c00, 0x4000) == 0x3c00);
    CHECK(binary("s_max_f16", 0x3c00, 0x4000) == 0x4000);
}

TEST_CASE("scalar floats: rounding to integral values and conversions") {
    CHECK(unary("s_ceil_f32", bits_of(1.25f)) == bits_of(2.0f));
    CHECK(unary("s_floor_f32", bits_of(-1.25f)) == bits_of(-2.0f));
    CHECK(unary("s_trunc_f32", bits_of(-1.75f)) == bits_of(-1.0f));
    CHECK(unary("s_rndne_f32", bits_of(2.5f)) == bits_of(2.0f));
    CHECK(unary("s_rndne_f32", bits_of(2.5f), kKeepDenormals | kUp) == bits_of(2.0f));
    CHECK(unary("s_ceil_f16", 0x3d00) == 0x4000);
    CHECK(unary("s_floor_f16", 0xbd00) == 0xc000);
    CHECK(unary("s_trunc_f16", 0xbf00) == 0xbc00);
    CHECK(unary("s_rndne_f16", 0x4100) == 0x4000);
    CHECK(unary("s_cvt_f32_i32", static_cast<std::uint32_t>(-3)) == bits_of(-3.0f));
    CHECK(unary("s_cvt_f32_u32", 0xffffffffu) == bits_of(0x1p32f));
    CHECK(unary("s_cvt_f32_u32", 0xffffffffu, kKeepDenormals | kZero) == 0x4f7fffffu);
    CHECK(unary("s_cvt_i32_f32", bits_of(-3.75f)) == static_cast<std::uint32_t>(-3));
    CHECK(unary("s_cvt_i32_f32", bits_of(1e20f)) == 0x7fffffffu);
    CHECK(unary("s_cvt_u32_f32", bits_of(-3.75f)) == 0);
    CHECK(unary("s_cvt_u32_f32", kQuietNan) == 0);
    CHECK(unary("s_cvt_f16_f32", bits_of(65520.0f)) == 0x7c00);
    CHECK(unary("s_cvt_f16_f32", bits_of(65520.0f), kKeepDenormals | kDown) == 0x7bff);
    CHECK(unary("s_cvt_f32_f16", 0x7777'3c00u) == bits_of(1.0f));
    CHECK(unary("s_cvt_hi_f32_f16", 0x3c00'7777u) == bits_of(1.0f));
    CHECK(binary("s_cvt_pk_rtz_f16_f32", bits_of(1.0f + 0x1.8p-10f), bits_of(1e6f)) == 0x7bff'3c01u);
}

TEST_CASE("scalar floats: a half result clears the rest of its register") {
    CHECK(binary("s_add_f16", 0xdead'3c00u, 0xbeef'4000u) == 0x4200u);
    CHECK(binary("s_sub_f16", 0x3c00, 0x4000) == 0xbc00u);
    CHECK(binary("s_mul_f16", 0x4000, 0x4200) == 0x4600u);
    WaveRun fused("s_fmac_f16 s0, s1, s2");
    fused.set_s(0, 0xffff'3c00u).set_s(1, 0x4000).set_s(2, 0x4200).go();
    CHECK(fused.s(0) == 0x4700u);
}

TEST_CASE("scalar floats: MODE decides about rounding and denormals") {
    const std::uint32_t one = bits_of(1.0f), half_unit = bits_of(kEpsilon);
    CHECK(binary("s_add_f32", one, half_unit) == one);
    CHECK(binary("s_add_f32", one, half_unit, kKeepDenormals | kUp) == one + 1);
    CHECK(binary("s_sub_f32", one, half_unit, kKeepDenormals | kZero) == one - 1);
    CHECK(binary("s_mul_f32", bits_of(1.0f / 3), bits_of(1.0f / 3), kKeepDenormals | kUp) ==
          binary("s_mul_f32", bits_of(1.0f / 3), bits_of(1.0f / 3), kKeepDenormals | kDown) + 1);
    CHECK(binary("s_add_f16", 0x3c00, 0x1000, kKeepDenormals | kUp) == 0x3c01);
    CHECK(binary("s_add_f16", 0x3c00, 0x1000, kKeepDenormals | kDown) == 0x3c00);
    CHECK(binary("s_add_f32", 1, 1) == 2);
    CHECK(binary("s_add_f32", 1, 1, 0xc0) == 0);
    CHECK(binary("s_mul_f32", 0x00800000u, bits_of(0.5f), 0xd0) == 0);  // a denormal result
    CHECK(binary("s_add_f16", 1, 1, 0x30) == 0);
    CHECK(binary("s_add_f16", 1, 1) == 2);
}

TEST_CASE("scalar floats: comparisons set SCC") {
    struct Row {
        const char* name;
        bool less, equal, greater, unordered;
    };
    for (const Row& row : {Row{"lt", true, false, false, false}, Row{"eq", false, true, false, false}, Row{"le", true, true, false, false},
                           Row{"gt", false, false, true, false}, Row{"lg", true, false, true, false}, Row{"ge", false, true, true, false},
                           Row{"o", true, true, true, false}, Row{"u", false, false, false, true}, Row{"nge", true, false, false, true},
                           Row{"nlg", false, true, false, true}, Row{"ngt", true, true, false, true}, Row{"nle", false, false, true, true},
                           Row{"neq", true, false, true, true}, Row{"nlt", false, true, true, true}}) {
        const std::string name = std::string("s_cmp_") + row.name;
        CHECK(holds(name + "_f32", bits_of(1.0f), bits_of(2.0f)) == row.less);
        CHECK(holds(name + "_f32", bits_of(0.0f), bits_of(-0.0f)) == row.equal);
        CHECK(holds(name + "_f32", bits_of(3.0f), bits_of(2.0f)) == row.greater);
        CHECK(holds(name + "_f32", bits_of(3.0f), kQuietNan) == row.unordered);
        CHECK(holds(name + "_f16", 0x3c00, 0x4000) == row.less);
        CHECK(holds(name + "_f16", 0x3c00, 0x3c00) == row.equal);
        CHECK(holds(name + "_f16", 0x4000, 0x3c00) == row.greater);
        CHECK(holds(name + "_f16", 0x7e00, 0x3c00) == row.unordered);
    }
}

TEST_CASE("scalar floats: undefined bits beside a half do not matter, those in it do") {
    WaveRun run("s_lshl_b32 s4, s3, 16\ns_or_b32 s1, s1, s4\ns_add_f16 s0, s1, s2\ns_cvt_hi_f32_f16 s5, s1\ns_cmp_lt_f16 s1, s2");
    run.set_s(1, 0x3c00).set_s(2, 0x4000).go();  // s3 is undefined
    REQUIRE_FALSE(run.fault());
    CHECK(run.s(0) == 0x4200);
    CHECK(run.undefined_s(0) == 0);
    CHECK(run.undefined_s(5) == 0xffffffffu);
    CHECK(run.scc());
    WaveRun both("s_add_f32 s0, s1, s2");
    both.set_s(1, 0).go();
    CHECK(both.undefined_s(0) == 0xffffffffu);
}
