// Reading and writing scalar operands.
#pragma once

#include <cstdint>

#include "emulator/state/wave.hpp"

namespace hipemu {

/// One 32-bit word of a scalar source. Numbers beyond the register file name values of the wave: src_vccz, src_execz, src_scc.
/// A constant has 64 bits: words above are 0 (no encoding has a constant there; tests of lane functions do).
inline std::uint32_t scalar_word(const Wave& wave, const Operand& source, unsigned word = 0) {
    if (source.kind == OperandKind::constant) return word < 2 ? static_cast<std::uint32_t>(source.value >> (32 * word)) : 0;
    const unsigned index = source.index + word;
    if (index < kScalars) return wave.s[index];
    if (word > 0) return 0;
    if (index == 253) return wave.scc;
    if (index == 251) return wave.s[kVccLo] == 0;
    return index == 252 && wave.s[kExecLo] == 0;
}

inline std::uint64_t scalar_pair(const Wave& wave, const Operand& source) {
    if (source.kind == OperandKind::constant) return source.value;
    return scalar_word(wave, source) | static_cast<std::uint64_t>(scalar_word(wave, source, 1)) << 32;
}

inline void set_scalar_word(Wave& wave, const Operand& destination, std::uint32_t value, unsigned word = 0) {
    if (destination.index + word < kScalars) wave.s[destination.index + word] = value;
}

inline void set_scalar_pair(Wave& wave, const Operand& destination, std::uint64_t value) {
    if (destination.index + 1u >= kScalars) return;
    wave.s[destination.index] = static_cast<std::uint32_t>(value);
    wave.s[destination.index + 1] = static_cast<std::uint32_t>(value >> 32);
}

// Rules for undefined bits of scalar instructions (exec/salu_undefined.cpp).

/// Any undefined source bit: the whole result.
void taint_scalar_whole(Wave& wave, const Inst& inst);

/// Tries the handler with the undefined bits as zeros and as ones; what differs is undefined. Exact where every result bit depends on
/// few source bits (logic, shifts, fields, selects).
void taint_scalar_trial(Wave& wave, const Inst& inst);

/// Results are defined.
void taint_scalar_defined(Wave& wave, const Inst& inst);

}  // namespace hipemu
