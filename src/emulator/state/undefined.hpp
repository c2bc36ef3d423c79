// Undefined bits: where they come from, how they move, where they are a finding. The interpreter runs an instruction's rule before its
// handler, and only when a register that it touches is not wholly defined (or EXEC is partial), so rules may be slow and precise.
#pragma once

#include <cstdint>

#include "emulator/isa/inst.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

inline constexpr std::uint32_t kPoison = 0xDEADBEEF;  // what an unwritten register or byte holds, so that a use of it stands out
/// What private memory that nobody wrote holds, byte by byte: bytes of it that are copied on are known by it.
inline constexpr std::uint8_t kPrivatePoison = 0xC7;

/// One word a lane: a one for each undefined bit.
using LaneBits = std::uint32_t[kLanes];

/// The undefined bits of register `word` of a source, halves (`.l`, `.h`) moved down to bit 0. A constant has none. Of a scalar every
/// lane sees the same bits; of a lane mask (Type::lane_mask) lane l sees all ones if bit l is undefined.
void undefined_bits(const Wave& wave, const Operand& source, unsigned word, LaneBits& bits);
void undefined_mask_bits(const Wave& wave, const Operand& lane_mask, LaneBits& bits);

/// True if any lane that is active has an undefined bit in any register of the source.
bool any_undefined(const Wave& wave, const Operand& source);
/// The first of those lanes, for a finding; -1: there is none, or a scalar is undefined for all of them.
int first_undefined_lane(const Wave& wave, const Operand& source);

/// Sets the undefined bits of register `word` of a vector destination in the lanes of EXEC (all lanes: set_undefined_all); a half destination
/// changes its half only. Register r enters or leaves Wave::defined accordingly. Nothing happens where undefined bits are not tracked.
void set_undefined(Wave& wave, const Operand& destination, unsigned word, const LaneBits& bits);
void set_undefined_all(Wave& wave, const Operand& destination, unsigned word, const LaneBits& bits);

/// The same for scalars: `bits` are the undefined bits of register `r` (ISA number). Writing undefined bits to EXEC is a finding.
std::uint32_t scalar_undefined_bits(const Wave& wave, unsigned r);
void set_scalar_undefined(Wave& wave, unsigned r, std::uint32_t bits);
bool scc_undefined(const Wave& wave);
void set_scc_undefined(Wave& wave, bool undefined);

/// The low bits of `value`, put one by one where `mask` has a one.
std::uint64_t deposit(std::uint64_t value, std::uint64_t mask);

/// The rule of an instruction as its OpInfo says. Called by the interpreter before the handler.
void propagate_undefined(Wave& wave, const Inst& inst);

}  // namespace hipemu
