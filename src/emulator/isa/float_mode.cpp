#include "emulator/isa/float_mode.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>

namespace hipemu {

HostRounding::HostRounding(Rounding rounding) : changed_(rounding != Rounding::nearest) {
    constexpr int kDirections[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (changed_) std::fesetround(kDirections[static_cast<unsigned>(rounding)]);
}

HostRounding::~HostRounding() {
    if (changed_) std::fesetround(FE_TONEAREST);
}

double half_to_double(std::uint32_t half) {
    const bool negative = (half & 0x8000u) != 0;
    const std::uint32_t exponent = half >> 10 & 0x1f, mantissa = half & 0x3ff;
    if (exponent == 31) {
        const std::uint64_t quiet = mantissa != 0 ? 0x0008000000000000ull | std::uint64_t{mantissa} << 42 : 0;
        return std::bit_cast<double>(std::uint64_t{negative} << 63 | 0x7ff0000000000000ull | quiet);
    }
    const double magnitude = exponent == 0 ? mantissa * 0x1p-24 : std::ldexp(1024.0 + mantissa, static_cast<int>(exponent) - 25);
    return negative ? -magnitude : magnitude;
}

std::uint32_t double_to_half(double value, Rounding rounding) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint32_t>(bits >> 48 & 0x8000u);
    if (value != value) return sign | 0x7e00u | static_cast<std::uint32_t>(bits >> 42 & 0x3ff);
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return sign | 0x7c00u;
    const bool away = sign != 0 ? rounding == Rounding::down : rounding == Rounding::up;
    const std::uint32_t overflow = rounding == Rounding::nearest || away ? 0x7c00u : 0x7bffu;
    if (magnitude >= 65536.0) return sign | overflow;
    // Counted in units of the last place; 2^-24 is the smallest denormal.
    const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
    const double units = std::ldexp(magnitude, 10 - exponent), whole = std::floor(units), rest = units - whole;
    auto count = static_cast<std::uint32_t>(whole);
    const bool odd = (count & 1) != 0;
    if (rounding == Rounding::nearest ? rest > 0.5 || (rest == 0.5 && odd) : away && rest > 0.0) ++count;
    const std::uint32_t half = (static_cast<std::uint32_t>(exponent + 14) << 10) + count;
    return sign | (half >= 0x7c00u ? overflow : half);
}

}  // namespace hipemu
