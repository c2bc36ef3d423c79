// ProblemKey: whatever changes the answer or the code of a call, and the size class that decides which geometry is
// fastest.
//
// Two calls with equal keys are served by the same plan. The pointers, the exact lengths, strides, scale and the
// presence of LSE are arguments of the kernel: they change neither its code nor, noticeably, its best geometry, and are
// not in the key. A value; the text forms are part of the stored format.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "base/fields.hpp"
#include "base/short_text.hpp"
#include "flashwave/tensor.hpp"
#include "problem/forward_call.hpp"

namespace flashwave {

/// Raised whenever a field is added or changes its meaning: older rows then no longer match.
inline constexpr int kProblemKeyVersion = 1;

enum class Operation : std::uint8_t { forward = 1 };
enum class Layout : std::uint8_t { dense = 1 };

using TargetName = ShortText<63>;

constexpr auto enum_names(DType) {
    return std::array{EnumName{DType::f16, "f16"}, EnumName{DType::bf16, "bf16"}, EnumName{DType::f32, "f32"}};
}
constexpr auto enum_names(MaskKind) {
    return std::array{EnumName{MaskKind::none, "none"}, EnumName{MaskKind::bottom_right, "causal_bottom_right"},
                      EnumName{MaskKind::top_left, "causal_top_left"}};
}
constexpr auto enum_names(Operation) { return std::array{EnumName{Operation::forward, "forward"}}; }
constexpr auto enum_names(Layout) { return std::array{EnumName{Layout::dense, "dense"}}; }

struct ProblemKey {
    Operation op = Operation::forward;
    TargetName target;  ///< full gcnArchName: "gfx1100", "gfx942:sramecc+:xnack-"
    DType dtype = DType::f16;
    int head_dim = 0;
    int group = 1;  ///< query heads that share one key head
    MaskKind mask = MaskKind::none;
    Layout layout = Layout::dense;
    int align = 16;    ///< bytes that every pointer and stride is a multiple of: 16 or 2
    int seq_q = 0;     ///< length bucket: the largest length of its class
    int seq_k = 0;     ///< length bucket
    int parallel = 1;  ///< bucket of batch * heads_q, the rows of work that run side by side

    static constexpr std::string_view kFieldsOf = "problem";
    static constexpr auto fields() {
        return std::tuple{field("op", &ProblemKey::op),
                          field("target", &ProblemKey::target),
                          field("dtype", &ProblemKey::dtype),
                          field("head_dim", &ProblemKey::head_dim),
                          field("gqa", &ProblemKey::group),
                          field("mask", &ProblemKey::mask),
                          field("layout", &ProblemKey::layout),
                          field("align", &ProblemKey::align),
                          field("seq_q", &ProblemKey::seq_q),
                          field("seq_k", &ProblemKey::seq_k),
                          field("parallel", &ProblemKey::parallel)};
    }
    friend bool operator==(const ProblemKey& left, const ProblemKey& right) { return equal_fields(left, right); }
};

/// 0, 1, 16, 32, 64, ... 65536: the smallest of these that is not below `length`; longer ones share the last.
int length_bucket(int length) noexcept;
/// 1, 2, 4, ... 1024.
int parallel_bucket(std::int64_t rows) noexcept;

/// The key of a checked call on a device of this target. Allocates nothing.
ProblemKey make_problem_key(const ForwardCall& call, const TargetName& target) noexcept;

/// The call that stands for all calls of a key when it is tuned: as large as its buckets, dense, BHSD, without
/// pointers.
ForwardCall representative_call(const ProblemKey& key);

Digest fingerprint(const ProblemKey& key);

}  // namespace flashwave
