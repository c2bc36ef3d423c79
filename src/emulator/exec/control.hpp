// Handlers that the decoder itself puts into instructions.
#pragma once

#include "emulator/isa/inst.hpp"

namespace hipemu {

/// No semantics for the mnemonic; stops the wave.
void exec_unknown(Wave& wave, const Inst& inst);

/// The mnemonic is known but its operands were not understood; stops the wave.
void exec_not_understood(Wave& wave, const Inst& inst);

/// Makes the handler of X run both halves of a VOPD, in an order in which neither sees the other's result.
void join_halves(Inst& x);

/// Runs both halves, each after its rule for undefined bits.
void run_halves_with_rules(Wave& wave, const Inst& x);

}  // namespace hipemu
