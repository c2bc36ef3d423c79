// Reads the text of one operand of a listing: registers, inline constants, literals, hardware registers, messages.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/isa/inst.hpp"

namespace hipemu {

/// Windows of the address space through which flat accesses reach LDS and scratch; no host mapping ever lies there.
inline constexpr std::uint64_t kSharedAperture = 0x0001'0000'0000'0000ull;
inline constexpr std::uint64_t kPrivateAperture = 0x0002'0000'0000'0000ull;

/// Parses `text` as an operand that is read (or written) as `type`. False if it is none that is known.
bool parse_operand(std::string_view text, Type type, Operand& out);

/// Decimal or 0x integer with an optional sign; false if anything is left over.
bool parse_integer(std::string_view text, std::int64_t& value);

/// "swizzle(SWAP,16)" and its kin, as ds_swizzle_b32 encodes them.
bool parse_swizzle(std::string_view text, std::int64_t& value);

/// The bits that a floating-point constant has as an operand of `type`.
std::uint64_t float_constant_bits(double value, Type type);

}  // namespace hipemu
