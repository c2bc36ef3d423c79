#include "problem/float16.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace flashwave;

TEST_CASE("every binary16 value survives the way to f32 and back") {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float wide = f16_to_float(half);
        if (std::isnan(wide)) CHECK(std::isnan(f16_to_float(float_to_f16(wide))));
        else CHECK(float_to_f16(wide) == half);
    }
}

TEST_CASE("narrowing to binary16 takes the nearest value, ties to even, everywhere between two neighbours") {
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
        const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
        const float a = f16_to_float(low), b = f16_to_float(high), middle = a + (b - a) / 2;
        CHECK(float_to_f16(middle) == (low % 2 == 0 ? low : high));
        CHECK(float_to_f16(std::nextafter(middle, a)) == low);
        CHECK(float_to_f16(std::nextafter(middle, b)) == high);
        CHECK(float_to_f16(-middle) == (float_to_f16(middle) | 0x8000));
    }
}

TEST_CASE("binary16 overflows to infinity from 65520 on, and keeps signs and NaN") {
    CHECK(float_to_f16(65519.996f) == 0x7bff);
    CHECK(float_to_f16(65520.0f) == 0x7c00);
    CHECK(float_to_f16(-1e30f) == 0xfc00);
    CHECK(float_to_f16(-0.0f) == 0x8000);
    CHECK(std::isnan(f16_to_float(float_to_f16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("bfloat16 narrows to the nearest value, ties to even") {
    CHECK(float_to_bf16(1.0f) == 0x3f80);
    CHECK(float_to_bf16(1.00390625f) == 0x3f80);  // half a step above 1: the even neighbour is 1
    CHECK(float_to_bf16(1.01171875f) == 0x3f82);  // half a step above 1.0078125: the even neighbour is above
    CHECK(float_to_bf16(1.00390637f) == 0x3f81);
    CHECK(float_to_bf16(3.4e38f) == 0x7f80);
    CHECK(std::isnan(bf16_to_float(float_to_bf16(std::numeric_limits<float>::signaling_NaN()))));
    CHECK(round_to(DType::bf16, 0.1f) == doctest::Approx(0.1).epsilon(0.004));
}
