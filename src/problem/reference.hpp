// Attention on the host in fp64, the same computation in the tensors' own precision, and the rule that judges a result
// by both.
//
//     every output x:  max|x - ref| <= 2 * max|same - ref| + a
//
// ref is the fp64 result; same is the plain, materialised computation that rounds scores and probabilities to the input
// type; a is twice what adding and subtracting 0.3 loses in the output type. For LSE, a has in addition the rounding of
// the dot product itself. Tensors here are host memory with any strides. Pure functions; they use all processors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flashwave/attention.hpp"
#include "problem/forward_call.hpp"

namespace flashwave {

/// One row of the output.
struct Row {
    int batch = 0;
    int head = 0;
    int query = 0;
    friend bool operator==(const Row&, const Row&) = default;
};

/// All rows of a call, or, where they are more than `limit`, about `limit` of them: for every batch and head the first,
/// the last and the edges of blocks, the rest drawn with a fixed seed.
std::vector<Row> choose_rows(const ForwardCall& call, std::size_t limit);

struct Reference {
    int head_dim = 0;
    std::vector<Row> rows;
    std::vector<double> o;         ///< [rows, head_dim], exact
    std::vector<double> o_same;    ///< [rows, head_dim], in the input's precision
    std::vector<double> lse;       ///< [rows], exact
    std::vector<double> lse_same;  ///< [rows]
    double largest_dot = 0;        ///< max over rows and visible keys of sum_d |scale * q_d * k_d|
};

/// `call.args` points to host memory here. `threads` 0: all processors.
Reference compute_reference(const ForwardCall& call, std::vector<Row> rows, unsigned threads = 0);

/// How far a result is from the reference, and where it is worst.
struct Comparison {
    bool passed = false;
    double max_error = 0;  ///< NaN where a NaN stands that the reference does not have
    double bound = 0;
    Row worst;
    int worst_column = 0;  ///< along head_dim; 0 for LSE
    double got = 0;        ///< at the worst element
    double wanted = 0;

    /// "o[0, 3, 17, 5] is 0.25 and must be 0.125: error 0.125, allowed 0.0021"
    std::string sentence(const char* tensor) const;
};

/// Judges `o` (host memory, the dtype and shape of the call's output).
Comparison compare_output(const Reference& reference, const TensorView& o);
/// Judges LSE: host memory, contiguous [batch, heads_q, seq_q].
Comparison compare_lse(const Reference& reference, const ForwardCall& call, const float* lse);

}  // namespace flashwave
