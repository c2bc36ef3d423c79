// Addresses that are no multiple of what is accessed. Most of them a card serves, only slower, where it should not have been asked; some it
// reads wrongly.
#pragma once

#include "emulator/exec/access.hpp"

namespace hipemu {

struct Program;

/// Fills AccessShape::alignment. An access has to lie at a multiple of its size, a wide one at a multiple of the 4 bytes of a word. Smaller
/// elements, which compilers gather into words as they lie, need their own alignment only (element_size.hpp,
/// neighbours.hpp); what goes through global memory in
/// pieces of more than 4 bytes may be halves that nobody takes apart, on their way to LDS.
void set_alignments(Program& program);

/// Stops the wave at a load or store at another address, and at a scalar load whose address is no multiple of 4: the hardware leaves out the low
/// bits, and reads something else than was meant. (Atomics, which must be aligned, are checked where they run.) False: stopped.
bool check_alignment(Wave& wave, const Access& access);

/// False if check_alignment has nothing to find.
inline bool may_be_misaligned(const Access& access) {
    const AccessShape& shape = *access.shape;
    if (shape.space == AccessSpace::scalar) return access.ignored != 0;
    return ((access.bits | static_cast<std::uint32_t>(shape.second)) & (shape.alignment - 1u)) != 0;
}

}  // namespace hipemu
