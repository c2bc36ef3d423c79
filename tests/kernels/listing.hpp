// What a disassembly says about the loop of forward.hip: its static counts and the share of the matrix pipe they allow.
#pragma once

#include <string>
#include <string_view>

#include "flashwave/status.hpp"

namespace flashwave::testing {

/// Static counts of one loop, once through its body.
struct LoopCounts {
    int matrix = 0;  ///< WMMA
    int vector = 0;  ///< VALU, a dual-issue pair counted once
    int transcendental = 0;
    int lds_128 = 0;  ///< LDS accesses of 128 bits a lane, ds_*_2addr_b64 among them
    int lds_other = 0;
    int scratch = 0;

    /// Cycles of one SIMD: 34 a WMMA, 1 a VALU instruction, 4 a transcendental, 3 an LDS access of 128 bits.
    int cycles() const { return 34 * matrix + vector + 4 * transcendental + 3 * (lds_128 + lds_other); }
    double matrix_share() const { return cycles() ? 34.0 * matrix / cycles() : 0; }
    std::string sentence() const;
};

/// The loop without a mask: of the loops that hold a barrier and matrix instructions, the one with the best share.
/// not_found: there is none.
Result<LoopCounts> main_loop(std::string_view listing);

}  // namespace flashwave::testing
