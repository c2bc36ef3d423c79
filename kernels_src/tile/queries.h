// The queries of a wave as operand B of the scores: kept in registers, or kept in LDS and read again in every step, which
// leaves room for twice as many queries a wave. Both use kLdsBytes of LDS a wave and load rows from `first_row` on of a head
// that has `rows` rows; a row past the last is replaced by the last one, and its results are dropped by whoever stores them.
#pragma once

#include "tile/global_rows.h"
#include "tile/shared_tile.h"

namespace flashwave::tile {

template <int kQueries, int kHeadDim>
struct QueriesInRegisters {
    static constexpr int kColumns = kQueries / arch::kTile;
    static constexpr int kDepth = kHeadDim / arch::kTile;
    static constexpr int kLdsBytes = 0;

    arch::Fragment at[kColumns][kDepth];

    template <class Rows>
    FLASHWAVE_DEVICE void load(const Rows& head, int first_row, int rows, Shared<char>) {
        const int first = min(first_row, rows - 1), last = rows - 1 - first;
        const Rows from = head.from(first);
        FLASHWAVE_UNROLL for (int c = 0; c < kColumns; ++c) {
            const int row = min(c * arch::kTile + arch::lane().column, last);
            const u32 offset = from.offset(row, 0);
            FLASHWAVE_UNROLL for (int d = 0; d < kDepth; ++d)
                at[c][d] = arch::fragment(from.from(0, d * 32).load(offset), from.from(0, d * 32 + 16).load(offset));
        }
    }
    FLASHWAVE_DEVICE void begin_step() {}
    FLASHWAVE_DEVICE arch::Fragment fragment(int c, int d) const { return at[c][d]; }
};

template <int kQueries, int kHeadDim>
struct QueriesInLds {
    static constexpr int kColumns = kQueries / arch::kTile;
    static constexpr int kLdsBytes = SharedTile<kQueries, kHeadDim>::kBytes;

    SharedTile<kQueries, kHeadDim> tile;  // of this wave alone

    template <class Rows>
    FLASHWAVE_DEVICE void load(const Rows& head, int first_row, int rows, Shared<char> lds) {
        tile.base = lds;
        constexpr int kPieces = kHeadDim / 8, kRowsALoad = 32 / kPieces;
        const int first = min(first_row, rows - 1), last = rows - 1 - first;
        const Rows from = head.from(first);
        const int lane = thread_index() % 32, byte = lane % kPieces * 16;
        FLASHWAVE_UNROLL for (int i = 0; i < kQueries / kRowsALoad; ++i) {
            const int r = i * kRowsALoad + lane / kPieces;
            const u32 offset = from.offset(min(r, last), byte);
            *(Shared<u32x4>)(tile.base + tile.position(r, byte)) = from.load(offset);
        }
    }
    FLASHWAVE_DEVICE void begin_step() { tile.base = opaque(tile.base); }
    FLASHWAVE_DEVICE arch::Fragment fragment(int c, int d) const { return tile.fragment(c, d); }
};

}  // namespace flashwave::tile
