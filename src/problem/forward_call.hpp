// A checked attention call: every argument proved to obey its documented rule, and the numbers a launch needs.
//
// check_forward runs on every call. On success it allocates nothing; each refusal is a sentence that names the
// argument, its value and what is allowed. Nothing outside the arguments is looked at, so it may run on any thread.
#pragma once

#include <cstdint>

#include "flashwave/attention.hpp"
#include "flashwave/status.hpp"

namespace flashwave {

// Limits of what a call may ask for.
inline constexpr std::int64_t kMaxDimension = 2147483647;  // an extent fits the kernels' int
inline constexpr std::int64_t kMaxQueryRows = 2147483647;  // batch * heads_q * length_q: rows are numbered by an int
inline constexpr std::int64_t kMaxElements = std::int64_t{1}
                                             << 48;  // distance between a tensor's first and last element
inline constexpr std::int64_t kMaxRowStride = (std::int64_t{1} << 22) - 1;  // 512 rows of a tile by 32-bit byte offsets
inline constexpr int kHeadDims[] = {64, 128};

/// The mask with its alignment settled. The numbers are part of the stored format: do not renumber.
enum class MaskKind : std::uint8_t { none = 0, bottom_right = 1, top_left = 2 };

struct ForwardCall {
    ForwardArgs args;  ///< as given
    int batch = 0;
    int heads_q = 0;
    int heads_kv = 0;
    int seq_q = 0;
    int seq_k = 0;
    int head_dim = 0;
    int align = 0;  ///< bytes, 16 or 2: what every pointer and every stride is a multiple of
    MaskKind mask = MaskKind::none;
    float scale = 0;

    int group() const noexcept { return heads_q / heads_kv; }
    /// There is nothing to compute: batch or length_q is 0.
    bool empty() const noexcept { return batch == 0 || seq_q == 0; }
};

enum class Pointers : bool {
    ignored,  ///< shapes and strides only, as for Runtime::warm; the pointers are taken to be aligned
    checked,
};

Status check_forward(const ForwardArgs& args, Pointers pointers, ForwardCall& call);

}  // namespace flashwave
