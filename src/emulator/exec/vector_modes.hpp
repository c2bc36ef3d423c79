// Vector float instructions under a MODE other than the usual one (round to nearest even, denormals kept). The fast handlers know only how
// 32-bit denormals are flushed; the handlers here obey the rest, one slow step at a time, and stop the wave with a finding where they do not
// know how. They take the place of the fast ones in programs that can run so: those that write MODE, and kernels that start with another one.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/isa/inst.hpp"

namespace hipemu {

/// Rounding in bits 0..3, denormals of 16 and 64 bits in 6..7: what the fast handlers do not look at.
inline constexpr std::uint32_t kModeBits = 0xcf, kUsualMode = 0xc0;

/// True for an instruction that may give those bits of MODE other values.
bool changes_mode(const Inst& inst);

/// The handler that obeys MODE for `inst`, nullptr if MODE does not matter to it.
ExecFn handler_for_modes(const Inst& inst);

}  // namespace hipemu
