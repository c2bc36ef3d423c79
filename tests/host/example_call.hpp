// A correct forward call to start from; a test changes what it is about.
#pragma once

#include "flashwave/attention.hpp"

namespace flashwave::testing {

/// Distinct, aligned addresses that nobody reads.
inline void* fake_pointer(std::uintptr_t index) { return reinterpret_cast<void*>(index << 32); }

struct Shape {
    std::int64_t batch = 2, heads_q = 4, heads_kv = 2, seq_q = 96, seq_k = 96, head_dim = 64;
    DType dtype = DType::f16;
};

inline ForwardArgs example_args(Shape s = {}) {
    return {
        .q = TensorView::bhsd(fake_pointer(1), s.dtype, s.batch, s.heads_q, s.seq_q, s.head_dim),
        .k = TensorView::bhsd(fake_pointer(2), s.dtype, s.batch, s.heads_kv, s.seq_k, s.head_dim),
        .v = TensorView::bhsd(fake_pointer(3), s.dtype, s.batch, s.heads_kv, s.seq_k, s.head_dim),
        .o = TensorView::bhsd(fake_pointer(4), s.dtype, s.batch, s.heads_q, s.seq_q, s.head_dim),
    };
}

}  // namespace flashwave::testing
