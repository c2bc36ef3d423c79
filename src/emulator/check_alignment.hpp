// Addresses that are no multiple of what is accessed. ROCm sets the memory of gfx11 to take any address for loads and stores, to LDS as well
// (SH_MEM_CONFIG.alignment_mode; LLVM's feature unaligned-access-mode), and compilers count on it: they gather neighbouring bytes into words
// wherever these lie. So such an access is right, if slow, and a warning. What the hardware does not serve is a finding.
#pragma once

#include "emulator/access.hpp"
#include "emulator/warnings.hpp"

namespace hipemu {

/// Warns of a load or store at an address that is no multiple of its element: 2 bytes in accesses wider than 4, which hold several elements. Stops
/// the wave at a scalar load whose address is no multiple of 4: the hardware leaves out the low bits, and reads something else than was meant.
/// (Atomics, which must be aligned, are checked where they run.) False: stopped.
bool check_alignment(Wave& wave, const Access& access, Warnings& warnings);

}  // namespace hipemu
