// Matrices of floats in the registers of one wave, kept transposed: queries are columns, so that softmax statistics belong to a
// lane and its rows (keys of S, head_dim of O) are summed inside the lane.
#pragma once

#include "arch/arch.h"

namespace flashwave::tile {

// (kRows, kColumns) per wave.
template <int kRows_, int kColumns_>
struct Accumulators {
    static constexpr int kRows = kRows_ / arch::kTile;        // tiles
    static constexpr int kColumns = kColumns_ / arch::kTile;  // tiles
    arch::Accumulator at[kRows][kColumns];
};

// One number a column: every lane of a column's pair holds a part or the whole of it.
template <int kColumns_>
struct Columns {
    static constexpr int kColumns = kColumns_ / arch::kTile;
    float at[kColumns];
};

template <class Tile>
FLASHWAVE_DEVICE Tile zeros() {
    Tile t;
    FLASHWAVE_UNROLL for (int r = 0; r < Tile::kRows; ++r)
        FLASHWAVE_UNROLL for (int c = 0; c < Tile::kColumns; ++c) t.at[r][c] = arch::Accumulator(0.0f);
    return t;
}

template <class Tile>
FLASHWAVE_DEVICE Tile filled(float value) {
    Tile t;
    FLASHWAVE_UNROLL for (int c = 0; c < Tile::kColumns; ++c) t.at[c] = value;
    return t;
}

// t *= factor, column by column.
template <int kRows, int kColumns>
FLASHWAVE_DEVICE void scale_columns(Accumulators<kRows, kColumns>& t, const Columns<kColumns>& factor) {
    FLASHWAVE_UNROLL for (int r = 0; r < t.kRows; ++r)
        FLASHWAVE_UNROLL for (int c = 0; c < t.kColumns; ++c) t.at[r][c] *= factor.at[c];
}

// The greatest element of each column, in every lane of it.
template <int kRows, int kColumns>
FLASHWAVE_DEVICE Columns<kColumns> column_max(const Accumulators<kRows, kColumns>& t) {
    Columns<kColumns> most;
    FLASHWAVE_UNROLL for (int c = 0; c < t.kColumns; ++c) {
        float m = t.at[0][c][0];
        FLASHWAVE_UNROLL for (int r = 0; r < t.kRows; ++r)
            FLASHWAVE_UNROLL for (int i = 0; i < arch::kAccRows; ++i) m = max(m, t.at[r][c][i]);
        most.at[c] = arch::column_max(m);
    }
    return most;
}

}  // namespace flashwave::tile
