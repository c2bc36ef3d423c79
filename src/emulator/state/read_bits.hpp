// Which bits of its sources a vector instruction looks at, and how far an undefined one reaches, for the general rule of undefined bits. What is
// not listed reads whole registers (or the halves that its operands name), and an undefined bit makes its whole result undefined.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hipemu {

struct ReadBits {
    std::array<std::uint32_t, 5> used{~0u, ~0u, ~0u, ~0u, ~0u};  // of each source; of a half, counted from its own lowest bit
    bool upward = false;     // sums and products: a bit of the result hangs on bits at its place and below
    unsigned shift = 0;      // the sources before this one are shifted left by it; 0: none is
    bool product = false;    // of the first two sources: what is multiplied by zero does not matter
};

ReadBits read_bits(std::string_view mnemonic);

}  // namespace hipemu
