#include "kernels/kernel_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "problem/float16.hpp"

namespace flashwave::testing {
namespace {

constexpr std::uint16_t kNaN = 0xffff;  // in fp16 and in bf16

class Normal {
  public:
    explicit Normal(std::uint64_t seed) : random_(seed) {}
    // Box and Muller: the standard library's distributions differ between implementations.
    float operator()() {
        const double u = (static_cast<double>(random_() >> 11) + 1) * 0x1p-53;
        const double angle = static_cast<double>(random_() >> 11) * 0x1p-53 * 6.283185307179586;
        return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(angle));
    }

  private:
    std::mt19937_64 random_;
};

HostTensor make_tensor(DType dtype, Placement placement, std::int64_t batch, std::int64_t heads, std::int64_t rows,
                       std::int64_t dim) {
    std::array<std::int64_t, 4> strides{heads * rows * dim, rows * dim, dim, 1};
    std::size_t before = 0;
    switch (placement) {
        case Placement::bhsd: break;
        case Placement::bshd: strides = {rows * heads * dim, dim, heads * dim, 1}; break;
        case Placement::padded:
            strides[2] = dim + 24;
            strides[1] = (rows + 3) * strides[2] + 8;
            strides[0] = heads * strides[1] + 16;
            before = 8;
            break;
        case Placement::broadcast: strides[0] = 0; break;
        case Placement::odd:
            strides[2] = dim + 1;
            strides[1] = rows * strides[2] + 3;
            strides[0] = heads * strides[1] + 1;
            before = 1;
            break;
    }
    // Exactly as long as the last element needs, so that a read behind it leaves the allocation.
    const bool empty = batch * heads * rows == 0;
    const std::int64_t span =
        empty ? 0 : (batch - 1) * strides[0] + (heads - 1) * strides[1] + (rows - 1) * strides[2] + dim;
    HostTensor tensor;
    tensor.storage.assign(before + static_cast<std::size_t>(span), kNaN);
    tensor.first = before;
    tensor.view = {tensor.storage.data() + before, dtype, {batch, heads, rows, dim}, strides};
    return tensor;
}

template <class Value>
void fill(HostTensor& tensor, Value&& value) {
    const auto [batch, heads, rows, dim] = tensor.view.shape;
    for (std::int64_t b = 0; b < (tensor.view.strides[0] == 0 ? std::min<std::int64_t>(batch, 1) : batch); ++b)
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t d = 0; d < dim; ++d)
                    store_element(&tensor.at(b, h, i, d), tensor.view.dtype, 0, value(b, h, i, d));
}

// The key that takes the weight of a query, one that the query sees.
std::int64_t dominant_key(const KernelCase& test, std::int64_t head, std::int64_t row) {
    const std::int64_t shift = test.mask == MaskKind::bottom_right ? test.seq_k - test.seq_q : 0;
    const std::int64_t seen =
        test.mask == MaskKind::none ? test.seq_k : std::min<std::int64_t>(test.seq_k, row + shift + 1);
    return seen <= 0 ? 0 : (row * 7919 + head * 104729 + 13) % seen;
}

}  // namespace

std::uint16_t& HostTensor::at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) {
    const std::int64_t index = batch * view.strides[0] + head * view.strides[1] + row * view.strides[2] + column;
    return storage[first + static_cast<std::size_t>(index)];
}

int visible_keys(const KernelCase& test) {
    return test.mask == MaskKind::top_left ? std::min(test.seq_q, test.seq_k) : test.seq_k;
}

CaseTensors make_tensors(const KernelCase& test) {
    const Placement dense = test.placement == Placement::broadcast ? Placement::bhsd : test.placement;
    CaseTensors t{.q = make_tensor(test.dtype, dense, test.batch, test.heads_q, test.seq_q, test.head_dim),
                  .k = make_tensor(test.dtype, test.placement, test.batch, test.heads_kv, test.seq_k, test.head_dim),
                  .v = make_tensor(test.dtype, test.placement, test.batch, test.heads_kv, test.seq_k, test.head_dim),
                  .o = make_tensor(test.dtype, dense, test.batch, test.heads_q, test.seq_q, test.head_dim)};
    Normal normal(20250 + static_cast<std::uint64_t>(test.seq_q) * 131 + static_cast<std::uint64_t>(test.seq_k));
    fill(t.v, [&](auto...) { return normal(); });
    switch (test.inputs) {
        case Inputs::normal:
        case Inputs::unseen:
            fill(t.q, [&](auto...) { return normal(); });
            fill(t.k, [&](auto...) { return normal(); });
            break;
        case Inputs::dominant: {
            // Keys are corners of a cube, a query points at its own: its score stands about 3 sqrt(dim) above the
            // others.
            fill(t.k, [&](auto...) { return normal() < 0 ? -1.0f : 1.0f; });
            const int group = test.heads_q / test.heads_kv;
            fill(t.q, [&](auto b, auto h, auto i, auto d) {
                if (test.seq_k == 0) return 1.0f;
                return 3 * load_element(&t.k.at(b, h / group, dominant_key(test, h, i), d), test.dtype, 0);
            });
            break;
        }
        case Inputs::huge:
            // Around 200 +- 100 in natural units: exp overflows fp32, and its fp16 scores keep a useful precision.
            fill(t.q, [&](auto, auto, auto, auto d) { return d == 0 ? 48.0f : 3 * normal(); });
            fill(t.k, [&](auto, auto, auto, auto d) {
                return d == 0 ? 4.2f * std::sqrt(static_cast<float>(test.head_dim)) : 3 * normal();
            });
            break;
        case Inputs::rising:
            // The first elements of q and k give key j a score of about 40 j / seq_k; the rest is noise.
            fill(t.q, [&](auto, auto, auto, auto d) { return d == 0 ? 8.0f : 0.5f * normal(); });
            fill(t.k, [&](auto, auto, auto j, auto d) {
                const float step = 5 * std::sqrt(static_cast<float>(test.head_dim)) / static_cast<float>(test.seq_k);
                return d == 0 ? step * static_cast<float>(j) : 0.5f * normal();
            });
            break;
    }
    if (test.inputs == Inputs::unseen)
        for (HostTensor* tensor : {&t.k, &t.v})
            fill(*tensor, [&, tensor](auto b, auto h, auto j, auto d) {
                if (j < visible_keys(test)) return load_element(&tensor->at(b, h, j, d), test.dtype, 0);
                return (j + d) % 3 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
            });
    return t;
}

Result<Candidate> parse_geometry(const std::string& text) {
    Candidate candidate;
    if (text == "naive") {
        candidate.kernel = Kernel::naive;
        return candidate;
    }
    int block_m = 0, used = 0;
    if (std::sscanf(text.c_str(), "m%dn%dw%d%n", &block_m, &candidate.block_n, &candidate.waves, &used) != 3 ||
        candidate.waves <= 0)
        return Status(Code::invalid_argument, fmt::format("{} is not a geometry such as m128n64w8_nopre", text));
    candidate.q_tiles = block_m / (16 * candidate.waves);
    for (std::string_view rest = std::string_view(text).substr(static_cast<std::size_t>(used)); !rest.empty();) {
        const std::string_view word = rest.substr(1, rest.find('_', 1) - 1);
        rest.remove_prefix(word.size() + 1);
        if (word == "qlds") candidate.q_in_lds = true;
        else if (word == "nopre") candidate.prefetch = false;
        else if (word == "s2") candidate.lds_stages = 2;
        else if (word == "eager") candidate.lazy_rescale = false;
        else if (word.starts_with("occ")) candidate.min_waves = std::atoi(word.data() + 3);
        else return Status(Code::invalid_argument, fmt::format("{}: {} is not known", text, word));
    }
    if (short_name(candidate) != text)
        return Status(Code::invalid_argument, fmt::format("{} is not how {} is written", text, short_name(candidate)));
    return candidate;
}

const std::vector<std::string>& geometries(int head_dim) {
    static const std::vector<std::string> k128{"m128n64w8",       "m128n32w4_qlds",  "m64n32w4",      "m64n32w4_s2",
                                               "m128n64w8_nopre", "m128n64w8_eager", "m64n64w4_qlds", "m32n32w2"};
    static const std::vector<std::string> k64{"m128n64w4",    "m128n64w4_nopre", "m128n64w4_qlds", "m128n64w8",
                                              "m128n64w8_s2", "m64n64w4_eager",  "m64n32w4",       "m256n64w8"};
    return head_dim == 64 ? k64 : k128;
}

}  // namespace flashwave::testing
