// The device's math library on the emulator, against the host's in extended precision.
#include <doctest/doctest.h>

#include "emulator/corpus.hpp"

namespace {

using namespace hip_test;

struct Function {
    const char* name;
    double low, high;
    double allowed;  // ulp
};

constexpr Function kFunctions[] = {
#define FUNCTION(result, name, arguments, low, high, ulp) {#name, low, high, ulp},
#include "emulator/corpus/math_functions.def"
#undef FUNCTION
};
constexpr std::size_t kCount = std::size(kFunctions);

/// The exact functions, of arguments that are T's and may have been computed in T.
namespace exact {
using Wide = long double;
Wide exp(Wide x) { return std::exp(x); }
Wide exp2(Wide x) { return std::exp2(x); }
Wide exp10(Wide x) { return std::pow(10.0L, x); }
Wide expm1(Wide x) { return std::expm1(x); }
Wide log(Wide x) { return std::log(x); }
Wide log2(Wide x) { return std::log2(x); }
Wide log10(Wide x) { return std::log10(x); }
Wide log1p(Wide x) { return std::log1p(x); }
Wide sqrt(Wide x) { return std::sqrt(x); }
Wide cbrt(Wide x) { return std::cbrt(x); }
Wide sin(Wide x) { return std::sin(x); }
Wide cos(Wide x) { return std::cos(x); }
Wide tan(Wide x) { return std::tan(x); }
Wide asin(Wide x) { return std::asin(x); }
Wide acos(Wide x) { return std::acos(x); }
Wide atan(Wide x) { return std::atan(x); }
Wide sinh(Wide x) { return std::sinh(x); }
Wide cosh(Wide x) { return std::cosh(x); }
Wide tanh(Wide x) { return std::tanh(x); }
Wide asinh(Wide x) { return std::asinh(x); }
Wide acosh(Wide x) { return std::acosh(x); }
Wide atanh(Wide x) { return std::atanh(x); }
Wide erf(Wide x) { return std::erf(x); }
Wide erfc(Wide x) { return std::erfc(x); }
Wide tgamma(Wide x) { return std::tgamma(x); }
Wide lgamma(Wide x) { return std::lgamma(x); }
Wide pow(Wide x, Wide y) { return std::pow(x, y); }
Wide fmod(Wide x, Wide y) { return std::fmod(x, y); }
Wide remainder(Wide x, Wide y) { return std::remainder(x, y); }
Wide atan2(Wide x, Wide y) { return std::atan2(x, y); }
Wide hypot(Wide x, Wide y) { return std::hypot(x, y); }
Wide fdim(Wide x, Wide y) { return std::fdim(x, y); }
float nextafter(float x, float y) { return std::nextafter(x, y); }
double nextafter(double x, double y) { return std::nextafter(x, y); }
}  // namespace exact

template <class T>
long double expected(std::size_t function, T x, T y) {
    switch (function) {
#define FUNCTION(result, name, arguments, low, high, ulp) case result: return exact::name arguments;
#include "emulator/corpus/math_functions.def"
#undef FUNCTION
        default: return static_cast<long double>(y);
    }
}

template <class T>
void check(const Module& module, const char* kernel) {
    CAPTURE(kernel);
    constexpr std::size_t n = 256;
    std::vector<T> inputs;
    for (std::size_t f = 0; f < kCount; ++f) {
        const auto x = random_values<T>(n, static_cast<T>(kFunctions[f].low), static_cast<T>(kFunctions[f].high), static_cast<unsigned>(f));
        const auto y = random_values<T>(n, T(-7), T(7), static_cast<unsigned>(100 + f));
        inputs.insert(inputs.end(), x.begin(), x.end());
        inputs.insert(inputs.end(), y.begin(), y.end());
    }
    const Array<T> din(inputs), dout(kCount * n);
    HIP_OK(launch(module.kernel(kernel), {4}, {64}, 0, nullptr, din.get(), dout.get(), static_cast<int>(n)));
    const auto out = dout.read();
    for (std::size_t f = 0; f < kCount; ++f) {
        for (std::size_t i = 0; i < n; ++i) {
            const T x = inputs[2 * f * n + i], y = inputs[(2 * f + 1) * n + i];
            const double error = ulps(out[f * n + i], expected<T>(f, x, y));
            CAPTURE(kFunctions[f].name);
            CAPTURE(x);
            CAPTURE(y);
            CAPTURE(out[f * n + i]);
            REQUIRE_LE(error, kFunctions[f].allowed + 0.5);
        }
    }
}

}  // namespace

TEST_CASE("corpus: the math library in single precision") {
    on_every_target("math_library", [](const Module& module) { check<float>(module, "math_f32"); });
}

TEST_CASE("corpus: the math library in double precision") {
    on_every_target("math_library", [](const Module& module) { check<double>(module, "math_f64"); });
}

TEST_CASE("corpus: functions with two results or an integer") {
    on_every_target("math_library", [](const Module& module) {
        auto inputs = random_values<float>(256, -50, 50, 9);
        inputs[0] = 0.0f;
        inputs[1] = std::numeric_limits<float>::infinity();
        inputs[2] = std::numeric_limits<float>::denorm_min();
        const std::size_t n = inputs.size();
        const Array<float> din(inputs), dout(n * 8);
        const Array<int> dwhole(n * 4);
        HIP_OK(launch(module.kernel("math_parts"), {4}, {64}, 0, nullptr, din.get(), dout.get(), dwhole.get(), static_cast<int>(n)));
        const auto out = dout.read();
        const auto whole = dwhole.read();
        for (std::size_t i = 0; i < n; ++i) {
            const float x = inputs[i];
            CAPTURE(x);
            float integral = 0;
            int exponent = 0;
            const float* o = &out[i * 8];
            CHECK_EQ(o[0], std::modf(x, &integral));
            CHECK_EQ(o[1], integral);
            if (std::isfinite(x)) {
                CHECK_EQ(o[2], std::frexp(x, &exponent));
                CHECK_EQ(whole[i * 4], exponent);
                CHECK_LE(ulps(o[3], std::sin(static_cast<long double>(x))), 3);
                CHECK_LE(ulps(o[4], std::cos(static_cast<long double>(x))), 3);
                CHECK_EQ(whole[i * 4 + 2], std::lround(x));
                if (x != 0) CHECK_EQ(whole[i * 4 + 1], std::ilogb(x));
            }
            CHECK_EQ(o[5], std::ldexp(x, static_cast<int>(i % 20) - 10));
            CHECK_LE(ulps(o[6], std::pow(static_cast<long double>(x), static_cast<int>(i % 5) - 2)), 3);
            CHECK_LE(ulps(o[7], 1 / std::sqrt(static_cast<long double>(std::fabs(x) + 0.25f))), 2);
            CHECK_EQ(whole[i * 4 + 3], (std::isinf(x) ? 2 : 8) | (std::signbit(x) ? 4 : 0));
        }
    });
}
