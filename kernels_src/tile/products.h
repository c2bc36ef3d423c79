// The two matrix products of a step. Their loops are ordered so that a fragment is loaded once and used for every query tile.
#pragma once

#include "tile/accumulators.h"
#include "tile/shared_tile.h"

namespace flashwave::tile {

// S = K Q^T: (keys, queries) = (keys, head_dim) x (head_dim, queries).
template <class T, int kKeys, int kQueries, class KTile, class Queries>
FLASHWAVE_DEVICE void scores(Accumulators<kKeys, kQueries>& s, const KTile& k, const Queries& q) {
    FLASHWAVE_UNROLL for (int d = 0; d < KTile::kColumns / arch::kTile; ++d) {
        // With two query tiles the accumulators leave few registers. Unfenced, hiprtc 6.4 loads the next d too early and spills.
        if (s.kColumns > 1) schedule_fence();
        arch::Fragment query[kQueries / arch::kTile];
        FLASHWAVE_UNROLL for (int c = 0; c < s.kColumns; ++c) query[c] = q.fragment(c, d);
        FLASHWAVE_UNROLL for (int r = 0; r < s.kRows; ++r) {
            const arch::Fragment key = k.fragment(r, d);
            FLASHWAVE_UNROLL for (int c = 0; c < s.kColumns; ++c)
                s.at[r][c] = d == 0 ? arch::mma<T>(key, query[c]) : arch::mma<T>(key, query[c], s.at[r][c]);
        }
    }
}

// O += V^T P: (head_dim, queries) += (head_dim, 16 keys) x (16 keys, queries), for the keys of group x.
template <class T, int kHeadDim, int kQueries, class VTile>
FLASHWAVE_DEVICE void add_values(Accumulators<kHeadDim, kQueries>& o, const VTile& v, int x,
                                 const arch::Fragment (&p)[kQueries / arch::kTile]) {
    FLASHWAVE_UNROLL for (int d = 0; d < o.kRows; ++d) {
        const arch::Fragment value = v.fragment(d, x);
        FLASHWAVE_UNROLL for (int c = 0; c < o.kColumns; ++c) o.at[d][c] = arch::mma<T>(value, p[c], o.at[d][c]);
    }
}

}  // namespace flashwave::tile
