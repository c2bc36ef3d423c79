// Atomic operations on global memory that nobody wrote: a counter or a sum that was never set to zero.
#pragma once

#include "emulator/exec/access.hpp"

namespace hipemu {

/// Stops the wave and returns false if what an atomic operation is about to store depends on bytes that were never written. Exchanges do not
/// look at them, and what a comparison does is found where its result is used.
bool check_atomic_memory(Wave& wave, const Access& access);

}  // namespace hipemu
