// What loads, stores and atomics through a buffer descriptor share.
#pragma once

#include <span>

#include "emulator/exec/buffer_address.hpp"

namespace hipemu {

/// Stops the wave if the descriptor, the scalar offset or an address register holds undefined bits.
void require_defined_descriptor(Wave& wave, const Inst& inst, const BufferOperands& operands);

std::span<const OpInfo> buffer_atomic_ops();

}  // namespace hipemu
