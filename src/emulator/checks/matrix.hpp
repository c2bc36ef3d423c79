// WMMA of gfx11 reads each row of A and column of B in two lanes, l and l + 16; what it computes where they differ is not documented.
#pragma once

#include "emulator/state/wave.hpp"

namespace hipemu {

/// Stops the wave if the two halves of A or B differ in more than the order of their registers, which must be the same in A and B.
void check_matrix_halves(Wave& wave, const Inst& inst);

}  // namespace hipemu
