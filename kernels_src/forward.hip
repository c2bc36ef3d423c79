// Attention, forward:   O = softmax(scale * Q K^T, masked) V,   LSE = log sum exp(scale * Q K^T, masked)
//
//   q [batch, heads_q, seq_q, head_dim]     k, v [batch, heads_kv, seq_k, head_dim]     head_dim contiguous, other strides free
//   o [batch, heads_q, seq_q, head_dim]     lse  [batch, heads_q, seq_q] fp32, optional
//
// Grid: one work-group per block of kBlockM query rows; its number in x is (batch * heads_q + head) * q_blocks + block, so that
// neighbours read the same K and V. Under a causal mask the blocks of a head come in reverse, the longest first.
// A wave owns kWaveM query rows; all waves share the K and V tiles of a step in LDS. Everything is computed transposed,
//   S^T (keys, queries) = K Q^T,   O^T (head_dim, queries) += V^T P^T,
// so that P needs no trip through memory between the products and softmax statistics live in one lane per query.
#include "args.h"
#include "forward_config.h"
#include "attention/block_range.h"
#include "attention/mask.h"
#include "attention/online_softmax.h"
#include "tile/products.h"
#include "tile/queries.h"
#include "tile/staging.h"

namespace flashwave {
using namespace config;

using KTile = tile::SharedTile<kBlockN, kHeadDim>;       // rows: keys
using VTile = tile::SharedTile<kHeadDim, kBlockN, 32>;   // rows: elements of head_dim, V transposed
using Scores = tile::Accumulators<kBlockN, kWaveM>;      // (keys, queries) per wave
using Output = tile::Accumulators<kHeadDim, kWaveM>;     // (head_dim, queries) per wave
using StagedK = tile::StagedRows<KTile, kThreads>;
using StagedV = tile::StagedTransposed<VTile, kWaves>;

using Queries = Choice<kQInLds, tile::QueriesInLds<kWaveM, kHeadDim>, tile::QueriesInRegisters<kWaveM, kHeadDim>>;

constexpr int kStageBytes = KTile::kBytes + VTile::kBytes;
constexpr int kLdsBytes = kStages * kStageBytes + kWaves * Queries::kLdsBytes;
static_assert(kLdsBytes <= kLdsLimit, "the K, V and Q tiles do not fit into 64 KiB of LDS");

FLASHWAVE_KERNEL(kThreads, kMinWaves) FLASHWAVE_ENTRY(kernel::ForwardArgs args) {
    FLASHWAVE_SHARED alignas(16) static char memory[kLdsBytes];
    const auto lds = (Shared<char>)memory;

    // Block coordinates.
    const int block = block_index() % args.q_blocks, heads_before = block_index() / args.q_blocks;
    const int head = heads_before % args.heads_q, batch = heads_before / args.heads_q;
    const int first_row = (kCausal ? args.q_blocks - 1 - block : block) * kBlockM;
    const int wave = uniform(thread_index() / 32), wave_row = first_row + wave * kWaveM;
    const auto q = tile::head_rows<const char, kAlign>((const char*)args.q, args.q_stride, batch, head);
    const auto k = tile::head_rows<const char, kAlign>((const char*)args.k, args.k_stride, batch, head / args.group);
    const auto v = tile::head_rows<const char, kAlign>((const char*)args.v, args.v_stride, batch, head / args.group);
    const auto range = attention::block_range<kCausal, kBlockN>(args, first_row, kBlockM);

    Queries queries;
    queries.load(q, wave_row, args.seq_q, lds + (kStages * kStageBytes + wave * Queries::kLdsBytes));

    auto o = tile::zeros<Output>();  // (head_dim, queries)
    attention::OnlineSoftmax<Element, kWaveM, kLazyRescale> softmax{args.scale_log2};

    // One step: tiles number n of K and V, from memory through registers and LDS to the matrix unit. Steps that need no mask load
    // the next tiles while they compute (the last one loads its own again); the few others load theirs when they begin, which
    // keeps 32 registers out of the code with the mask.
    StagedK staged_k(k);
    StagedV staged_v(v);
    auto next_k = k, next_v = v;
    const auto load_next = [&](bool another) __attribute__((always_inline)) {
        staged_k.load(next_k);
        staged_v.load(next_v);
        next_k = next_k.from(another ? kBlockN : 0);
        next_v = next_v.from(another ? kBlockN : 0);
    };
    const auto step = [&](int n, auto mask) __attribute__((always_inline)) {
        const auto stage = lds + n % kStages * kStageBytes;
        const KTile k_tile{stage};
        const VTile v_tile{stage + KTile::kBytes};
        if (kStages == 1) barrier();  // everyone has read the tiles of the step before
        if constexpr (mask.kBounded) {
            const int rows = range.keys - n * kBlockN;
            staged_k.load(k.from((i64)n * kBlockN), rows);
            staged_v.load(v.from((i64)n * kBlockN), rows);
        } else if (!kPrefetch) {
            load_next(true);
        }
        staged_k.store(k_tile);
        staged_v.store(v_tile);
        barrier();
        if (!mask.sees(n * kBlockN)) return;

        Scores s;  // (keys, queries)
        queries.begin_step();
        tile::scores<Element>(s, k_tile, queries);
        mask.apply(s, n * kBlockN);
        softmax.raise(s, o);
        if (kPrefetch && !mask.kBounded) load_next(n + 2 < range.whole);
        FLASHWAVE_UNROLL for (int x = 0; x < kBlockN / 16; ++x) {
            arch::Fragment p[kQTiles];  // (16 keys, queries)
            softmax.weights(s, x, p);
            tile::add_values<Element>(o, v_tile, x, p);
        }
    };
    if (kPrefetch && range.whole > 0) load_next(range.whole > 1);
    for (int n = 0; n < range.whole; ++n) step(n, attention::NoMask{});
    const auto mask = attention::make_mask<kCausal, kWaveM>(args, range, wave_row);
    for (int n = range.whole; n < range.end; ++n) step(n, mask);

    // Normalise and store. A row that saw no key has a sum of 0: O = 0, and log2(0) makes LSE -inf.
    const auto out = tile::head_rows<char, kAlign>((char*)args.o, args.o_stride, batch, head).from(wave_row);
    const auto [column, half] = arch::lane();
    FLASHWAVE_UNROLL for (int c = 0; c < kQTiles; ++c) {
        const int row = c * 16 + column;
        if (wave_row + row >= args.seq_q) continue;
        const float total = softmax.total(c), factor = total > 0.0f ? reciprocal(total) : 0.0f;
        const u32 offset = out.offset(row, half * arch::kAccRows * 2);
        FLASHWAVE_UNROLL for (int d = 0; d < kHeadDim / 16; ++d) {
            u32x4 piece;
            FLASHWAVE_UNROLL for (int r = 0; r < 4; ++r)
                piece[r] = Element::pack(o.at[d][c][2 * r] * factor, o.at[d][c][2 * r + 1] * factor);
            out.from(0, d * 32).store(offset, piece);
        }
        if (args.lse && half == 0) {
            const i64 at = batch * args.lse_stride[0] + head * args.lse_stride[1] + wave_row + row;
            ((Global<float>)args.lse)[at] = (softmax.maximum.at[c] + log2(total)) * kLn2;
        }
    }
}

}  // namespace flashwave
