// Matrices of 16-bit elements in LDS, laid out so that neither their stores nor the fragment loads meet bank conflicts: 16 bytes
// of padding after each row spread the 16 rows of a fragment over all banks (row lengths are powers of two), and kGroupPad bytes
// after each 16 rows do the same for stores that step from group to group.
#pragma once

#include "arch/arch.h"

namespace flashwave::tile {

template <int kRows_, int kColumns_, int kGroupPad = 0>
struct SharedTile {
    static constexpr int kRows = kRows_;
    static constexpr int kColumns = kColumns_;
    static constexpr int kPitch = kColumns * 2 + 16;                  // bytes from row to row
    static constexpr int kGroup = arch::kTile * kPitch + kGroupPad;   // bytes from one group of 16 rows to the next
    static constexpr int kBytes = kRows / arch::kTile * kGroup;

    Shared<char> base;

    // Of a byte of a row, in bytes from the base.
    FLASHWAVE_DEVICE static constexpr u32 position(u32 row, u32 byte) {
        return row / arch::kTile * kGroup + row % arch::kTile * kPitch + byte;
    }

    // The 16 elements from column 16 * c on of this lane's row in row group g: rows of A, or columns of B.
    FLASHWAVE_DEVICE arch::Fragment fragment(int g, int c) const {
        const auto* from = (Shared<const u32x4>)(base + position(arch::lane().column, 0) + g * kGroup + c * 32);
        return arch::fragment(from[0], from[1]);
    }
};

}  // namespace flashwave::tile
