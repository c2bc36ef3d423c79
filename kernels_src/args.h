// The one parameter of the forward kernels (forward.hip, naive.hip), passed by value. Compiled by the host's C++ compiler and,
// freestanding, by hiprtc: plain types only, no includes, every field at its natural alignment so that both agree on the layout.
// Part of the launch ABI: a changed field changes the toolchain fingerprint of every cached kernel.
#pragma once

namespace flashwave::kernel {

struct ForwardArgs {
    const void* q;  // [batch, heads_q,  seq_q, head_dim]
    const void* k;  // [batch, heads_kv, seq_k, head_dim]; may be null where seq_k is 0
    const void* v;  // [batch, heads_kv, seq_k, head_dim]; may be null where seq_k is 0
    void* o;        // [batch, heads_q,  seq_q, head_dim], the dtype of q
    float* lse;     // [batch, heads_q,  seq_q], natural logarithm; null: not wanted

    // Elements between neighbours along batch, head and row; head_dim is contiguous. Not negative; k and v may have zeros
    // (broadcast). forward.hip takes 32-bit byte offsets inside a tile: row stride * rows of a tile * 2 bytes must be
    // below 2^32. naive.hip has no limit.
    long long q_stride[3];
    long long k_stride[3];
    long long v_stride[3];
    long long o_stride[3];
    long long lse_stride[2];  // batch, head; rows are contiguous

    float scale;       // multiplies q.k; finite, > 0
    float scale_log2;  // scale * log2(e), rounded once from double
    int batch;
    int heads_q;
    int heads_kv;
    int group;         // heads_q / heads_kv: query head h reads kv head h / group
    int seq_q;         // >= 1: a call with no query rows launches nothing
    int seq_k;         // >= 0
    int head_dim;
    int causal_shift;  // row i stands at key position i + causal_shift: seq_k - seq_q (bottom right) or 0 (top left)
    int q_blocks;      // blocks of query rows a head, ceil(seq_q / block_m): the grid is batch * heads_q * q_blocks in x
};

}  // namespace flashwave::kernel
