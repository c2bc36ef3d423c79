// One numeric case of the forward kernels: shape, mask, placement in memory, inputs and geometry, as a value that
// prints itself and is read back from its text, so that a failure is repeated by one command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "problem/candidate.hpp"
#include "problem/forward_call.hpp"
#include "problem/problem_key.hpp"

namespace flashwave::testing {

enum class Placement : std::uint8_t {
    bhsd,       ///< dense
    bshd,       ///< heads interleaved
    padded,     ///< rows and heads with holes; what is in them is NaN
    broadcast,  ///< k and v are the same for the whole batch: stride 0
    odd,        ///< bases and rows on multiples of two bytes only
};
constexpr auto enum_names(Placement) {
    return std::array{EnumName{Placement::bhsd, "bhsd"}, EnumName{Placement::bshd, "bshd"},
                      EnumName{Placement::padded, "padded"}, EnumName{Placement::broadcast, "broadcast"},
                      EnumName{Placement::odd, "odd"}};
}

enum class Inputs : std::uint8_t {
    normal,    ///< independent, of unit variance
    dominant,  ///< every query has one key that takes nearly all the weight
    huge,      ///< scores of some hundreds: exp overflows, exp(s - max) does not
    rising,    ///< later keys weigh more, so that the maximum grows in every step
    unseen,    ///< normal, and NaN or Inf in every row of k and v that no query sees
};
constexpr auto enum_names(Inputs) {
    return std::array{EnumName{Inputs::normal, "normal"}, EnumName{Inputs::dominant, "dominant"},
                      EnumName{Inputs::huge, "huge"}, EnumName{Inputs::rising, "rising"},
                      EnumName{Inputs::unseen, "unseen"}};
}

struct KernelCase {
    DType dtype = DType::f16;
    int head_dim = 128;
    int batch = 1;
    int heads_q = 1;
    int heads_kv = 1;
    int seq_q = 64;
    int seq_k = 64;
    MaskKind mask = MaskKind::none;
    Placement placement = Placement::bhsd;
    Inputs inputs = Inputs::normal;
    bool lse = true;
    std::string geometry = "m128n64w8";  ///< the short name of one of geometries(), or "naive"

    static constexpr std::string_view kFieldsOf = "kernel case";
    static constexpr auto fields() {
        return std::tuple{field("dtype", &KernelCase::dtype),
                          field("head_dim", &KernelCase::head_dim),
                          field("batch", &KernelCase::batch),
                          field("heads_q", &KernelCase::heads_q),
                          field("heads_kv", &KernelCase::heads_kv),
                          field("seq_q", &KernelCase::seq_q),
                          field("seq_k", &KernelCase::seq_k),
                          field("mask", &KernelCase::mask),
                          field("placement", &KernelCase::placement),
                          field("inputs", &KernelCase::inputs),
                          field("lse", &KernelCase::lse),
                          field("geometry", &KernelCase::geometry)};
    }
};

/// A geometry by its short name ("m128n32w4_qlds"): any that the macros of kernels_src/config.h can say.
Result<Candidate> parse_geometry(const std::string& short_name);

/// The geometries that every case of the suite is worth running on: both structures, all staging choices, ragged shares
/// of the staging among waves.
const std::vector<std::string>& geometries(int head_dim);

/// A tensor in host memory as a case places it: all elements of `storage` that are not in the tensor are NaN.
struct HostTensor {
    std::vector<std::uint16_t> storage;
    std::size_t first = 0;  ///< index of element (0, 0, 0, 0)
    TensorView view;        ///< data points into storage

    std::uint16_t& at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column);
};

struct CaseTensors {
    HostTensor q, k, v, o;
};

/// Deterministic: the same case has the same inputs everywhere. o is filled with NaN.
CaseTensors make_tensors(const KernelCase& test);

/// Keys [0, n) are visible to some query.
int visible_keys(const KernelCase& test);

}  // namespace flashwave::testing
