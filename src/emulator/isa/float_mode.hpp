// Floating-point arithmetic as the MODE register says, for one value at a time: rounding directions and denormals that are not kept.
// Any thread; HostRounding changes the rounding of its own thread only.
#pragma once

#include <cstdint>

namespace hipemu {

/// MODE: rounding of 32 bits in bits 0..1, of 16 and 64 bits in 2..3; denormals of 32 bits in 4..5, of 16 and 64 bits in 6..7.
enum class Rounding : std::uint8_t { nearest, up, down, zero };

constexpr Rounding rounding32(std::uint32_t mode) { return static_cast<Rounding>(mode & 3); }
constexpr Rounding rounding64(std::uint32_t mode) { return static_cast<Rounding>(mode >> 2 & 3); }  // and of 16 bits
constexpr bool reads_denormals32(std::uint32_t mode) { return (mode >> 4 & 1) != 0; }
constexpr bool gives_denormals32(std::uint32_t mode) { return (mode >> 5 & 1) != 0; }
constexpr bool reads_denormals64(std::uint32_t mode) { return (mode >> 6 & 1) != 0; }
constexpr bool gives_denormals64(std::uint32_t mode) { return (mode >> 7 & 1) != 0; }

/// The host's additions, multiplications, divisions, roots and conversions round so while this lives.
class HostRounding {
public:
    explicit HostRounding(Rounding rounding);
    ~HostRounding();
    HostRounding(const HostRounding&) = delete;
    HostRounding& operator=(const HostRounding&) = delete;

private:
    bool changed_;
};

/// A half as a double, exact. A signalling NaN comes out quiet.
double half_to_double(std::uint32_t half);
/// Rounded once.
std::uint32_t double_to_half(double value, Rounding rounding);

constexpr std::uint32_t without_denormal16(std::uint32_t bits) { return (bits & 0x7c00u) == 0 ? bits & 0x8000u : bits; }
constexpr std::uint32_t without_denormal32(std::uint32_t bits) { return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits; }
constexpr std::uint64_t without_denormal64(std::uint64_t bits) {
    return (bits & 0x7ff0000000000000ull) == 0 ? bits & 0x8000000000000000ull : bits;
}

}  // namespace hipemu
