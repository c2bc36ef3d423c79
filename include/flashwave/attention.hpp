// One attention call: its arguments and what is told about it afterwards.
//
//     o[b, h, i, :] = sum over j of softmax_j(scale * q[b, h, i, :] . k[b, g, j, :]) * v[b, g, j, :],  g = h / (heads_q
//     / heads_kv)
//
// Scores, softmax statistics and the output accumulate in fp32; probabilities are rounded to the input type before the
// second product. A row that sees no key (all masked, or length_k = 0) gives o = 0 and lse = -inf. The same call on the
// same plan gives the same bits, always.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "flashwave/export.hpp"
#include "flashwave/tensor.hpp"

namespace flashwave {

enum class Mask : std::uint8_t {
    none,    ///< every query sees every key
    causal,  ///< query i sees key j where j <= i*, the position of the query among the keys
};

/// Where the queries stand among the keys. It must be given for a causal mask where length_q != length_k, since other
/// libraries disagree about it; where the lengths are equal both mean the same.
enum class Alignment : std::uint8_t {
    unspecified,   ///< allowed where it does not matter
    bottom_right,  ///< i* = i + length_k - length_q: the last query sees the last key (decoding with a cache)
    top_left,      ///< i* = i: the first query sees the first key
};

/// "none", "causal".
FLASHWAVE_API std::string_view name(Mask mask) noexcept;
/// "unspecified", "bottom_right", "top_left".
FLASHWAVE_API std::string_view name(Alignment alignment) noexcept;

/// The arguments of Runtime::forward. Meant for designated initialisers:
///
///     runtime.forward({.q = q, .k = k, .v = v, .o = o, .mask = Mask::causal});
struct ForwardArgs {
    TensorView q = {};  ///< [batch, heads_q, length_q, head_dim]; f16 or bf16; head_dim 64 or 128
    TensorView k = {};  ///< [batch, heads_kv, length_k, head_dim], q's dtype; heads_q is a multiple of heads_kv
    TensorView v = {};  ///< [batch, heads_kv, length_k, head_dim], q's dtype
    TensorView o =
        {};  ///< [batch, heads_q, length_q, head_dim], q's dtype; every element is written; overlaps no input

    /// The natural logarithm of sum_j exp(scale * q.k_j) over the visible keys, f32, contiguous [batch, heads_q,
    /// length_q]; nullptr: not wanted.
    float* lse = nullptr;

    /// Finite and > 0. Default: 1 / sqrt(head_dim).
    std::optional<float> scale = std::nullopt;

    Mask mask = Mask::none;
    Alignment alignment = Alignment::unspecified;

    /// The hipStream_t on which everything is launched; nullptr is HIP's default stream.
    void* stream = nullptr;
};

/// Where the kernel of a call came from.
enum class PlanSource : std::uint8_t {
    tuned,             ///< candidates were measured for this call
    disk,              ///< a stored winner was loaded: nothing compiled, nothing measured
    memory,            ///< this Runtime had served the same problem before
    default_geometry,  ///< not tuned (mode off, or somebody else is tuning): the geometry that always works
};

/// "tuned", "disk", "memory", "default".
FLASHWAVE_API std::string_view name(PlanSource source) noexcept;

/// What a call did besides computing. The views point into the Runtime and live as long as it does.
struct ForwardInfo {
    PlanSource source = PlanSource::memory;
    std::string_view key;       ///< the problem as it is stored, e.g. {"op":"forward","target":"gfx1100",...}
    std::string_view geometry;  ///< the candidate that was launched, in its text form
    std::string_view kernel;    ///< the kernel's name as a profiler shows it
    int compiles = 0;           ///< code objects compiled for this call
    int candidates = 0;         ///< candidates launched to be validated or timed for this call
    /// Time of the chosen kernel as it was tuned, in microseconds; 0 where it was never timed.
    double tuned_time_us = 0;
    /// Times of this device come from an emulator's timing model; false: they are measured.
    bool modelled = false;
    bool launched = false;  ///< false where there was nothing to do (batch = 0 or length_q = 0)
};

}  // namespace flashwave
