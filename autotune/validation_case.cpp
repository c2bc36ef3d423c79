#include "autotune/validation_case.hpp"

#include <cmath>

#include "problem/float16.hpp"

namespace flashwave {
namespace {

enum class Values { normal, peaked };

struct Plan {
    const char* name;
    int heads_kv, seq_q, seq_k;
    Values values;
    bool holes;  // [batch, length, heads, head_dim] with unused elements after each row
};

// Block sizes are 16 to 256 query rows and 32 to 128 keys: lengths around and between them, more keys than queries and
// fewer.
constexpr Plan kPlans[] = {
    {"one query, one key", 1, 1, 1, Values::normal, false},
    {"no keys", 1, 20, 0, Values::normal, false},
    {"ragged lengths, strides with holes", 2, 77, 205, Values::normal, true},
    {"one dominant key a row, logits beyond exp", 1, 131, 300, Values::peaked, false},
    {"more queries than keys", 1, 150, 70, Values::normal, false},
    {"whole blocks", 1, 256, 256, Values::normal, true},
};

std::uint64_t next(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// About normal, deviation 1: four bytes' sum.
float normal(std::uint64_t& state) {
    const std::uint64_t bits = next(state);
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<int>(bits >> (16 * i) & 0xff);
    return static_cast<float>(sum - 510) / 148.0f;
}

HostTensor make_tensor(const ProblemKey& key, int batch, int heads, int length, bool holes) {
    // An odd element of offset and of pitch where the key allows nothing better than 2 bytes of alignment.
    const std::int64_t odd = key.align == 16 ? 0 : 1, pitch = key.head_dim + (holes ? 8 + odd : 0),
                       rows = std::int64_t{heads} * pitch;
    HostTensor tensor;
    tensor.base = kGuardElements + odd;
    tensor.view.dtype = key.dtype;
    tensor.view.shape = {batch, heads, length, key.head_dim};
    if (holes) tensor.view.strides = {length * rows, pitch, rows, 1};
    else
        tensor.view.strides = {std::int64_t{heads} * length * key.head_dim, std::int64_t{length} * key.head_dim,
                               key.head_dim, 1};
    tensor.data.assign(static_cast<std::size_t>(tensor.base + batch * length * rows + kGuardElements), kPoison);
    tensor.view.data = tensor.data.data() + tensor.base;
    return tensor;
}

template <class Value>
void fill(HostTensor& tensor, Value&& value) {
    const auto& [batch, heads, length, dim] = tensor.view.shape;
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t i = 0; i < length; ++i)
                for (std::int64_t d = 0; d < dim; ++d)
                    store_element(
                        tensor.view.data, tensor.view.dtype,
                        b * tensor.view.strides[0] + h * tensor.view.strides[1] + i * tensor.view.strides[2] + d,
                        value(h, i, d));
}

float at(const HostTensor& tensor, std::int64_t head, std::int64_t row, std::int64_t d) {
    return load_element(tensor.view.data, tensor.view.dtype,
                        head * tensor.view.strides[1] + row * tensor.view.strides[2] + d);
}

ValidationCase make_case(const ProblemKey& key, const Plan& plan) {
    ValidationCase one;
    one.name = plan.name;
    const int heads_q = plan.heads_kv * key.group;
    one.q = make_tensor(key, 1, heads_q, plan.seq_q, plan.holes);
    one.k = make_tensor(key, 1, plan.heads_kv, plan.seq_k, plan.holes);
    one.v = make_tensor(key, 1, plan.heads_kv, plan.seq_k, plan.holes);
    one.o = make_tensor(key, 1, heads_q, plan.seq_q, plan.holes);
    std::uint64_t state = static_cast<std::uint64_t>(plan.seq_q * 1000 + plan.seq_k);
    fill(one.k, [&](auto, auto, auto) { return normal(state); });
    fill(one.v, [&](auto, auto, auto) { return normal(state); });
    if (plan.values == Values::normal) fill(one.q, [&](auto, auto, auto) { return normal(state); });
    else  // query i points at key 7 i + 3: a scaled score near 16 sqrt(head_dim), all others far below
        fill(one.q,
             [&](auto h, auto i, auto d) { return 16.0f * at(one.k, h / key.group, (7 * i + 3) % plan.seq_k, d); });
    one.call = ForwardCall{
        .args = {.q = one.q.view, .k = one.k.view, .v = one.v.view, .o = one.o.view},
        .batch = 1,
        .heads_q = heads_q,
        .heads_kv = plan.heads_kv,
        .seq_q = plan.seq_q,
        .seq_k = plan.seq_k,
        .head_dim = key.head_dim,
        .align = key.align,
        .mask = key.mask,
        .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(key.head_dim))),
    };
    one.reference = compute_reference(one.call, choose_rows(one.call, 2000));
    return one;
}

}  // namespace

std::vector<ValidationCase> make_validation_cases(const ProblemKey& key) {
    std::vector<ValidationCase> cases;
    for (const Plan& plan : kPlans) cases.push_back(make_case(key, plan));
    return cases;
}

}  // namespace flashwave
