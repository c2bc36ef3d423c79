// Addresses that are no multiple of what is accessed. The memory of gfx11 takes any address, but compilers count on aligned ones, and an
// address that is not comes from a wrong pointer far more often than from a packed structure.
#pragma once

#include "emulator/access.hpp"

namespace hipemu {

/// Stops the wave if a lane's address is no multiple of the element: of 4 bytes for wider accesses, which hold several elements. (Atomics are
/// checked for their whole width where they run.) False: stopped.
bool check_alignment(Wave& wave, const Access& access);

}  // namespace hipemu
