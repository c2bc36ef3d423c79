// One attention problem as the command line and warm's files describe it, and the tensors it stands for.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/fields.hpp"
#include "flashwave/attention.hpp"
#include "flashwave/status.hpp"

namespace CLI {
class App;
}

namespace flashwave::cli {

/// The mask and its alignment in one word.
enum class Causal : std::uint8_t { none, bottom_right, top_left };
enum class MemoryLayout : std::uint8_t { bhsd, bshd };
enum class Element : std::uint8_t { f16, bf16 };

constexpr auto enum_names(Causal) {
    return std::array{EnumName{Causal::none, "none"}, EnumName{Causal::bottom_right, "bottom_right"},
                      EnumName{Causal::top_left, "top_left"}};
}
constexpr auto enum_names(MemoryLayout) {
    return std::array{EnumName{MemoryLayout::bhsd, "bhsd"}, EnumName{MemoryLayout::bshd, "bshd"}};
}
constexpr auto enum_names(Element) {
    return std::array{EnumName{Element::f16, "f16"}, EnumName{Element::bf16, "bf16"}};
}

/// A length or count that follows another one.
inline constexpr std::int64_t kFollows = std::numeric_limits<std::int64_t>::min();

struct Problem {
    Element dtype = Element::f16;
    std::int64_t batch = 1;
    std::int64_t heads = 8;
    std::int64_t kv_heads = kFollows;  ///< kFollows: as heads
    std::int64_t seq_q = 1024;
    std::int64_t seq_k = kFollows;  ///< kFollows: as seq_q
    std::int64_t dim = 128;
    Causal causal = Causal::none;
    std::string scale = {};  ///< a number as text; empty: 1 / sqrt(dim)
    MemoryLayout layout = MemoryLayout::bhsd;

    static constexpr std::string_view kFieldsOf = "problem";
    static constexpr auto fields() {
        return std::tuple{field("dtype", &Problem::dtype), field("batch", &Problem::batch),
                          field("heads", &Problem::heads), field("kv_heads", &Problem::kv_heads),
                          field("seq_q", &Problem::seq_q), field("seq_k", &Problem::seq_k),
                          field("dim", &Problem::dim),     field("causal", &Problem::causal),
                          field("scale", &Problem::scale), field("layout", &Problem::layout)};
    }
};

/// Device memory of a problem's tensors; null where only its shape is of interest.
struct Tensors {
    void* q = nullptr;
    void* k = nullptr;
    void* v = nullptr;
    void* o = nullptr;
    float* lse = nullptr;
};

/// The problem with kFollows replaced by what it stands for.
Problem settled(Problem problem);

DType dtype_of(const Problem& problem) noexcept;

/// The call. Shapes are passed on as they are, for the library's own check to judge. Code::invalid_argument: --scale is
/// no number.
Result<ForwardArgs> make_args(const Problem& problem, const Tensors& tensors);

/// make_args and the library's check of everything but pointers.
Status check_problem(const Problem& problem);

/// A dense tensor in the problem's layout.
TensorView view_of(const Problem& problem, void* data, std::int64_t heads, std::int64_t length) noexcept;

/// Floating-point operations of the pass: 4 * dim for each visible pair of query and key.
double flops_of(const Problem& problem) noexcept;

/// --dtype, --batch, ... : one flag a field, each its text. Which of them were given is told by the keys.
class ProblemFlags {
  public:
    void add_to(CLI::App& app);
    bool given(std::string_view field_name) const;
    /// `defaults` with the given flags put over it.
    Result<Problem> over(Problem defaults) const;

  private:
    std::array<std::string, std::tuple_size_v<decltype(Problem::fields())>> texts_;
    std::array<bool, std::tuple_size_v<decltype(Problem::fields())>> given_{};
};

}  // namespace flashwave::cli
