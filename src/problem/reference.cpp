#include "problem/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <utility>

#include "problem/float16.hpp"

namespace flashwave {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t offset_of(const TensorView& view, int batch, int head, int row) {
    return batch * view.strides[0] + head * view.strides[1] + row * view.strides[2];
}

// Keys [0, visible) are seen by the query: all of them, or a prefix under a causal mask.
int visible_keys(const ForwardCall& call, int query) {
    if (call.mask == MaskKind::none) return call.seq_k;
    const std::int64_t shift = call.mask == MaskKind::bottom_right ? std::int64_t{call.seq_k} - call.seq_q : 0;
    return static_cast<int>(std::clamp<std::int64_t>(query + shift + 1, 0, call.seq_k));
}

// K and V of one head as f32, which holds both input types exactly. K is transposed so that the loop over keys is the
// inner one.
struct HeadValues {
    HeadValues(const ForwardCall& call, int batch, int head) : keys(call.seq_k), dim(call.head_dim) {
        const auto size = static_cast<std::size_t>(keys) * static_cast<std::size_t>(dim);
        k_transposed.resize(size);
        v.resize(size);
        for (int j = 0; j < keys; ++j) {
            const std::int64_t k_row = offset_of(call.args.k, batch, head, j),
                               v_row = offset_of(call.args.v, batch, head, j);
            for (int d = 0; d < dim; ++d) {
                k_transposed[static_cast<std::size_t>(d) * static_cast<std::size_t>(keys) +
                             static_cast<std::size_t>(j)] =
                    load_element(call.args.k.data, call.args.k.dtype, k_row + d);
                v[static_cast<std::size_t>(j) * static_cast<std::size_t>(dim) + static_cast<std::size_t>(d)] =
                    load_element(call.args.v.data, call.args.v.dtype, v_row + d);
            }
        }
    }
    const float* k_column(int d) const {
        return k_transposed.data() + static_cast<std::size_t>(d) * static_cast<std::size_t>(keys);
    }
    const float* v_row(int j) const { return v.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(dim); }

    int keys, dim;
    std::vector<float> k_transposed, v;
};

struct RowResult {
    double* o;
    double* o_same;
    double* lse;
    double* lse_same;
};

// The row without any rounding.
void exact_row(const ForwardCall& call, const HeadValues& head, const std::vector<float>& q, int visible,
               std::vector<double>& s, std::vector<double>& size, RowResult out, double& largest_dot) {
    const auto n = static_cast<std::size_t>(visible);
    std::fill_n(s.begin(), n, 0.0);
    std::fill_n(size.begin(), n, 0.0);
    for (int d = 0; d < head.dim; ++d) {
        const double factor = static_cast<double>(q[static_cast<std::size_t>(d)]) * static_cast<double>(call.scale);
        const float* k = head.k_column(d);
        for (std::size_t j = 0; j < n; ++j) {
            const double product = factor * static_cast<double>(k[j]);
            s[j] += product;
            size[j] += std::abs(product);
        }
    }
    double maximum = -kInfinity;
    for (std::size_t j = 0; j < n; ++j) {
        maximum = s[j] > maximum || std::isnan(s[j]) ? s[j] : maximum;
        if (size[j] > largest_dot && std::isfinite(size[j])) largest_dot = size[j];
        if (std::isnan(maximum)) break;
    }
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += s[j] = std::exp(s[j] - maximum);
    std::fill_n(out.o, head.dim, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
        const float* v = head.v_row(static_cast<int>(j));
        for (int d = 0; d < head.dim; ++d) out.o[d] += s[j] * static_cast<double>(v[d]);
    }
    for (int d = 0; d < head.dim; ++d) out.o[d] /= sum;
    *out.lse = maximum + std::log(sum);
}

// The row as a library without a fused kernel computes it: fp32 sums, S and P stored in the input type.
void same_precision_row(const ForwardCall& call, const HeadValues& head, const std::vector<float>& q, int visible,
                        std::vector<float>& s, RowResult out) {
    const DType dtype = call.args.q.dtype;
    const auto n = static_cast<std::size_t>(visible);
    std::fill_n(s.begin(), n, 0.0f);
    for (int d = 0; d < head.dim; ++d) {
        const float factor = q[static_cast<std::size_t>(d)];
        const float* k = head.k_column(d);
        for (std::size_t j = 0; j < n; ++j) s[j] += factor * k[j];
    }
    float maximum = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < n; ++j) {
        s[j] = round_to(dtype, s[j] * call.scale);
        maximum = std::max(maximum, s[j]);
    }
    float sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += s[j] = std::exp(s[j] - maximum);
    std::vector<float> o(static_cast<std::size_t>(head.dim), 0.0f);
    for (std::size_t j = 0; j < n; ++j) {
        const float p = round_to(dtype, s[j] / sum);
        const float* v = head.v_row(static_cast<int>(j));
        for (std::size_t d = 0; d < o.size(); ++d) o[d] += p * v[d];
    }
    for (std::size_t d = 0; d < o.size(); ++d) out.o_same[d] = static_cast<double>(round_to(dtype, o[d]));
    *out.lse_same = static_cast<double>(maximum + std::log(sum));
}

void compute_row(const ForwardCall& call, const HeadValues& head, Row row, RowResult out, double& largest_dot) {
    const int visible = visible_keys(call, row.query);
    if (visible == 0) {
        std::fill_n(out.o, head.dim, 0.0);
        std::fill_n(out.o_same, head.dim, 0.0);
        *out.lse = *out.lse_same = -kInfinity;
        return;
    }
    std::vector<float> q(static_cast<std::size_t>(head.dim));
    const std::int64_t q_row = offset_of(call.args.q, row.batch, row.head, row.query);
    for (int d = 0; d < head.dim; ++d)
        q[static_cast<std::size_t>(d)] = load_element(call.args.q.data, call.args.q.dtype, q_row + d);
    std::vector<double> s(static_cast<std::size_t>(visible)), size(static_cast<std::size_t>(visible));
    exact_row(call, head, q, visible, s, size, out, largest_dot);
    std::vector<float> s_same(static_cast<std::size_t>(visible));
    same_precision_row(call, head, q, visible, s_same, out);
}

// The worst element so far, and what a failure of the rule would be about.
class Judge {
  public:
    void element(double got, double ref, double same, DType dtype, Row row, int column) {
        if (std::isnan(ref) || std::isinf(ref)) {
            const bool equal = std::isnan(ref) ? std::isnan(got) : got == ref;
            if (!equal) worse(std::numeric_limits<double>::quiet_NaN(), got, ref, row, column);
            return;
        }
        const double stored = static_cast<double>(round_to(dtype, ref));
        const double around =
            static_cast<double>(round_to(dtype, static_cast<double>(round_to(dtype, stored + 0.3)) - 0.3));
        tolerance_ = std::max(tolerance_, std::abs(around - stored));
        if (std::isfinite(same)) same_error_ = std::max(same_error_, std::abs(same - ref));
        const double error = std::abs(got - ref);
        if (!(error <= result_.max_error)) worse(error, got, ref, row, column);
    }

    Comparison finish(double extra) {
        result_.bound = 2 * same_error_ + 2 * tolerance_ + extra;
        result_.passed = result_.max_error <= result_.bound;  // false for NaN
        return result_;
    }

  private:
    void worse(double error, double got, double ref, Row row, int column) {
        if (std::isnan(result_.max_error)) return;  // the first one stays
        result_.max_error = error;
        result_.worst = row;
        result_.worst_column = column;
        result_.got = got;
        result_.wanted = ref;
    }

    Comparison result_;
    double same_error_ = 0;
    double tolerance_ = 0;
};

}  // namespace

std::vector<Row> choose_rows(const ForwardCall& call, std::size_t limit) {
    const std::size_t heads = static_cast<std::size_t>(call.batch) * static_cast<std::size_t>(call.heads_q);
    const std::size_t all = heads * static_cast<std::size_t>(call.seq_q);
    std::vector<Row> rows;
    std::vector<int> queries;
    if (all <= limit) {
        for (int i = 0; i < call.seq_q; ++i) queries.push_back(i);
    } else {
        for (const int i :
             {0, 1, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, call.seq_q / 2, call.seq_q - 2, call.seq_q - 1})
            if (i >= 0 && i < call.seq_q) queries.push_back(i);
        std::mt19937_64 random(20240229);
        const std::size_t each =
            std::min<std::size_t>(static_cast<std::size_t>(call.seq_q), std::max<std::size_t>(limit / heads, 4));
        while (queries.size() < each)
            queries.push_back(static_cast<int>(random() % static_cast<std::uint64_t>(call.seq_q)));
        std::sort(queries.begin(), queries.end());
        queries.erase(std::unique(queries.begin(), queries.end()), queries.end());
    }
    // With very many heads the edges alone exceed the limit: then heads are skipped evenly too.
    const std::size_t step =
        all <= limit ? 1 : std::max<std::size_t>(1, heads * queries.size() / std::max<std::size_t>(limit, 1));
    for (std::size_t h = 0; h < heads; h += step)
        for (const int i : queries)
            rows.push_back({static_cast<int>(h / static_cast<std::size_t>(call.heads_q)),
                            static_cast<int>(h % static_cast<std::size_t>(call.heads_q)), i});
    return rows;
}

Reference compute_reference(const ForwardCall& call, std::vector<Row> rows, unsigned threads) {
    const auto dim = static_cast<std::size_t>(call.head_dim);
    Reference reference;
    reference.head_dim = call.head_dim;
    reference.o.resize(rows.size() * dim);
    reference.o_same.resize(rows.size() * dim);
    reference.lse.resize(rows.size());
    reference.lse_same.resize(rows.size());

    // Rows that read the same keys are worked on together; a unit of work is one key head, or a part of its rows.
    std::vector<std::size_t> order(rows.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key_head = [&](std::size_t i) { return std::pair(rows[i].batch, rows[i].head / call.group()); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key_head(a) < key_head(b); });
    constexpr std::size_t kRowsAtOnce = 256;
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && end - begin < kRowsAtOnce && key_head(order[end]) == key_head(order[begin])) ++end;
        parts.emplace_back(begin, end);
        begin = end;
    }

    const std::size_t workers =
        std::min<std::size_t>(parts.size(), threads ? threads : std::max(1u, std::thread::hardware_concurrency()));
    std::vector<double> largest(std::max<std::size_t>(workers, 1), 0.0);
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::size_t worker) {
        for (std::size_t part; (part = next.fetch_add(1)) < parts.size();) {
            const auto [batch, head] = key_head(order[parts[part].first]);
            const HeadValues values(call, batch, head);
            for (std::size_t at = parts[part].first; at < parts[part].second; ++at) {
                const std::size_t i = order[at];
                compute_row(
                    call, values, rows[i],
                    {&reference.o[i * dim], &reference.o_same[i * dim], &reference.lse[i], &reference.lse_same[i]},
                    largest[worker]);
            }
        }
    };
    {
        std::vector<std::jthread> pool;
        for (std::size_t worker = 1; worker < workers; ++worker) pool.emplace_back(work, worker);
        if (workers > 0) work(0);
    }
    reference.largest_dot = *std::max_element(largest.begin(), largest.end());
    reference.rows = std::move(rows);
    return reference;
}

Comparison compare_output(const Reference& reference, const TensorView& o) {
    Judge judge;
    for (std::size_t i = 0; i < reference.rows.size(); ++i) {
        const Row row = reference.rows[i];
        const std::int64_t base = offset_of(o, row.batch, row.head, row.query);
        for (int d = 0; d < reference.head_dim; ++d) {
            const std::size_t at = i * static_cast<std::size_t>(reference.head_dim) + static_cast<std::size_t>(d);
            judge.element(static_cast<double>(load_element(o.data, o.dtype, base + d)), reference.o[at],
                          reference.o_same[at], o.dtype, row, d);
        }
    }
    return judge.finish(0);
}

Comparison compare_lse(const Reference& reference, const ForwardCall& call, const float* lse) {
    Judge judge;
    for (std::size_t i = 0; i < reference.rows.size(); ++i) {
        const Row row = reference.rows[i];
        const std::int64_t at = (std::int64_t{row.batch} * call.heads_q + row.head) * call.seq_q + row.query;
        judge.element(static_cast<double>(lse[at]), reference.lse[i], reference.lse_same[i], DType::f32, row, 0);
    }
    return judge.finish(8 * 0x1p-24 * reference.largest_dot);
}

std::string Comparison::sentence(const char* tensor) const {
    return fmt::format("{}[{}, {}, {}, {}] is {:.9g} and must be {:.9g}: error {:.3g}, allowed {:.3g}", tensor,
                       worst.batch, worst.head, worst.query, worst_column, got, wanted, max_error, bound);
}

}  // namespace flashwave
