// Vector operations on 32-bit and 64-bit floats: rounding, signed zeros, NaNs, denormals, modifiers.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"
#include "emulator/instruction_harness.hpp"

using emulator_test::bits_of;
using emulator_test::CaseTable;
using emulator_test::WaveRun;

static const CaseTable kTable1 = {
    {"v_add_f32_e32 v0, v1, v2", "v1=1.5f v2=2.25f", "v0=3.75f"},
    {"v_add_f32_e32 v0, v1, v2", "v1=16777216.0f v2=1.0f", "v0=16777216.0f"},        // tie to even
    {"v_add_f32_e32 v0, v1, v2", "v1=0x00000001 v2=0x00000001", "v0=0x00000002"},     // denormals are kept
    {"v_add_f32_e32 v0, v1, v2", "v1=0x7f800000 v2=0xff800000", "v0=0xffc00000"},     // inf - inf
    {"v_add_f32_e32 v0, v1, v2", "v1=0x7f800001 v2=1.0f", "v0=0x7fc00001"},           // a NaN comes out quiet
    {"v_add_f32_e32 v0, v1, v2", "v1=0xffc00012 v2=0x7fc00034", "v0=0xffc00012"},     // the first of two
    {"v_add_f32_e32 v0, v1, v2", "v1=1.0f v2=-1.0f", "v0=0"},
    {"v_add_f32_e64 v0, -v1, |v2|", "v1=1.0f v2=-4.0f", "v0=3.0f"},
    {"v_add_f32_e64 v0, -|v1|, v2", "v1=-1.0f v2=4.0f", "v0=3.0f"},
    {"v_add_f32_e64 v0, v1, v2 clamp", "v1=1.0f v2=4.0f", "v0=1.0f"},
    {"v_add_f32_e64 v0, v1, v2 clamp", "v1=1.0f v2=-4.0f", "v0=0"},
    {"v_add_f32_e64 v0, v1, v2 clamp", "v1=0x7fc00000 v2=-4.0f", "v0=0"},             // NaN clamps to 0
    {"v_add_f32_e64 v0, v1, v2 mul:2", "v1=1.0f v2=4.0f", "v0=5.0f"},                 // ignored while IEEE mode is on
    {"v_add_f32_e32 v0, 0.5, v2", "v2=1.0f", "v0=1.5f"},
    {"v_add_f32_e32 v0, s4, v2", "v2=1.0f s4=2.0f", "v0=3.0f"},
    {"v_sub_f32_e32 v0, v1, v2", "v1=1.5f v2=2.25f", "v0=-0.75f"},
    {"v_subrev_f32_e32 v0, v1, v2", "v1=1.5f v2=2.25f", "v0=0.75f"},
    {"v_mul_f32_e32 v0, v1, v2", "v1=3.0f v2=-0.5f", "v0=-1.5f"},
    {"v_mul_f32_e32 v0, v1, v2", "v1=0x7f800000 v2=0", "v0=0xffc00000"},
    {"v_mul_f32_e32 v0, v1, v2", "v1=0x00800000 v2=0.5f", "v0=0x00400000"},
    {"v_mul_dx9_zero_f32_e32 v0, v1, v2", "v1=0x7f800000 v2=0", "v0=0"},
    {"v_fma_f32 v0, v1, v2, v3", "v1=2.0f v2=3.0f v3=1.0f", "v0=7.0f"},
    // (1 + 2^-12)^2 - 1 - 2^-11 = 2^-24: the product is not rounded.
    {"v_fma_f32 v0, v1, v2, v3", "v1=0x3f800800 v2=0x3f800800 v3=0xbf801000", "v0=0x33800000"},
    {"v_fma_f32 v0, -v1, |v2|, -v3", "v1=2.0f v2=-3.0f v3=1.0f", "v0=-7.0f"},
    {"v_fmac_f32_e32 v0, v1, v2", "v0=1.0f v1=2.0f v2=3.0f", "v0=7.0f"},
    {"v_fmac_f32_e64 v0, -v1, s2", "v0=1.0f v1=2.0f s2=3.0f", "v0=-5.0f"},
    {"v_fmaak_f32 v0, v1, v2, 0x3f800000", "v1=2.0f v2=3.0f", "v0=7.0f"},
    {"v_fmamk_f32 v0, v1, 0x40400000, v2", "v1=2.0f v2=1.0f", "v0=7.0f"},
    {"v_fma_dx9_zero_f32 v0, v1, v2, v3", "v1=0x7f800000 v2=0 v3=1.0f", "v0=1.0f"},
    {"v_fmac_dx9_zero_f32_e32 v0, v1, v2", "v0=1.0f v1=0x7f800000 v2=0", "v0=1.0f"},
    {"v_mullit_f32 v0, v1, v2, v3", "v1=2.0f v2=3.0f v3=1.0f", "v0=6.0f"},
    {"v_mullit_f32 v0, v1, v2, v3", "v1=2.0f v2=3.0f v3=0", "v0=0xff7fffff"},
};

TEST_CASE("32-bit arithmetic") { kTable1.check(); }

static const CaseTable kTable2 = {
    {"v_min_f32_e32 v0, v1, v2", "v1=1.0f v2=-2.0f", "v0=-2.0f"},
    {"v_min_f32_e32 v0, v1, v2", "v1=0 v2=0x80000000", "v0=0x80000000"},
    {"v_min_f32_e32 v0, v1, v2", "v1=0x7fc00000 v2=-2.0f", "v0=-2.0f"},
    {"v_min_f32_e32 v0, v1, v2", "v1=-2.0f v2=0x7f800001", "v0=0x7fc00001"},
    {"v_max_f32_e32 v0, v1, v2", "v1=1.0f v2=-2.0f", "v0=1.0f"},
    {"v_max_f32_e32 v0, v1, v2", "v1=0x80000000 v2=0", "v0=0"},
    {"v_max_f32_e32 v0, v1, v2", "v1=0x7fc00000 v2=0x7fc00001", "v0=0x7fc00000"},
    {"v_max_f32_e32 v0, v1, v1", "v1=0xff800000", "v0=0xff800000"},
    {"v_min3_f32 v0, v1, v2, v3", "v1=3.0f v2=-1.0f v3=2.0f", "v0=-1.0f"},
    {"v_max3_f32 v0, v1, v2, v3", "v1=3.0f v2=-1.0f v3=2.0f", "v0=3.0f"},
    {"v_max3_f32 v0, |v1|, v2, -v3", "v1=-9.0f v2=-1.0f v3=-10.0f", "v0=10.0f"},
    {"v_max3_f32 v0, v1, v2, v3", "v1=0x7fc00000 v2=-1.0f v3=2.0f", "v0=2.0f"},
    {"v_med3_f32 v0, v1, v2, v3", "v1=3.0f v2=-1.0f v3=2.0f", "v0=2.0f"},
    {"v_med3_f32 v0, v1, v2, v3", "v1=0x7fc00000 v2=-1.0f v3=2.0f", "v0=-1.0f"},
    {"v_med3_f32 v0, v1, 0, 1.0", "v1=7.0f", "v0=1.0f"},
    {"v_minmax_f32 v0, v1, v2, v3", "v1=3.0f v2=-1.0f v3=2.0f", "v0=2.0f"},
    {"v_maxmin_f32 v0, v1, v2, v3", "v1=3.0f v2=-1.0f v3=2.0f", "v0=2.0f"},
};

TEST_CASE("32-bit minimum, maximum, median") { kTable2.check(); }

static const CaseTable kTable3 = {
    {"v_trunc_f32_e32 v0, v1", "v1=-2.7f", "v0=-2.0f"},
    {"v_ceil_f32_e32 v0, v1", "v1=2.1f", "v0=3.0f"},
    {"v_ceil_f32_e32 v0, v1", "v1=-0.5f", "v0=0x80000000"},
    {"v_floor_f32_e32 v0, v1", "v1=-2.1f", "v0=-3.0f"},
    {"v_rndne_f32_e32 v0, v1", "v1=2.5f", "v0=2.0f"},
    {"v_rndne_f32_e32 v0, v1", "v1=-3.5f", "v0=-4.0f"},
    {"v_fract_f32_e32 v0, v1", "v1=-0.25f", "v0=0.75f"},
    {"v_fract_f32_e32 v0, v1", "v1=0x80000001", "v0=0x3f7fffff"},
    {"v_ldexp_f32 v0, v1, v2", "v1=1.5f v2=4", "v0=24.0f"},
    {"v_ldexp_f32 v0, v1, v2", "v1=1.0f v2=-149", "v0=1"},
    {"v_ldexp_f32 v0, v1, v2", "v1=1.0f v2=128", "v0=0x7f800000"},
    {"v_ldexp_f32 v0, v1, v2", "v1=0x00000001 v2=149", "v0=1.0f"},
    {"v_ldexp_f32 v0, v1, v2", "v1=1.5f v2=0x80000000", "v0=0"},
    {"v_frexp_mant_f32_e32 v0, v1", "v1=12.0f", "v0=0.75f"},
    {"v_frexp_mant_f32_e32 v0, v1", "v1=0x80000001", "v0=-0.5f"},
    {"v_frexp_mant_f32_e32 v0, v1", "v1=0x7f800000", "v0=0x7f800000"},
    {"v_frexp_exp_i32_f32_e32 v0, v1", "v1=12.0f", "v0=4"},
    {"v_frexp_exp_i32_f32_e32 v0, v1", "v1=1", "v0=-148"},
    {"v_frexp_exp_i32_f32_e32 v0, v1", "v1=0", "v0=0"},
    {"v_cubeid_f32 v0, v1, v2, v3", "v1=1.0f v2=2.0f v3=-3.0f", "v0=5.0f"},
    {"v_cubeid_f32 v0, v1, v2, v3", "v1=1.0f v2=2.0f v3=-1.5f", "v0=2.0f"},
    {"v_cubesc_f32 v0, v1, v2, v3", "v1=1.0f v2=2.0f v3=-3.0f", "v0=-1.0f"},
    {"v_cubetc_f32 v0, v1, v2, v3", "v1=1.0f v2=2.0f v3=-3.0f", "v0=-2.0f"},
    {"v_cubema_f32 v0, v1, v2, v3", "v1=1.0f v2=2.0f v3=-3.0f", "v0=-6.0f"},
};

TEST_CASE("32-bit rounding to integers, mantissa and exponent, cube maps") { kTable3.check(); }

static const CaseTable kTable4 = {
    {"v_add_f64 v[0:1], v[2:3], v[4:5]", "v2:3=1.5d v4:5=2.25d", "v0:1=3.75d"},
    {"v_add_f64 v[0:1], -v[2:3], |v[4:5]|", "v2:3=1.5d v4:5=-2.25d", "v0:1=0.75d"},
    {"v_add_f64 v[0:1], v[2:3], 1.0", "v2:3=1.5d", "v0:1=2.5d"},
    {"v_add_f64 v[0:1], v[2:3], s[4:5]", "v2:3=1.5d s4:5=2.0d", "v0:1=3.5d"},
    {"v_add_f64 v[2:3], v[2:3], v[3:4]", "v2=0 v3=0x3ff00000 v4=0x3ff00000", "v2:3=0x400000001ff80000"},
    {"v_mul_f64 v[0:1], v[2:3], v[4:5]", "v2:3=1.5d v4:5=2.0d", "v0:1=3.0d"},
    {"v_mul_f64 v[0:1], v[2:3], v[4:5] clamp", "v2:3=1.5d v4:5=2.0d", "v0:1=1.0d"},
    {"v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v2:3=1.5d v4:5=2.0d v6:7=0.5d", "v0:1=3.5d"},
    {"v_min_f64 v[0:1], v[2:3], v[4:5]", "v2:3=1.5d v4:5=2.0d", "v0:1=1.5d"},
    {"v_min_f64 v[0:1], v[2:3], v[4:5]", "v2:3=0x7ff8000000000000 v4:5=2.0d", "v0:1=2.0d"},
    {"v_max_f64 v[0:1], v[2:3], v[4:5]", "v2:3=1.5d v4:5=2.0d", "v0:1=2.0d"},
    {"v_max_f64 v[0:1], v[2:3], v[4:5]", "v2:3=-0.0d v4:5=0.0d", "v0:1=0"},
    {"v_trunc_f64_e32 v[0:1], v[2:3]", "v2:3=-2.7d", "v0:1=-2.0d"},
    {"v_ceil_f64_e32 v[0:1], v[2:3]", "v2:3=2.1d", "v0:1=3.0d"},
    {"v_floor_f64_e32 v[0:1], v[2:3]", "v2:3=-2.1d", "v0:1=-3.0d"},
    {"v_rndne_f64_e32 v[0:1], v[2:3]", "v2:3=2.5d", "v0:1=2.0d"},
    {"v_fract_f64_e32 v[0:1], v[2:3]", "v2:3=-0.25d", "v0:1=0.75d"},
    {"v_ldexp_f64 v[0:1], v[2:3], v4", "v2:3=1.5d v4=4", "v0:1=24.0d"},
    {"v_ldexp_f64 v[0:1], v[2:3], v4", "v2:3=1.0d v4=-1074", "v0:1=1"},
    {"v_frexp_mant_f64_e32 v[0:1], v[2:3]", "v2:3=12.0d", "v0:1=0.75d"},
    {"v_frexp_mant_f64_e32 v[0:1], v[2:3]", "v2:3=1", "v0:1=0.5d"},
    {"v_frexp_exp_i32_f64_e32 v0, v[2:3]", "v2:3=12.0d", "v0=4"},
    {"v_frexp_exp_i32_f64_e32 v0, v[2:3]", "v2:3=1", "v0=-1073"},
    // The first 53 bits of 2/pi = 0.a2f9836e4e441 5..., as a fraction.
    {"v_trig_preop_f64 v[0:1], v[2:3], 0", "v2:3=1.0d", "v0:1=0x3fe45f306dc9c882"},
    {"v_rcp_f64_e32 v[0:1], v[2:3]", "v2:3=4.0d", "v0:1=0.25d"},
    {"v_rcp_f64_e32 v[0:1], v[2:3]", "v2:3=0", "v0:1=0x7ff0000000000000"},
    {"v_rsq_f64_e32 v[0:1], v[2:3]", "v2:3=4.0d", "v0:1=0.5d"},
    {"v_sqrt_f64_e32 v[0:1], v[2:3]", "v2:3=9.0d", "v0:1=3.0d"},
    {"v_sqrt_f64_e32 v[0:1], v[2:3]", "v2:3=-1.0d", "v0:1=0xfff8000000000000"},
};

TEST_CASE("64-bit floats") { kTable4.check(); }

static const CaseTable kTable5 = {
    {"v_div_scale_f32 v0, vcc_lo, v1, v1, v2", "v1=3.0f v2=1.0f", "v0=3.0f vcc=0"},
    // 2^100 / 1: the denominator grows by 2^64, the flag is set.
    {"v_div_scale_f32 v0, vcc_lo, v1, v1, v2", "v1=1.0f v2=0x71800000", "v0=0x5f800000 vcc=-1"},
    {"v_div_scale_f32 v0, vcc_lo, v2, v1, v2", "v1=1.0f v2=0x71800000", "v0=0x71800000 vcc=-1"},
    // A tiny numerator: both grow, no flag.
    {"v_div_scale_f32 v0, null, v2, v1, v2", "v1=0x00800000 v2=0x00800000", "v0=0x20800000"},
    // A tiny quotient: the numerator grows.
    {"v_div_scale_f32 v0, vcc_lo, v2, v1, v2", "v1=0x7d800000 v2=0.125f", "v0=0x5e000000 vcc=-1"},
    // A quotient that may be tiny by its exponents, although it is the smallest normal number.
    {"v_div_scale_f32 v0, vcc_lo, v2, v1, v2", "v1=1.0f v2=0x00800000", "v0=0x20800000 vcc=-1"},
    {"v_div_scale_f32 v0, vcc_lo, v1, v1, v2", "v1=1.0f v2=0x00800000", "v0=1.0f vcc=-1"},
    {"v_div_scale_f32 v0, vcc_lo, v2, v1, v2", "v1=1.0f v2=0x01000000", "v0=0x21000000 vcc=0"},
    {"v_div_fmas_f32 v0, v1, v2, v3", "v1=2.0f v2=3.0f v3=1.0f vcc=0", "v0=7.0f"},
    {"v_div_fmas_f32 v0, v1, v2, v3", "v1=2.0f v2=3.0f v3=2.0f vcc=-1", "v0=0x61000000"},   // 8 * 2^64
    {"v_div_fmas_f32 v0, v1, v2, v3", "v1=2.0f v2=3.0f v3=0.5f vcc=-1", "v0=0x20d00000"},   // 6.5 * 2^-64
    {"v_div_fixup_f32 v0, v1, v2, v3", "v1=2.0f v2=-1.0f v3=2.0f", "v0=-2.0f"},
    {"v_div_fixup_f32 v0, v1, v2, v3", "v1=2.0f v2=0 v3=0", "v0=0xffc00000"},
    {"v_div_fixup_f32 v0, v1, v2, v3", "v1=2.0f v2=0x80000000 v3=1.0f", "v0=0xff800000"},
    {"v_div_fixup_f32 v0, v1, v2, v3", "v1=2.0f v2=0x7f800000 v3=-1.0f", "v0=0x80000000"},
    {"v_div_fixup_f32 v0, v1, v2, v3", "v1=2.0f v2=1.0f v3=0x7f800001", "v0=0x7fc00001"},
    {"v_div_scale_f64 v[0:1], vcc_lo, v[2:3], v[2:3], v[4:5]", "v2:3=3.0d v4:5=1.0d", "v0:1=3.0d vcc=0"},
    {"v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v2:3=2.0d v4:5=3.0d v6:7=1.0d vcc=0", "v0:1=7.0d"},
    {"v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v2:3=2.0d v4:5=3.0d v6:7=0.5d vcc=-1", "v0:1=0x381a000000000000"},
    {"v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v2:3=2.0d v4:5=-1.0d v6:7=2.0d", "v0:1=-2.0d"},
    {"v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "v2:3=2.0d v4:5=0.0d v6:7=2.0d", "v0:1=0x7ff0000000000000"},
};

TEST_CASE("the steps of division") { kTable5.check(); }

// The sequence that the compiler emits for x / y with denormals kept.
constexpr std::string_view kDivision32 =
    "v_div_scale_f32 v2, null, v1, v1, v0\n"
    "v_rcp_f32_e32 v3, v2\n"
    "v_fma_f32 v4, -v2, v3, 1.0\n"
    "v_fmac_f32_e32 v3, v4, v3\n"
    "v_div_scale_f32 v4, vcc_lo, v0, v1, v0\n"
    "v_mul_f32_e32 v5, v4, v3\n"
    "v_fma_f32 v6, -v2, v5, v4\n"
    "v_fmac_f32_e32 v5, v6, v3\n"
    "v_fma_f32 v2, -v2, v5, v4\n"
    "v_div_fmas_f32 v2, v2, v3, v5\n"
    "v_div_fixup_f32 v0, v2, v1, v0\n";

constexpr std::string_view kDivision64 =
    "v_div_scale_f64 v[4:5], null, v[2:3], v[2:3], v[0:1]\n"
    "v_rcp_f64_e32 v[6:7], v[4:5]\n"
    "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\n"
    "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]\n"
    "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\n"
    "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]\n"
    "v_div_scale_f64 v[8:9], vcc_lo, v[0:1], v[2:3], v[0:1]\n"
    "v_mul_f64 v[10:11], v[8:9], v[6:7]\n"
    "v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]\n"
    "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]\n"
    "v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1]\n";

TEST_CASE("the compiler's division is correctly rounded over the whole range") {
    std::uint32_t seed = 12345;
    const auto random = [&seed] { return seed = seed * 1664525u + 1013904223u; };
    const std::uint32_t corners[] = {0,          0x80000000u, 1,           0x007fffffu, 0x00800000u, 0x00800001u, 0x3f800000u, 0xbf800000u, 0x7f7fffffu,
                                     0x7e800000u, 0x7f000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x0c000000u, 0x5f800000u, 0x33800000u};
    std::vector<std::uint32_t> values(std::begin(corners), std::end(corners));
    for (int i = 0; i < 60; ++i) values.push_back(random());
    for (const std::uint32_t x : values) {
        for (const std::uint32_t y : values) {
            WaveRun run(kDivision32);
            run.set_v(0, x).set_v(1, y).go();
            REQUIRE(run.fault() == nullptr);
            const float expected = std::bit_cast<float>(x) / std::bit_cast<float>(y);
            INFO("x ", x, " y ", y);
            if (std::isnan(expected)) {
                REQUIRE(std::isnan(std::bit_cast<float>(run.v(0))));
            } else {
                REQUIRE(run.v(0) == bits_of(expected));
            }
        }
    }
}

TEST_CASE("the compiler's division of doubles is correctly rounded over the whole range") {
    std::uint64_t seed = 99;
    const auto random = [&seed] { return seed = seed * 6364136223846793005ull + 1442695040888963407ull; };
    std::vector<std::uint64_t> values = {0, 1, 0x000fffffffffffffull, 0x0010000000000000ull, bits_of(1.0), bits_of(-3.0), 0x7fefffffffffffffull,
                                         0x7fd0000000000000ull, 0x7fe0000000000000ull, 0x7ff0000000000000ull, 0x0350000000000000ull};
    for (int i = 0; i < 50; ++i) values.push_back(random());
    for (const std::uint64_t x : values) {
        for (const std::uint64_t y : values) {
            WaveRun run(kDivision64);
            run.set_v64(0, x).set_v64(2, y).go();
            REQUIRE(run.fault() == nullptr);
            const double expected = std::bit_cast<double>(x) / std::bit_cast<double>(y);
            INFO("x ", x, " y ", y);
            if (std::isnan(expected)) {
                REQUIRE(std::isnan(std::bit_cast<double>(run.v64(0))));
            } else {
                REQUIRE(run.v64(0) == bits_of(expected));
            }
        }
    }
}

// mode=0xc0: 32-bit denormals are read as zeros and given as zeros; 0xd0: read as they are; 0xe0: given as they are.
static const CaseTable kFlushed = {
    {"v_mul_f32_e32 v0, 2.0, v1", "v1=0x00000001 mode=0xf0", "v0=0x00000002"},
    {"v_mul_f32_e32 v0, 2.0, v1", "v1=0x00000001 mode=0xc0", "v0=0"},
    {"v_mul_f32_e32 v0, 2.0, v1", "v1=0x80000001 mode=0xc0", "v0=0x80000000"},
    {"v_mul_f32_e32 v0, 2.0, v1", "v1=0x00000001 mode=0xd0", "v0=0"},            // the result
    {"v_mul_f32_e32 v0, 2.0, v1", "v1=0x00400000 mode=0xd0", "v0=0x00800000"},   // normal again
    {"v_mul_f32_e32 v0, 2.0, v1", "v1=0x00400000 mode=0xe0", "v0=0"},            // the source
    {"v_mul_f32_e32 v0, 0.5, v1", "v1=0x00800000 mode=0xe0", "v0=0x00400000"},
    {"v_mul_f32_e32 v0, 0.5, v1", "v1=0x80800000 mode=0xc0", "v0=0x80000000"},
    {"v_mul_f32_e64 v0, -v1, 2.0", "v1=0x00000001 mode=0xc0", "v0=0x80000000"},
    {"v_mul_f32_e32 v0, s2, v1", "s2=0x00000001 v1=16777216.0f mode=0xc0", "v0=0"},
    {"v_add_f32_e32 v0, v1, v2", "v1=0x00000001 v2=1.0f mode=0xc0", "v0=1.0f"},
    {"v_add_f32_e32 v0, v1, v2", "v1=0x7f800001 v2=0x00000001 mode=0xc0", "v0=0x7fc00001"},
    {"v_fmac_f32_e32 v0, v1, v2", "v0=0x00000001 v1=0 v2=0 mode=0xc0", "v0=0"},  // the accumulator is a source
    {"v_fmac_f32_e32 v0, v1, v2", "v0=0x00000001 v1=0 v2=0 mode=0xf0", "v0=0x00000001"},
    {"v_fma_f32 v0, v1, v2, v3", "v1=16777216.0f v2=0x00000001 v3=1.0f mode=0xc0", "v0=1.0f"},
    {"v_max_f32_e32 v0, v1, v2", "v1=0x00000001 v2=-1.0f mode=0xc0", "v0=0"},
    {"v_min_f32_e32 v0, v1, v2", "v1=0x80000001 v2=1.0f mode=0xc0", "v0=0x80000000"},
    {"v_ldexp_f32 v0, v1, v2", "v1=1.0f v2=-130 mode=0xc0", "v0=0"},
    {"v_ldexp_f32 v0, v1, v2", "v1=1.0f v2=-130 mode=0xf0", "v0=0x00080000"},
    {"v_cvt_f32_f64_e32 v0, v[2:3]", "v2:3=0x37a0000000000000 mode=0xc0", "v0=0"},
    {"v_cvt_f64_f32_e32 v[0:1], v2", "v2=0x00000001 mode=0xc0", "v0:1=0"},
    {"v_sqrt_f32_e32 v0, v1", "v1=0x00000001 mode=0xc0", "v0=0"},
    {"v_fma_mix_f32 v0, v1, v2, v3", "v1=0x00000001 v2=16777216.0f v3=1.0f mode=0xc0", "v0=1.0f"},
    {"v_cmp_lt_f32_e64 s4, 0, v1", "v1=0x00000001 mode=0xf0", "s4=0xffffffff"},
    {"v_cmp_lt_f32_e64 s4, 0, v1", "v1=0x00000001 mode=0xc0", "s4=0"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0x00000001 v2=0x80 mode=0xc0", "s4=0xffffffff"},  // looks at the bits
    {"v_cndmask_b32_e64 v0, v1, v2, vcc_lo", "v1=0x00000001 v2=2 vcc=0 mode=0xc0", "v0=0x00000001"},
    {"v_mov_b32_e32 v0, v1", "v1=0x00000001 mode=0xc0", "v0=0x00000001"},
    {"v_mul_f16_e32 v0, v1, v2", "v0=0 v1=0x0001 v2=2.0h mode=0xc0", "v0=0x0002"},           // has bits of its own
    {"v_div_scale_f32 v0, vcc_lo, v1, v1, v2", "v1=0x00000001 v2=1.0f mode=0xc0", "v0=0x7fc00000 vcc=0xffffffff"},
};

TEST_CASE("32-bit denormals are flushed, with their sign, where MODE says so") { kFlushed.check(); }
