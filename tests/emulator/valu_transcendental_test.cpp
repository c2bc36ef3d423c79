// Transcendental operations: exact points by hand, accuracy against the C library over the whole range.
#include <array>
#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"
#include "emulator/instruction_harness.hpp"

using emulator_test::bits_of;
using emulator_test::CaseTable;
using emulator_test::WaveRun;

static const CaseTable kTable1 = {
    {"v_exp_f32_e32 v0, v1", "v1=3.0f", "v0=8.0f"},
    {"v_exp_f32_e32 v0, v1", "v1=-126.0f", "v0=0x00800000"},
    {"v_exp_f32_e32 v0, v1", "v1=-127.0f", "v0=0"},            // denormal results are flushed
    {"v_exp_f32_e32 v0, v1", "v1=128.0f", "v0=0x7f800000"},
    {"v_exp_f32_e32 v0, v1", "v1=0xff800000", "v0=0"},
    {"v_exp_f32_e32 v0, v1", "v1=0x7fc00000", "v0=0x7fc00000"},
    {"v_exp_f32_e64 v0, -v1", "v1=1.0f", "v0=0.5f"},
    {"v_log_f32_e32 v0, v1", "v1=8.0f", "v0=3.0f"},
    {"v_log_f32_e32 v0, v1", "v1=1.0f", "v0=0"},
    {"v_log_f32_e32 v0, v1", "v1=0", "v0=0xff800000"},
    {"v_log_f32_e32 v0, v1", "v1=-1.0f", "v0=0xffc00000"},
    {"v_log_f32_e32 v0, v1", "v1=0x7f800000", "v0=0x7f800000"},
    {"v_rcp_f32_e32 v0, v1", "v1=4.0f", "v0=0.25f"},
    {"v_rcp_f32_e32 v0, v1", "v1=0x80000000", "v0=0xff800000"},
    {"v_rcp_f32_e32 v0, v1", "v1=0xff800000", "v0=0x80000000"},
    {"v_rcp_iflag_f32_e32 v0, v1", "v1=-0.5f", "v0=-2.0f"},
    {"v_rsq_f32_e32 v0, v1", "v1=16.0f", "v0=0.25f"},
    {"v_rsq_f32_e32 v0, v1", "v1=-1.0f", "v0=0xffc00000"},
    {"v_sqrt_f32_e32 v0, v1", "v1=9.0f", "v0=3.0f"},
    {"v_sqrt_f32_e32 v0, v1", "v1=0x80000000", "v0=0x80000000"},
    {"v_sin_f32_e32 v0, v1", "v1=0.25f", "v0=1.0f"},           // the argument counts revolutions
    {"v_sin_f32_e32 v0, v1", "v1=0.5f", "v0=0"},
    {"v_sin_f32_e32 v0, v1", "v1=-0.25f", "v0=-1.0f"},
    {"v_cos_f32_e32 v0, v1", "v1=0", "v0=1.0f"},
    {"v_cos_f32_e32 v0, v1", "v1=0.5f", "v0=-1.0f"},
    {"v_cos_f32_e32 v0, v1", "v1=1000.0f", "v0=1.0f"},
    {"v_exp_f16_e32 v0, v1", "v0=0xaaaa0000 v1=3.0h", "v0=0xaaaa4800"},
    {"v_exp_f16_e32 v0, v1", "v0=0 v1=-24.0h", "v0=0x0001"},   // halves keep their denormals
    {"v_log_f16_e32 v0, v1", "v0=0 v1=8.0h", "v0=0x4200"},
    {"v_log_f16_e32 v0, v1", "v0=0 v1=0x0001", "v0=0xce00"},
    {"v_rcp_f16_e32 v0, v1", "v0=0 v1=4.0h", "v0=0x3400"},
    {"v_rsq_f16_e32 v0, v1", "v0=0 v1=16.0h", "v0=0x3400"},
    {"v_sqrt_f16_e32 v0, v1", "v0=0 v1=9.0h", "v0=0x4200"},
    {"v_sin_f16_e32 v0, v1", "v0=0 v1=0.25h", "v0=0x3c00"},
    {"v_cos_f16_e32 v0, v1", "v0=0 v1=0.5h", "v0=0xbc00"},
};

TEST_CASE("transcendental operations at points with a known answer") { kTable1.check(); }

namespace {

/// Units in the last place between a float and the exact value.
double error_in_ulps(float got, double exact) {
    const float nearest = static_cast<float>(exact);
    if (got == nearest) return 0.5;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(nearest), -126) - 23);
    return std::fabs(static_cast<double>(got) - exact) / unit;
}

void check_accuracy(std::string_view line, float from, float to, const std::function<double(double)>& exact) {
    double worst = 0;
    constexpr int kRuns = 64;
    for (int i = 0; i < kRuns; ++i) {
        std::array<std::uint32_t, hipemu::kLanes> lanes{};
        for (int l = 0; l < hipemu::kLanes; ++l) {
            const double t = (i * hipemu::kLanes + l + 0.37) / (kRuns * hipemu::kLanes);
            lanes[static_cast<std::size_t>(l)] = bits_of(static_cast<float>(from + t * (static_cast<double>(to) - from)));
        }
        WaveRun run(line);
        run.set_v(1, lanes).go();
        REQUIRE(run.fault() == nullptr);
        for (int l = 0; l < hipemu::kLanes; ++l) {
            const double x = std::bit_cast<float>(lanes[static_cast<std::size_t>(l)]);
            worst = std::max(worst, error_in_ulps(std::bit_cast<float>(run.v(0, l)), exact(x)));
        }
    }
    INFO(line);
    CHECK(worst <= 1.0);
}

}  // namespace

TEST_CASE("transcendental operations are within one unit in the last place") {
    const double turn = 2.0 * std::acos(-1.0);
    check_accuracy("v_exp_f32_e32 v0, v1", -125.9f, 127.9f, [](double x) { return std::exp2(x); });
    check_accuracy("v_exp_f32_e32 v0, v1", -1.0f, 1.0f, [](double x) { return std::exp2(x); });
    check_accuracy("v_log_f32_e32 v0, v1", 0.5f, 2.0f, [](double x) { return std::log2(x); });
    check_accuracy("v_log_f32_e32 v0, v1", 0.999f, 1.001f, [](double x) { return std::log2(x); });
    check_accuracy("v_log_f32_e32 v0, v1", 1e-30f, 1e30f, [](double x) { return std::log2(x); });
    check_accuracy("v_rcp_f32_e32 v0, v1", 0.1f, 100.0f, [](double x) { return 1.0 / x; });
    check_accuracy("v_rsq_f32_e32 v0, v1", 0.1f, 100.0f, [](double x) { return 1.0 / std::sqrt(x); });
    check_accuracy("v_sqrt_f32_e32 v0, v1", 0.1f, 100.0f, [](double x) { return std::sqrt(x); });
    check_accuracy("v_sin_f32_e32 v0, v1", -0.5f, 0.5f, [turn](double x) { return std::sin(turn * x); });
    check_accuracy("v_cos_f32_e32 v0, v1", -0.24f, 0.24f, [turn](double x) { return std::cos(turn * x); });
}
