// Attention, forward, the obvious way:   O = softmax(scale * Q K^T, masked) V,   LSE = log sum exp(scale * Q K^T, masked)
//
//   q [batch, heads_q, seq_q, head_dim]     k, v [batch, heads_kv, seq_k, head_dim]     head_dim contiguous, other strides free
//   o [batch, heads_q, seq_q, head_dim]     lse  [batch, heads_q, seq_q] fp32, optional
//
// Grid: one work-group of 64 threads per query row and 64 elements of head_dim; its number in x is
// ((batch * heads_q + head) * seq_q + row) * slices + slice. A thread owns one element of O, and one key of each 64.
// Any shape, any strides, any target: the reference on the device and the last resort. fp32 throughout.
#include "args.h"
#include "config.h"

namespace flashwave {
using namespace config;

constexpr int kThreads = 64;

// Element `column` of row `row` of a head of q, k or v.
FLASHWAVE_DEVICE float element(const void* tensor, const i64 (&stride)[3], int batch, int head, int row, int column) {
    const i64 at = batch * stride[0] + head * stride[1] + row * stride[2] + column;
    return Element::to_float(((Global<const u16>)tensor)[at]);
}

FLASHWAVE_KERNEL(kThreads, 1) FLASHWAVE_ENTRY(kernel::ForwardArgs args) {
    FLASHWAVE_SHARED static float score[kThreads];

    const int slices = (args.head_dim + kThreads - 1) / kThreads;
    const int slice = block_index() % slices, rows_before = block_index() / slices;
    const int row = rows_before % args.seq_q, heads_before = rows_before / args.seq_q;
    const int head = heads_before % args.heads_q, batch = heads_before / args.heads_q, head_kv = head / args.group;
    const int thread = thread_index(), column = slice * kThreads + thread;
    const bool owner = column < args.head_dim;
    const int visible = kCausal ? min(args.seq_k, row + args.causal_shift + 1) : args.seq_k;

    float maximum = -kInfinity, sum = 0.0f, output = 0.0f;
    for (int first = 0; first < visible; first += kThreads) {
        const int keys = min(kThreads, visible - first);

        // Each thread scores one key, in base 2.
        if (thread < keys) {
            float dot = 0.0f;
            for (int d = 0; d < args.head_dim; ++d)
                dot = fma(element(args.q, args.q_stride, batch, head, row, d),
                          element(args.k, args.k_stride, batch, head_kv, first + thread, d), dot);
            score[thread] = dot * args.scale_log2;
        }
        barrier();

        // Each thread takes all of them into its element of O.
        float raised = maximum;
        for (int j = 0; j < keys; ++j) raised = max(raised, score[j]);
        const float factor = maximum == -kInfinity ? 0.0f : exp2(maximum - raised);
        maximum = raised;
        sum *= factor;
        output *= factor;
        for (int j = 0; j < keys; ++j) {
            const float weight = exp2(score[j] - maximum);
            sum += weight;
            if (owner) output = fma(weight, element(args.v, args.v_stride, batch, head_kv, first + j, column), output);
        }
        barrier();
    }

    // A row that saw no key: O = 0, LSE = -inf.
    if (owner) {
        const i64 at = batch * args.o_stride[0] + head * args.o_stride[1] + row * args.o_stride[2] + column;
        ((Global<u16>)args.o)[at] = Element::from_float(visible > 0 ? output / sum : 0.0f);
    }
    if (args.lse && column == 0) {
        const i64 at = batch * args.lse_stride[0] + head * args.lse_stride[1] + row;
        ((Global<float>)args.lse)[at] = visible > 0 ? (maximum + log2(sum)) * kLn2 : -kInfinity;
    }
}

}  // namespace flashwave
