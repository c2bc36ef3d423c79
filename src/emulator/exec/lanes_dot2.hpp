// The arithmetic of gfx11's two-element dot product, of which its matrix instructions are chains.
//
// c + a0*b0 + a1*b1 is summed on one grid: its unit is 2^-24 of the larger product (exponents of the factors added) or 2^-26 of the largest
// term, whichever is coarser. Terms are cut to the grid; those whose sign is not c's are cut away from zero, as one's complement makes
// it. The sum is rounded once to nearest even; results below the smallest normal float are 0. Found by others on a gfx1100.
#pragma once

#include <cmath>

#include "emulator/exec/lanes.hpp"

namespace hipemu::HIPEMU_LANES {

inline constexpr u32 kDot2NanFactor = 0xffc00a3du, kDot2Invalid = 0xffc00000u;

/// Exponent of a finite double other than zero.
inline int exponent_of(double x) { return static_cast<int>(as_u64(x) >> 52 & 0x7ff) - 1023; }

inline bool is_finite32(u32 x) { return (x & 0x7f800000u) != 0x7f800000u; }

/// `x` in units of 2^grid, cut toward zero, or away from it where its sign is not the accumulator's and bits are lost.
inline i64 on_grid(double x, int grid, bool against) {
    const double units = std::ldexp(std::fabs(x), -grid);
    i64 whole = static_cast<i64>(units);
    if (against && static_cast<double>(whole) != units) ++whole;
    return x < 0.0 ? -whole : whole;
}

/// Factors as float bits (exact images of halves or bfloat16s); the accumulator c as float bits.
inline u32 dot2(u32 c, u32 a0, u32 b0, u32 a1, u32 b1) {
    if (is_nan32(a0) || is_nan32(b0) || is_nan32(a1) || is_nan32(b1)) return kDot2NanFactor;
    if (is_nan32(c)) return c | 0x400000u;
    const double p0 = static_cast<double>(as_f32(a0)) * static_cast<double>(as_f32(b0));
    const double p1 = static_cast<double>(as_f32(a1)) * static_cast<double>(as_f32(b1));
    double start = static_cast<double>(as_f32(c));
    if (std::fabs(start) < 0x1p-126) start = std::copysign(0.0, start);
    if (!is_finite32(a0) || !is_finite32(b0) || !is_finite32(a1) || !is_finite32(b1) || !is_finite32(c)) {
        const double sum = start + p0 + p1;
        return sum != sum ? kDot2Invalid : as_u32(static_cast<float>(sum));
    }
    constexpr int kNone = -100000;
    int product = kNone, leading = kNone;
    if (p0 != 0.0) product = exponent_of(as_f32(a0)) + exponent_of(as_f32(b0)), leading = exponent_of(p0);
    if (p1 != 0.0) {
        product = std::max(product, exponent_of(as_f32(a1)) + exponent_of(as_f32(b1)));
        leading = std::max(leading, exponent_of(p1));
    }
    if (start != 0.0) leading = std::max(leading, exponent_of(start));
    if (leading == kNone) return as_u32(static_cast<float>(start + p0 + p1));
    const int grid = std::max(product - 24, leading - 26);
    const bool negative = std::signbit(start);
    const i64 sum = on_grid(start, grid, false) + on_grid(p0, grid, std::signbit(p0) != negative) + on_grid(p1, grid, std::signbit(p1) != negative);
    const float result = static_cast<float>(std::ldexp(static_cast<double>(sum), grid));
    return std::fabs(result) < 0x1p-126f ? as_u32(std::copysign(0.0f, result)) : as_u32(result);
}

}  // namespace hipemu::HIPEMU_LANES
