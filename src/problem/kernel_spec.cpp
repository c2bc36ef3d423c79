#include "problem/kernel_spec.hpp"

#include <fmt/format.h>

namespace flashwave {
namespace {

constexpr int kTile = 16;          // rows and columns of a matrix instruction
constexpr int kWave = 32;          // lanes
constexpr int kNaiveThreads = 64;  // one query row and 64 elements of head_dim a work-group

int ceil_div(int a, int b) noexcept { return (a + b - 1) / b; }

// Bytes of a matrix of 16-bit elements in LDS: rows are padded by 16 bytes, groups of 16 rows by `group_pad`
// (tile/shared_tile.h).
int shared_tile_bytes(int rows, int columns, int group_pad) noexcept {
    return rows / kTile * (kTile * (columns * 2 + 16) + group_pad);
}

}  // namespace

KernelSpec make_kernel_spec(const ProblemKey& key, const Candidate& candidate, const Arch& arch) {
    const bool causal = key.mask != MaskKind::none, naive = candidate.kernel == Kernel::naive;
    KernelSpec spec;
    spec.main_file = naive ? "naive.hip" : "forward.hip";
    spec.entry = naive ? fmt::format("naive_{}", name(key.dtype))
                       : fmt::format("fwd_{}_{}_d{}", arch.family, name(key.dtype), key.head_dim);
    if (causal) spec.entry += "_causal";
    if (!naive) spec.entry += fmt::format("{}_{}", key.align == 16 ? "" : "_a2", short_name(candidate));

    // Freestanding sources: neither hiprtc's own header nor clang's wrappers, so that the same text compiles on every
    // ROCm. Every flag that changes arithmetic is explicit; kernels_src/config.h says what they mean.
    spec.options = {"--hiprtc-no-builtin-header",
                    "-nogpuinc",
                    "-std=c++17",
                    "-O3",
                    "-mno-cumode",
                    "-ffp-contract=off",
                    "-fno-honor-nans",
                    "-fno-signed-zeros",
                    "-fno-math-errno"};
    const auto define = [&](std::string_view macro, auto value) {
        spec.options.push_back(fmt::format("-DFLASHWAVE_{}={}", macro, value));
    };
    define("ENTRY", spec.entry);
    define("DTYPE", key.dtype == DType::bf16 ? 1 : 0);
    define("CAUSAL", causal ? 1 : 0);
    if (naive) return spec;
    define("HEAD_DIM", key.head_dim);
    define("ALIGN", key.align);
    define("WAVES", candidate.waves);
    define("Q_TILES", candidate.q_tiles);
    define("BLOCK_N", candidate.block_n);
    define("Q_IN_LDS", candidate.q_in_lds ? 1 : 0);
    define("PREFETCH", candidate.prefetch ? 1 : 0);
    define("LDS_STAGES", candidate.lds_stages);
    define("LAZY_RESCALE", candidate.lazy_rescale ? 1 : 0);
    define("MIN_WAVES", candidate.min_waves);
    return spec;
}

Grid make_grid(const ForwardCall& call, const Candidate& candidate) noexcept {
    const std::int64_t heads = std::int64_t{call.batch} * call.heads_q;
    if (candidate.kernel == Kernel::naive)
        return {.q_blocks = call.seq_q,
                .groups = heads * call.seq_q * ceil_div(call.head_dim, kNaiveThreads),
                .threads = kNaiveThreads};
    // Rounded up without passing the largest int on the way.
    const int q_blocks = static_cast<int>((std::int64_t{call.seq_q} + candidate.block_m() - 1) / candidate.block_m());
    return {.q_blocks = q_blocks, .groups = heads * q_blocks, .threads = kWave * candidate.waves};
}

Status check_grid(const Grid& grid) {
    constexpr std::int64_t kMost = 0xffffffff;
    if (grid.groups * grid.threads <= kMost) return {};
    return Status(
        Code::unsupported,
        fmt::format("batch * heads * blocks of queries is {} work-groups of {} threads; HIP launches at most {} "
                    "threads at once, so the batch must be split",
                    grid.groups, grid.threads, kMost));
}

kernel::ForwardArgs make_kernel_args(const ForwardCall& call, const Grid& grid) noexcept {
    kernel::ForwardArgs args{};
    args.q = call.args.q.data;
    args.k = call.args.k.data;
    args.v = call.args.v.data;
    args.o = call.args.o.data;
    args.lse = call.args.lse;
    for (std::size_t d = 0; d < 3; ++d) {
        args.q_stride[d] = call.args.q.strides[d];
        args.k_stride[d] = call.args.k.strides[d];
        args.v_stride[d] = call.args.v.strides[d];
        args.o_stride[d] = call.args.o.strides[d];
    }
    args.lse_stride[0] = static_cast<long long>(call.heads_q) * call.seq_q;
    args.lse_stride[1] = call.seq_q;
    args.scale = call.scale;
    args.scale_log2 = static_cast<float>(static_cast<double>(call.scale) * 1.4426950408889634074);
    args.batch = call.batch;
    args.heads_q = call.heads_q;
    args.heads_kv = call.heads_kv;
    args.group = call.group();
    args.seq_q = call.seq_q;
    args.seq_k = call.seq_k;
    args.head_dim = call.head_dim;
    args.causal_shift = call.mask == MaskKind::bottom_right ? call.seq_k - call.seq_q : 0;
    args.q_blocks = grid.q_blocks;
    return args;
}

int lds_bytes(const Candidate& candidate, int head_dim) noexcept {
    if (candidate.kernel == Kernel::naive) return kNaiveThreads * 4;
    const int k = shared_tile_bytes(candidate.block_n, head_dim, 0);
    const int v = shared_tile_bytes(head_dim, candidate.block_n, 32);
    const int q = candidate.q_in_lds ? candidate.waves * shared_tile_bytes(kTile * candidate.q_tiles, head_dim, 0) : 0;
    return candidate.lds_stages * (k + v) + q;
}

int estimated_vgprs(const Candidate& candidate, int head_dim) noexcept {
    constexpr int kAccumulator = kTile * kTile / kWave;  // fp32 tile
    constexpr int kOperand = kTile / 2;                  // 16-bit tile: both halves of a wave hold all of it
    const int depth = head_dim / kTile;
    const int o = depth * candidate.q_tiles * kAccumulator;
    const int q = candidate.q_in_lds ? 0 : depth * candidate.q_tiles * kOperand;
    const int s = candidate.block_n / kTile * candidate.q_tiles * kAccumulator;
    // K and V of the next step on their way: 32-bit words a thread.
    const int staged = candidate.prefetch ? 2 * candidate.block_n * head_dim / 2 / (kWave * candidate.waves) : 0;
    // Addresses, statistics and operands of products in flight. Fitted to what hiprtc 6.4 allocates: 254 where this says 256
    // (head_dim 64, four waves of 32 queries, 64 keys, prefetch), 208 where it says 224 (head_dim 128, eight waves of 16).
    constexpr int kOther = 32;
    return o + q + s + staged + kOther;
}

}  // namespace flashwave
