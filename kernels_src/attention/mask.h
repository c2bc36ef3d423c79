// Which scores of a step count. A column (query row i) sees keys j < visible = min(keys, i + causal_shift + 1); what it does not
// see becomes -inf, whatever the score was, so that padding and keys behind the end never reach the softmax.
#pragma once

#include "attention/block_range.h"
#include "tile/accumulators.h"

namespace flashwave::attention {

// For steps whose keys every row sees.
struct NoMask {
    static constexpr bool kBounded = false;
    FLASHWAVE_DEVICE bool sees(int) const { return true; }
    template <class Scores>
    FLASHWAVE_DEVICE void apply(Scores&, int) const {}
};

template <int kQueries>
struct Mask {
    static constexpr bool kBounded = true;  // the tiles of such steps may end before their last row
    static constexpr int kColumns = kQueries / arch::kTile;
    int visible[kColumns];  // of this lane's query rows
    int seen;               // by some row of the wave; uniform

    // False: no row of the wave sees a key from first_key on.
    FLASHWAVE_DEVICE bool sees(int first_key) const { return first_key < seen; }

    // Sets the scores of the kKeys keys from first_key on.
    template <int kKeys>
    FLASHWAVE_DEVICE void apply(tile::Accumulators<kKeys, kQueries>& s, int first_key) const {
        FLASHWAVE_UNROLL for (int c = 0; c < kColumns; ++c) {
            const int left = visible[c] - first_key - arch::lane().half * arch::kAccRows;
            FLASHWAVE_UNROLL for (int x = 0; x < s.kRows; ++x)
                FLASHWAVE_UNROLL for (int r = 0; r < arch::kAccRows; ++r)
                    s.at[x][c][r] = x * arch::kTile + r < left ? s.at[x][c][r] : -kInfinity;
        }
    }
};

template <bool kCausal, int kQueries>
FLASHWAVE_DEVICE Mask<kQueries> make_mask(const kernel::ForwardArgs& args, const BlockRange& range, int first_row) {
    Mask<kQueries> mask;
    const int rows = min(args.seq_q - first_row, kQueries);  // that exist
    mask.seen = rows <= 0 ? 0 : kCausal ? min(range.keys, first_row + rows + args.causal_shift) : range.keys;
    FLASHWAVE_UNROLL for (int c = 0; c < mask.kColumns; ++c) {
        const int row = first_row + c * arch::kTile + arch::lane().column;
        mask.visible[c] = kCausal ? min(range.keys, row + args.causal_shift + 1) : range.keys;
    }
    return mask;
}

}  // namespace flashwave::attention
