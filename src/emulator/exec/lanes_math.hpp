// Transcendental functions, within 1 ulp of a float and the same bits in both builds: evaluated in double with plain multiplications and
// additions, never by the C library, in a form that vectorises.
#pragma once

#include <cmath>

#include "emulator/exec/lanes.hpp"

namespace hipemu::HIPEMU_LANES {

/// Chebyshev fit of 2^r for |r| <= 1/2, the highest power first.
inline constexpr double kExp2[] = {0.0001546973197719126, 0.0013400432164978326, 0.009618025602950553, 0.05550327214210493,
                                   0.2402265121359537,    0.6931472067106191,    0.9999999999595481};
inline constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer, which the low bits then hold

/// 2^x for |x| <= 1000, relative error 2.6e-9: x is split into an integer and a rest in [-1/2, 1/2], whose power is a polynomial.
inline double exp2_core(double x) {
    const double shifted = x + kRound;
    const double r = x - (shifted - kRound);
    double p = kExp2[0];
    for (int i = 1; i < 7; ++i) p = p * r + kExp2[i];
    return as_f64(as_u64(p) + (as_u64(shifted) << 52));
}

#if defined(__AVX2__)
/// The same of four values.
inline __m256d exp2_core(__m256d x) {
    const __m256d round = _mm256_set1_pd(kRound);
    const __m256d shifted = _mm256_add_pd(x, round);
    const __m256d r = _mm256_sub_pd(x, _mm256_sub_pd(shifted, round));
    __m256d p = _mm256_set1_pd(kExp2[0]);
    for (int i = 1; i < 7; ++i) p = _mm256_add_pd(_mm256_mul_pd(p, r), _mm256_set1_pd(kExp2[i]));
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(p), _mm256_slli_epi64(_mm256_castpd_si256(shifted), 52)));
}
#endif

/// log2 of a positive normal float.
inline double log2_core(float x) {
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); log2(m) is an odd series in (m - 1) / (m + 1).
    const i32 i = static_cast<i32>(as_u32(x)) - 0x3f3504f3;
    const i32 e = i >> 23;
    const double m = static_cast<double>(as_f32(as_u32(x) - (static_cast<u32>(e) << 23)));
    const double t = (m - 1.0) / (m + 1.0), t2 = t * t;
    constexpr double kTwoOverLn2 = 2.8853900817779268;
    double p = kTwoOverLn2 / 13.0;
    p = p * t2 + kTwoOverLn2 / 11.0;
    p = p * t2 + kTwoOverLn2 / 9.0;
    p = p * t2 + kTwoOverLn2 / 7.0;
    p = p * t2 + kTwoOverLn2 / 5.0;
    p = p * t2 + kTwoOverLn2 / 3.0;
    p = p * t2 + kTwoOverLn2;
    return p * t + static_cast<double>(e);
}

/// sin(2 pi r) for |r| <= 1/4.
inline double sin_core(double r) {
    const double r2 = r * r;
    double p = 3.8199525848482803;    // (2 pi)^13 / 13!
    p = p * r2 - 15.094642576822984;  // (2 pi)^11 / 11!
    p = p * r2 + 42.058693944897634;
    p = p * r2 - 76.70585975306136;
    p = p * r2 + 81.60524927607504;
    p = p * r2 - 41.341702240399755;
    p = p * r2 + 6.2831853071795865;
    return p * r;
}

/// x less its nearest integer, exact: in [-1/2, 1/2].
inline double revolution(float x) {
    const double d = static_cast<double>(x);
    return d - std::nearbyint(d);
}

/// 2^x; results below the smallest normal float are 0, as the hardware gives them (compilers scale around it where denormals matter).
inline float exp2_f32(float x) {
    const float limited = x < -150.0f ? -150.0f : x > 150.0f ? 150.0f : x;
    const double y = exp2_core(static_cast<double>(limited));
    const float rounded = static_cast<float>(y);
    return x < -126.0f ? 0.0f : x != x ? x : rounded;
}

/// log2 x; denormals count as zero.
inline float log2_f32(float x) {
    const float safe = x >= 0x1p-126f && x < INFINITY ? x : 1.0f;
    const float y = static_cast<float>(log2_core(safe));
    float result = y;
    result = x < 0x1p-126f ? -INFINITY : result;
    result = x <= -0x1p-126f ? NAN : result;
    result = x == INFINITY ? x : result;
    return x != x ? x : result;
}

/// Of the argument in revolutions. Infinities give NaN.
inline float sin_f32(float x) {
    const double r = revolution(x);
    const double folded = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
    return static_cast<float>(sin_core(folded));
}
inline float cos_f32(float x) {
    return static_cast<float>(sin_core(0.25 - std::fabs(revolution(x))));
}

/// 1/x and 1/sqrt(x) neither read nor give denormals.
inline float rcp_f32(float x) {
    const float y = 1.0f / x;
    const float quiet = std::fabs(y) < 0x1p-126f ? std::copysign(0.0f, x) : y;
    return std::fabs(x) < 0x1p-126f ? std::copysign(INFINITY, x) : quiet;
}
inline float rsq_f32(float x) {
    const float y = static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
    return std::fabs(x) < 0x1p-126f ? std::copysign(INFINITY, x) : y;
}

}  // namespace hipemu::HIPEMU_LANES
