// 16-bit floats: between half and float, bit for bit as F16C does it, and how an operation on halves is made from one on floats.
#pragma once

#include "emulator/exec/lanes.hpp"

namespace hipemu::HIPEMU_LANES {

/// Exact. A signalling NaN comes out quiet.
inline u32 half_to_f32(u32 half) {
    const u32 sign = (half & 0x8000u) << 16, exponent = half >> 10 & 0x1fu, mantissa = half & 0x3ffu;
    if (exponent == 31) return sign | 0x7f800000u | (mantissa != 0 ? 0x00400000u | mantissa << 13 : 0u);
    if (exponent != 0) return sign | (exponent + 112) << 23 | mantissa << 13;
    return sign | as_u32(static_cast<float>(mantissa) * 0x1p-24f);
}

/// To nearest, ties to even; denormal halves are kept.
inline u32 f32_to_half(u32 bits) {
    const u32 sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u | (magnitude >> 13 & 0x3ffu);
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and more round to infinity
    const u32 exponent = magnitude >> 23;
    u32 mantissa, shift;
    if (exponent < 113) {  // below 2^-14: counted in units of 2^-24
        if (exponent < 102) return sign;
        mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        shift = 126 - exponent;
    } else {
        mantissa = magnitude - (112u << 23);
        shift = 13;
    }
    const u32 rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    u32 result = mantissa >> shift;
    result += (rest > half || (rest == half && (result & 1))) ? 1u : 0u;
    return sign | result;
}

/// Toward zero: what is too large becomes the largest half.
inline u32 f32_to_half_rtz(u32 bits) {
    const u32 sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u | (magnitude >> 13 & 0x3ffu);
    if (magnitude == 0x7f800000u) return sign | 0x7c00u;
    if (magnitude >= 0x47800000u) return sign | 0x7bffu;
    const u32 exponent = magnitude >> 23;
    if (exponent >= 113) return sign | (magnitude - (112u << 23)) >> 13;
    if (exponent < 102) return sign;
    return sign | ((magnitude & 0x7fffffu) | 0x800000u) >> (126 - exponent);
}

/// A bfloat16 is the upper half of a float.
inline u32 bf16_to_f32(u32 bits) { return bits << 16; }
inline u32 f32_to_bf16(u32 bits) {
    if (is_nan32(bits)) return bits >> 16 | 0x40u;
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

inline void halves_to_f32(const u32* half, Words& to) {
#if defined(__F16C__) && defined(__AVX2__)
    for (int v = 0; v < kLanes; v += 8) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half + v));
        const __m256i low = _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
        const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
        _mm256_store_ps(reinterpret_cast<float*>(to.lane + v), _mm256_cvtph_ps(_mm256_castsi256_si128(packed)));
    }
#else
    for (int l = 0; l < kLanes; ++l) to.lane[l] = half_to_f32(half[l] & 0xffffu);
#endif
}

template <bool TowardZero = false>
inline void f32_to_halves(const u32* bits, Words& to) {
#if defined(__F16C__) && defined(__AVX2__)
    constexpr int kRounding = (TowardZero ? _MM_FROUND_TO_ZERO : _MM_FROUND_TO_NEAREST_INT) | _MM_FROUND_NO_EXC;
    for (int v = 0; v < kLanes; v += 8) {
        const __m128i packed = _mm256_cvtps_ph(_mm256_loadu_ps(reinterpret_cast<const float*>(bits + v)), kRounding);
        _mm256_store_si256(reinterpret_cast<__m256i*>(to.lane + v), _mm256_cvtepu16_epi32(packed));
    }
#else
    for (int l = 0; l < kLanes; ++l) to.lane[l] = TowardZero ? f32_to_half_rtz(bits[l]) : f32_to_half(bits[l]);
#endif
}

/// a * b + c of three halves as a float that rounds to the right half: the product is exact in a float, the sum is rounded to odd, so that
/// rounding it once more to 11 bits equals one rounding of the exact sum.
inline float fma_of_halves(float a, float b, float c) {
    const float product = a * b;
    const float sum = product + c;
    const float part = sum - product;
    const float error = (product - (sum - part)) + (c - part);
    const u32 bits = as_u32(sum);
    const bool inexact = error > 0.0f || error < 0.0f;
    const u32 step = ((error > 0.0f) == (sum > 0.0f)) ? 1u : ~0u;
    return as_f32(inexact && (bits & 1u) == 0 ? bits + step : bits);
}

}  // namespace hipemu::HIPEMU_LANES
