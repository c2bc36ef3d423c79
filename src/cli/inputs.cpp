#include "cli/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>
#include <utility>

#include "cli/command.hpp"
#include "command_line/npy.hpp"
#include "command_line/output_file.hpp"
#include "problem/float16.hpp"

namespace flashwave::cli {
namespace {

// SplitMix64 at position `index` of the stream `seed`.
std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The sum of four uniform 16-bit numbers is near enough to normal, and, unlike std::log and std::cos, the same
// everywhere.
float normal(std::uint64_t word) {
    const std::int64_t sum = std::int64_t(word & 0xffff) + std::int64_t(word >> 16 & 0xffff) +
                             std::int64_t(word >> 32 & 0xffff) + std::int64_t(word >> 48) - 2 * 0xffff;
    constexpr float kDeviation = 0x1p16f * 0.577350269f;  // of that sum: 2^16 * sqrt(4 / 12)
    return static_cast<float>(sum) / kDeviation;
}

std::uint16_t to_bits(Element dtype, float value) {
    return dtype == Element::f16 ? float_to_f16(value) : float_to_bf16(value);
}

std::size_t elements_of(const Problem& problem, std::int64_t heads, std::int64_t length) {
    return static_cast<std::size_t>(problem.batch * heads * length * problem.dim);
}

std::vector<std::uint16_t> seeded_tensor(const Problem& problem, std::size_t elements, std::uint64_t seed) {
    std::vector<std::uint16_t> bits(elements);
    for (std::size_t i = 0; i < elements; ++i) bits[i] = to_bits(problem.dtype, normal(random_word(seed, i)));
    return bits;
}

void point_at_keys(const Problem& problem, std::uint64_t seed, Inputs& inputs) {
    if (problem.seq_k == 0) return;
    const TensorView q = view_of(problem, inputs.q.data(), problem.heads, problem.seq_q);
    const TensorView k = view_of(problem, inputs.k.data(), problem.kv_heads, problem.seq_k);
    const std::int64_t group = problem.heads / problem.kv_heads;
    std::uint64_t row = 0;
    for (std::int64_t b = 0; b < problem.batch; ++b)
        for (std::int64_t h = 0; h < problem.heads; ++h)
            for (std::int64_t i = 3; i < problem.seq_q; i += 4) {
                const auto j =
                    static_cast<std::int64_t>(random_word(seed, row++) % static_cast<std::uint64_t>(problem.seq_k));
                std::memcpy(
                    &inputs.q[static_cast<std::size_t>(b * q.strides[0] + h * q.strides[1] + i * q.strides[2])],
                    &inputs.k[static_cast<std::size_t>(b * k.strides[0] + h / group * k.strides[1] + j * k.strides[2])],
                    static_cast<std::size_t>(problem.dim) * sizeof(std::uint16_t));
            }
}

struct Named {
    const char* flag;
    const std::string& path;
    NpyArray array;

    std::string text() const { return fmt::format("{} {}", flag, path); }
};

// The file's extent along a logical dimension: batch, heads, length, head_dim.
std::int64_t extent(const Named& file, MemoryLayout layout, std::size_t dimension) {
    static constexpr std::size_t kInBshd[] = {0, 2, 1, 3};
    return file.array.shape[layout == MemoryLayout::bhsd ? dimension : kInBshd[dimension]];
}

// `field` of the problem is what the file says; another value must not have been asked for.
Status adopt(const Named& file, std::int64_t extent, std::string_view field, bool fixed, std::string_view by,
             std::int64_t& value) {
    if (fixed && value != extent)
        return Status(Code::invalid_argument, fmt::format("{}: its shape ({}) gives {} {}, and {} is {}", file.text(),
                                                          fmt::join(file.array.shape, ", "), field, extent, by, value));
    value = extent;
    return {};
}

Status adopt_shapes(const std::array<Named, 3>& files, const ProblemFlags& flags, Problem& problem) {
    const auto& [q, k, v] = files;
    for (const Named& file : files)
        if (file.array.shape.size() != 4)
            return Status(Code::invalid_argument,
                          fmt::format("{}: its shape ({}) has {} dimensions; 4 are needed, {}", file.text(),
                                      fmt::join(file.array.shape, ", "), file.array.shape.size(),
                                      problem.layout == MemoryLayout::bhsd ? "[batch, heads, length, dim]"
                                                                           : "[batch, length, heads, dim]"));
    struct Dimension {
        std::size_t index;
        const char* field;
        std::int64_t& value;
    };
    const auto take = [&](const Named& file, const Dimension& dimension) {
        return adopt(file, extent(file, problem.layout, dimension.index), dimension.field, flags.given(dimension.field),
                     flag_name(dimension.field), dimension.value);
    };
    const auto agree = [&](const Named& file, const Dimension& dimension, const char* with) {
        return adopt(file, extent(file, problem.layout, dimension.index), dimension.field, true,
                     fmt::format("that of {}", with), dimension.value);
    };
    const Dimension batch{0, "batch", problem.batch}, dim{3, "dim", problem.dim};
    const Dimension kv_heads{1, "kv_heads", problem.kv_heads}, seq_k{2, "seq_k", problem.seq_k};
    for (const Dimension& dimension :
         {batch, Dimension{1, "heads", problem.heads}, Dimension{2, "seq_q", problem.seq_q}, dim})
        FLASHWAVE_RETURN_IF_ERROR(take(q, dimension));
    for (const Dimension& dimension : {batch, dim}) FLASHWAVE_RETURN_IF_ERROR(agree(k, dimension, "--q"));
    for (const Dimension& dimension : {kv_heads, seq_k}) FLASHWAVE_RETURN_IF_ERROR(take(k, dimension));
    for (const Dimension& dimension : {batch, kv_heads, seq_k, dim})
        FLASHWAVE_RETURN_IF_ERROR(agree(v, dimension, "--k"));
    return {};
}

Result<std::vector<std::uint16_t>> elements_in(const Named& file, Element dtype) {
    const std::string& descr = file.array.descr;
    const bool has_bits = dtype == Element::f16 ? descr == "<f2" : descr == "<u2" || descr == "|V2";
    if (has_bits) {
        std::vector<std::uint16_t> bits(file.array.data.size() / sizeof(std::uint16_t));
        std::memcpy(bits.data(), file.array.data.data(), file.array.data.size());
        return bits;
    }
    if (descr == "<f4") {
        std::vector<std::uint16_t> bits(file.array.data.size() / sizeof(float));
        for (std::size_t i = 0; i < bits.size(); ++i) {
            float value = 0;
            std::memcpy(&value, file.array.data.data() + i * sizeof value, sizeof value);
            bits[i] = to_bits(dtype, value);
        }
        return bits;
    }
    return Status(
        Code::invalid_argument,
        dtype == Element::f16
            ? fmt::format(
                  "{}: its element type is '{}'; --dtype f16 takes '<f2' or '<f4' (--dtype bf16 reads '<u2' as bits)",
                  file.text(), descr)
            : fmt::format("{}: its element type is '{}'; --dtype bf16 takes '<u2' or '|V2', the bits, or '<f4'",
                          file.text(), descr));
}

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

Inputs seeded_inputs(const Problem& problem, std::uint64_t seed) {
    Inputs inputs{
        .q = seeded_tensor(problem, elements_of(problem, problem.heads, problem.seq_q), random_word(seed, 0)),
        .k = seeded_tensor(problem, elements_of(problem, problem.kv_heads, problem.seq_k), random_word(seed, 1)),
        .v = seeded_tensor(problem, elements_of(problem, problem.kv_heads, problem.seq_k), random_word(seed, 2)),
    };
    point_at_keys(problem, random_word(seed, 3), inputs);
    return inputs;
}

Result<Inputs> read_inputs(const InputPaths& paths, const ProblemFlags& flags, Problem& problem) {
    std::array<Named, 3> files{Named{"--q", paths.q, {}}, Named{"--k", paths.k, {}}, Named{"--v", paths.v, {}}};
    for (const Named& file : files)
        if (file.path.empty())
            return Status(Code::invalid_argument,
                          fmt::format("{} is missing; --q, --k and --v are given together", file.flag));
    for (Named& file : files) {
        auto array = read_npy(file.path);
        if (!array) return array.status().with_context(file.flag);
        file.array = *std::move(array);
    }
    FLASHWAVE_RETURN_IF_ERROR(adopt_shapes(files, flags, problem));
    Inputs inputs;
    std::vector<std::uint16_t>* const tensors[] = {&inputs.q, &inputs.k, &inputs.v};
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto bits = elements_in(files[i], problem.dtype);
        if (!bits) return bits.status();
        *tensors[i] = *std::move(bits);
    }
    return inputs;
}

Status write_output(const std::string& path, const Problem& problem, const std::vector<std::uint16_t>& o) {
    const bool bhsd = problem.layout == MemoryLayout::bhsd;
    const std::int64_t shape[] = {problem.batch, bhsd ? problem.heads : problem.seq_q,
                                  bhsd ? problem.seq_q : problem.heads, problem.dim};
    return write_output_file(path, format_npy(problem.dtype == Element::f16 ? "<f2" : "<u2", shape, bytes_of(o)));
}

Status write_lse(const std::string& path, const Problem& problem, const std::vector<float>& lse) {
    const std::int64_t shape[] = {problem.batch, problem.heads, problem.seq_q};
    return write_output_file(path, format_npy("<f4", shape, bytes_of(lse)));
}

}  // namespace flashwave::cli
