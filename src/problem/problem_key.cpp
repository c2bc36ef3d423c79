#include "problem/problem_key.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace flashwave {
namespace {

constexpr int kSmallestTile = 16;      // lengths below one matrix tile cost the same
constexpr int kLongestLength = 65536;  // beyond it a geometry's rank no longer depends on the length
constexpr int kMostParallel = 1024;    // enough rows of work to fill any chip

}  // namespace

int length_bucket(int length) noexcept {
    if (length <= 1) return length;
    const auto power = std::bit_ceil(static_cast<unsigned>(length));
    return std::clamp(static_cast<int>(std::min(power, static_cast<unsigned>(kLongestLength))), kSmallestTile,
                      kLongestLength);
}

int parallel_bucket(std::int64_t rows) noexcept {
    return static_cast<int>(
        std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(rows, 1, kMostParallel))));
}

ProblemKey make_problem_key(const ForwardCall& call, const TargetName& target) noexcept {
    return ProblemKey{
        .op = Operation::forward,
        .target = target,
        .dtype = call.args.q.dtype,
        .head_dim = call.head_dim,
        .group = call.group(),
        .mask = call.mask,
        .layout = Layout::dense,
        .align = call.align,
        .seq_q = length_bucket(call.seq_q),
        .seq_k = length_bucket(call.seq_k),
        .parallel = parallel_bucket(std::int64_t{call.batch} * call.heads_q),
    };
}

ForwardCall representative_call(const ProblemKey& key) {
    const int heads_kv = std::max(1, key.parallel / key.group);
    const int heads_q = heads_kv * key.group;
    const auto tensor = [&](int heads, int length) {
        return TensorView::bhsd(nullptr, key.dtype, 1, heads, length, key.head_dim);
    };
    ForwardCall call{
        .args = {.q = tensor(heads_q, key.seq_q),
                 .k = tensor(heads_kv, key.seq_k),
                 .v = tensor(heads_kv, key.seq_k),
                 .o = tensor(heads_q, key.seq_q)},
        .batch = 1,
        .heads_q = heads_q,
        .heads_kv = heads_kv,
        .seq_q = key.seq_q,
        .seq_k = key.seq_k,
        .head_dim = key.head_dim,
        .align = key.align,
        .mask = key.mask,
        .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(key.head_dim))),
    };
    if (key.mask != MaskKind::none) {
        call.args.mask = Mask::causal;
        call.args.alignment = key.mask == MaskKind::top_left ? Alignment::top_left : Alignment::bottom_right;
    }
    return call;
}

Digest fingerprint(const ProblemKey& key) {
    Sha256 hash("problem");
    hash.field(kProblemKeyVersion);
    hash_fields(hash, key);
    return hash.finish();
}

}  // namespace flashwave
