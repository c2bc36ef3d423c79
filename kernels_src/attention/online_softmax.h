// The running softmax of a wave's query rows, in base 2: weights are p = 2^(s * scale_log2 - maximum), sum is their sum so
// far and O is scaled alike. `maximum` may lag behind the true maximum by up to kSlack (lazy rescale): p then grows to at
// most 2^kSlack, far inside the range of fp16 and of the sum, and O is not touched in most steps.
//
// A row that has seen no key yet has maximum kLowest, which is finite, so that p of a masked score (-inf) is 2^-inf = 0 and
// never 2^(-inf + inf).
#pragma once

#include "tile/accumulators.h"

namespace flashwave::attention {

template <class T, int kQueries, bool kLazy>
struct OnlineSoftmax {
    static constexpr int kColumns = kQueries / arch::kTile;
    static constexpr float kSlack = 8.0f;

    float scale_log2;
    tile::Columns<kQueries> maximum = tile::filled<tile::Columns<kQueries>>(kLowest);
    tile::Columns<kQueries> sum = tile::filled<tile::Columns<kQueries>>(0.0f);  // this lane's rows only

    // Takes the maximum of a step's scores in, and rescales what has been summed where it grew.
    template <int kKeys, int kHeadDim>
    FLASHWAVE_DEVICE void raise(const tile::Accumulators<kKeys, kQueries>& s, tile::Accumulators<kHeadDim, kQueries>& o) {
        tile::Columns<kQueries> top = tile::column_max(s);
        bool grew = false;
        FLASHWAVE_UNROLL for (int c = 0; c < kColumns; ++c) {
            top.at[c] *= scale_log2;
            grew |= top.at[c] > maximum.at[c] + kSlack;
        }
        if (kLazy && __builtin_expect(!arch::any_lane(grew), 1)) return;
        tile::Columns<kQueries> factor;
        FLASHWAVE_UNROLL for (int c = 0; c < kColumns; ++c) {
            const float raised = max(maximum.at[c], top.at[c]);
            factor.at[c] = exp2(maximum.at[c] - raised);
            maximum.at[c] = raised;
            sum.at[c] *= factor.at[c];
        }
        tile::scale_columns(o, factor);
    }

    // The weights of the scores' 16-key group x, rounded to T, as operand B. The sum takes the weights before they are rounded.
    template <int kKeys>
    FLASHWAVE_DEVICE void weights(const tile::Accumulators<kKeys, kQueries>& s, int x, arch::Fragment (&p)[kColumns]) {
        FLASHWAVE_UNROLL for (int c = 0; c < kColumns; ++c) {
            u32 own[arch::kAccRows / 2];
            FLASHWAVE_UNROLL for (int r = 0; r < arch::kAccRows; r += 2) {
                const float low = exp2(fma(s.at[x][c][r], scale_log2, -maximum.at[c]));
                const float high = exp2(fma(s.at[x][c][r + 1], scale_log2, -maximum.at[c]));
                sum.at[c] += low + high;
                own[r / 2] = T::pack(low, high);
            }
            p[c] = arch::column_operand(own, arch::lane().half);
        }
    }

    // Of the whole column. Zero where nothing was visible.
    FLASHWAVE_DEVICE float total(int c) const { return arch::column_sum(sum.at[c]); }
};

}  // namespace flashwave::attention
