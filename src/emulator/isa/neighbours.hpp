// What accesses through one address register tell of each other's alignment. Two words that lie an odd number of bytes apart cannot both be
// aligned, whatever the address: whoever wrote them knows. So lie the words of packed structures and of neighbouring blocks of quantised numbers.
// And words that are only copied, with a byte or a half behind them that is copied too, are pieces of something of that size, such as
// an array of characters in a structure.
#pragma once

#include <cstddef>

namespace hipemu {

struct Program;

/// The alignment that words have at most, where code[index] and others around it go through the same registers: 4, 2 or 1. Looks at code as it
/// lies, up to where the registers change.
unsigned alignment_among_neighbours(const Program& program, std::size_t index);

}  // namespace hipemu
