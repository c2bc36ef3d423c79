// Vector float instructions while MODE rounds another way or flushes denormals of 16 and 64 bits.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "emulator/instruction_harness.hpp"

using emulator_test::bits_of;
using emulator_test::WaveRun;
using namespace hipemu;

namespace {

constexpr std::uint32_t kKeep = 0xf0, kUp = kKeep | 5, kDown = kKeep | 10, kZero = kKeep | 15;
constexpr std::uint32_t kFlush64 = 0x30;

/// `mnemonic v0, v1, v2` on 32-bit registers.
std::uint32_t binary(const char* mnemonic, std::uint32_t a, std::uint32_t b, std::uint32_t mode) {
    INFO(mnemonic);
    WaveRun run(fmt::format("{} v0, v1, v2", mnemonic));
    run.set_v(0, 0).set_v(1, a).set_v(2, b).set_mode(mode).go();
    REQUIRE_FALSE(run.fault());
    return run.v(0, 17);
}

double wide(const char* mnemonic, double a, double b, std::uint32_t mode) {
    INFO(mnemonic);
    WaveRun run(fmt::format("{} v[0:1], v[2:3], v[4:5]", mnemonic));
    run.set_v64(2, bits_of(a)).set_v64(4, bits_of(b)).set_mode(mode).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v64(2, 3) == bits_of(a));  // sources come back whole
    return std::bit_cast<double>(run.v64(0, 17));
}

}  // namespace

TEST_CASE("MODE rounds 32-bit sums, products and conversions") {
    const std::uint32_t one = bits_of(1.0f), tiny = bits_of(0x1p-30f);
    CHECK(binary("v_add_f32", one, tiny, kKeep) == one);
    CHECK(binary("v_add_f32", one, tiny, kUp) == one + 1);
    CHECK(binary("v_sub_f32", one, tiny, kDown) == one - 1);
    CHECK(binary("v_sub_f32", one, tiny, kUp) == one);
    CHECK(binary("v_mul_f32", bits_of(0x1.000002p0f), bits_of(-0x1.000002p0f), kZero) == bits_of(-0x1.000004p0f));
    CHECK(binary("v_mul_f32", bits_of(0x1.000002p0f), bits_of(-0x1.000002p0f), kDown) == bits_of(-0x1.000006p0f));
    WaveRun integers("v_cvt_f32_u32 v0, v1\nv_cvt_f32_i32 v2, v3");
    integers.set_v(1, 0x40123481u).set_v(3, static_cast<std::uint32_t>(-0x40123481)).set_mode(kUp).go();
    REQUIRE_FALSE(integers.fault());
    CHECK(integers.v(0) == bits_of(static_cast<float>(0x40123500)));
    CHECK(integers.v(2) == bits_of(-static_cast<float>(0x40123480)));
    WaveRun run("v_cvt_f32_u32 v0, v1\nv_dual_add_f32 v2, v4, v5 :: v_dual_mul_f32 v3, v6, v7\nv_cvt_f32_f64 v8, v[10:11]");
    run.set_v(1, 0xffffffffu).set_v(4, one).set_v(5, tiny).set_v(6, bits_of(3.0f)).set_v(7, bits_of(1.0f / 3)).set_v64(10, bits_of(1.0 + 0x1p-40));
    run.set_mode(kUp).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(0) == bits_of(0x1p32f));
    CHECK(run.v(2) == one + 1);
    CHECK(run.v(3) == bits_of(0x1.000002p0f));
    CHECK(run.v(8) == one + 1);
}

TEST_CASE("MODE rounds doubles and flushes their denormals") {
    CHECK(wide("v_add_f64", 1.0, 0x1p-60, kKeep) == 1.0);
    CHECK(wide("v_add_f64", 1.0, 0x1p-60, kUp) == 1.0 + 0x1p-52);
    CHECK(wide("v_add_f64", 1.0, -0x1p-60, kZero) == 1.0 - 0x1p-53);
    CHECK(wide("v_mul_f64", 0x1p-1000, 0x1p-30, kKeep) == 0x1p-1030);
    CHECK(wide("v_mul_f64", 0x1p-1000, 0x1p-30, kFlush64) == 0.0);
    CHECK(wide("v_mul_f64", 0x1p-1030, 0x1p100, kFlush64) == 0.0);      // a denormal source
    CHECK(wide("v_mul_f64", 0x1p-1030, 0x1p100, kFlush64 | 0x40) == 0x1p-930);  // read, not given
    CHECK(wide("v_max_f64", 0x1p-1030, -1.0, kFlush64) == 0.0);
}

TEST_CASE("MODE rounds halves and flushes their denormals") {
    CHECK(binary("v_add_f16", 0x3c00, 0x0c00, kKeep) == 0x3c00);
    CHECK(binary("v_add_f16", 0x3c00, 0x0c00, kUp) == 0x3c01);
    CHECK(binary("v_mul_f16", 0x3c01, 0xbc01, kDown) == 0xbc03);
    CHECK(binary("v_mul_f16", 0x3c01, 0xbc01, kZero) == 0xbc02);
    CHECK(binary("v_add_f16", 1, 1, kKeep) == 2);
    CHECK(binary("v_add_f16", 1, 1, kFlush64) == 0);
    CHECK(binary("v_add_f16", 0x7c01, 1, kUp) == 0x7e01);
    CHECK(binary("v_pk_add_f16", 0x3c003c00, 0x0c008c00, kUp) == 0x3c013c00);
    CHECK(binary("v_fmac_f16", 0x3c00, 0x0c00, kUp) == 0x0c00);
    WaveRun convert("v_cvt_f16_f32 v0, v1\nv_cvt_f16_f32 v2, -v1\nv_cvt_f16_f32 v3, v4");
    convert.set_v(0, 0).set_v(2, 0).set_v(3, 0).set_v(1, bits_of(65530.0f)).set_v(4, bits_of(0x1p-30f)).set_mode(kDown).go();
    REQUIRE_FALSE(convert.fault());
    CHECK(convert.v(0) == 0x7bff);
    CHECK(convert.v(2) == 0xfc00);
    CHECK(convert.v(3) == 0);
}

TEST_CASE("what is not modelled in a mode stops with the mode's name, and is fine in the usual one") {
    WaveRun refused("v_sqrt_f16 v0, v1");
    refused.set_v(0, 0).set_v(1, 0x4000).set_mode(kUp).go();
    REQUIRE(refused.fault());
    CHECK(refused.fault()->kind == FaultKind::unsupported);
    CHECK(refused.fault()->message.find("v_sqrt_f16 while MODE rounds 16-bit floats up") != std::string::npos);
    WaveRun flushes("v_max_f16 v0, v1, v2");
    flushes.set_v(0, 0).set_v(1, 0x4000).set_v(2, 1).set_mode(kFlush64).go();
    REQUIRE(flushes.fault());
    CHECK(flushes.fault()->message.find("flushes denormals of 16 bits") != std::string::npos);
    WaveRun exact("v_max_f16 v0, v1, v2\nv_pack_b32_f16 v3, v1, v2\nv_rcp_f32 v4, v5");
    exact.set_v(0, 0).set_v(1, 0x4000).set_v(2, 1).set_v(5, bits_of(2.0f)).set_mode(kUp).go();
    CHECK_FALSE(exact.fault());
    WaveRun set_by_program("s_round_mode 0x5\nv_add_f32 v0, v1, v2\ns_round_mode 0x0\nv_add_f32 v3, v1, v2\nv_sqrt_f16 v4, v1");
    set_by_program.set_v(1, bits_of(1.0f)).set_v(2, bits_of(0x1p-30f)).set_v(4, 0).go();
    REQUIRE_FALSE(set_by_program.fault());
    CHECK(set_by_program.v(0) == bits_of(1.0f) + 1);
    CHECK(set_by_program.v(3) == bits_of(1.0f));
}

TEST_CASE("division's last step rounds as MODE says, scaled back or not") {
    // (a * b + c) * 2^-64 where VCC says so; c is small.
    const auto fmas = [](float a, float b, float c, std::uint32_t vcc, std::uint32_t mode) {
        WaveRun run("v_div_fmas_f32 v0, v1, v2, v3");
        run.set_v(1, bits_of(a)).set_v(2, bits_of(b)).set_v(3, bits_of(c)).set_vcc(vcc).set_mode(mode).go();
        REQUIRE_FALSE(run.fault());
        return std::bit_cast<float>(run.v(0, 5));
    };
    CHECK(fmas(0x1p-30f, 1.0f, 1.0f, 0, kUp) == 0x1.000002p0f);
    CHECK(fmas(0x1p-30f, 1.0f, 1.0f, 0, kDown) == 1.0f);
    CHECK(fmas(0x1p-30f, 1.0f, 1.0f, 0xffffffffu, kUp) == 0x1.000002p-64f);
    CHECK(fmas(0x1p-30f, 1.0f, 1.0f, 0xffffffdfu, kUp) == 0x1.000002p0f);  // lane 5 is not scaled
}
