#include "cli/problem.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/command.hpp"
#include "problem/forward_call.hpp"

namespace flashwave::cli {
namespace {

constexpr std::string_view kHelp[] = {
    "Element type of q, k, v and o [f16]",
    "Sequences side by side [1]",
    "Query heads [8]",
    "Key and value heads; --heads is a multiple of it [--heads]",
    "Query rows of a sequence [1024]",
    "Keys of a sequence [--seq-q]",
    "Elements of a head: 64 or 128 [128]",
    "Mask; bottom_right: the last query sees the last key, top_left: the first sees the first [none]",
    "Factor of q.k, finite and above 0 [1/sqrt(dim)]",
    "Order of the dimensions in memory and in .npy files [bhsd]",
};
static_assert(std::size(kHelp) == std::tuple_size_v<decltype(Problem::fields())>,
              "a field of Problem has no help text");

Result<std::optional<float>> parse_scale(const std::string& text) {
    if (text.empty()) return std::optional<float>();
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return bad_flag("--scale", text, "a finite number above 0 is needed");
    return std::optional<float>(value);
}

// What stands behind a flag in the help: its choices, or what kind of value it is.
template <class V>
std::string kind_of_value(const V&) {
    if constexpr (NamedEnum<V>) {
        std::string choices;
        for (const auto& entry : enum_names(V{})) choices.append(choices.empty() ? "" : "|").append(entry.name);
        return choices;
    } else {
        return std::integral<V> ? "N" : "X";
    }
}

// Strides of shapes beyond the library's limits wrap around here; the shape is refused before a stride is looked at.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

Problem settled(Problem problem) {
    if (problem.kv_heads == kFollows) problem.kv_heads = problem.heads;
    if (problem.seq_k == kFollows) problem.seq_k = problem.seq_q;
    return problem;
}

DType dtype_of(const Problem& problem) noexcept { return problem.dtype == Element::f16 ? DType::f16 : DType::bf16; }

TensorView view_of(const Problem& problem, void* data, std::int64_t heads, std::int64_t length) noexcept {
    TensorView view{.data = data, .dtype = dtype_of(problem), .shape = {problem.batch, heads, length, problem.dim}};
    const std::int64_t sequence = product(product(heads, length), problem.dim);
    if (problem.layout == MemoryLayout::bhsd) view.strides = {sequence, product(length, problem.dim), problem.dim, 1};
    else view.strides = {sequence, problem.dim, product(heads, problem.dim), 1};
    return view;
}

Result<ForwardArgs> make_args(const Problem& problem, const Tensors& tensors) {
    const auto scale = parse_scale(problem.scale);
    if (!scale) return scale.status();
    return ForwardArgs{
        .q = view_of(problem, tensors.q, problem.heads, problem.seq_q),
        .k = view_of(problem, tensors.k, problem.kv_heads, problem.seq_k),
        .v = view_of(problem, tensors.v, problem.kv_heads, problem.seq_k),
        .o = view_of(problem, tensors.o, problem.heads, problem.seq_q),
        .lse = tensors.lse,
        .scale = *scale,
        .mask = problem.causal == Causal::none ? Mask::none : Mask::causal,
        .alignment = problem.causal == Causal::top_left ? Alignment::top_left : Alignment::bottom_right,
    };
}

Status check_problem(const Problem& problem) {
    const auto args = make_args(problem, {});
    if (!args) return args.status();
    ForwardCall call;
    return check_forward(*args, Pointers::ignored, call);
}

double flops_of(const Problem& problem) noexcept {
    const auto seq_q = problem.seq_q, seq_k = problem.seq_k;
    auto pairs = static_cast<double>(seq_q) * static_cast<double>(seq_k);
    if (problem.causal != Causal::none) {
        // Row i sees min(i + shift + 1, seq_k) keys, none where that is not positive.
        const std::int64_t shift = problem.causal == Causal::bottom_right ? seq_k - seq_q : 0;
        const std::int64_t first = std::clamp<std::int64_t>(-shift, 0, seq_q);
        const std::int64_t full = std::clamp<std::int64_t>(seq_k - shift, first, seq_q);
        pairs = static_cast<double>(full - first) * static_cast<double>(first + full + 2 * shift + 1) / 2 +
                static_cast<double>(seq_q - full) * static_cast<double>(seq_k);
    }
    return 4.0 * static_cast<double>(problem.batch) * static_cast<double>(problem.heads) *
           static_cast<double>(problem.dim) * pairs;
}

void ProblemFlags::add_to(CLI::App& app) {
    std::size_t i = 0;
    const Problem defaults;
    for_each_field(defaults, [&](std::string_view name, const auto& value) {
        bool& given = given_[i];
        std::string& text = texts_[i];
        app.add_option_function<std::string>(
               flag_name(name), [&given, &text](const std::string& words) { given = true, text = words; },
               std::string(kHelp[i]))
            ->option_text(kind_of_value(value))
            ->group("Problem");
        ++i;
    });
}

bool ProblemFlags::given(std::string_view field_name) const {
    const auto names = field_names<Problem>();
    const auto at = std::find(names.begin(), names.end(), field_name) - names.begin();
    return given_[static_cast<std::size_t>(at)];
}

Result<Problem> ProblemFlags::over(Problem defaults) const {
    Status status;
    std::size_t i = 0;
    for_each_field(defaults, [&](std::string_view name, auto& value) {
        if (given_[i] && status.ok()) {
            const std::string allowed = detail::assign_value(value, texts_[i]);
            if (!allowed.empty()) status = bad_flag(flag_name(name), texts_[i], "use " + allowed);
        }
        ++i;
    });
    if (!status.ok()) return status;
    return defaults;
}

}  // namespace flashwave::cli
