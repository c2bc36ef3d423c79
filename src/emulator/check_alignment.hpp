// Addresses that are no multiple of what is accessed. The memory of gfx11 takes any address, but compilers count on aligned ones, and an
// address that is not comes from a wrong pointer far more often than from a packed structure.
#pragma once

#include "emulator/access.hpp"

namespace hipemu {

/// Stops the wave if a lane's address is no multiple of the element: of 2 bytes for accesses wider than 4, which hold several elements, of 4 for
/// such in LDS. (Atomics are checked for their whole width where they run.) False: stopped.
bool check_alignment(Wave& wave, const Access& access);

}  // namespace hipemu
