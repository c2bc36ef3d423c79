#include "problem/reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/float16.hpp"

using namespace flashwave;

namespace {

constexpr int kDim = 64;

// A call over host memory: f16, one value set at a time.
struct HostCall {
    HostCall(int heads_q, int heads_kv, int seq_q, int seq_k, MaskKind mask = MaskKind::none,
             DType dtype = DType::f16) {
        const auto tensor = [&](std::vector<std::uint16_t>& data, int heads, int length) {
            data.assign(static_cast<std::size_t>(heads * length * kDim), 0);
            return TensorView::bhsd(data.data(), dtype, 1, heads, length, kDim);
        };
        call.args.q = tensor(q, heads_q, seq_q);
        call.args.k = tensor(k, heads_kv, seq_k);
        call.args.v = tensor(v, heads_kv, seq_k);
        call.args.o = tensor(o, heads_q, seq_q);
        call.batch = 1;
        call.heads_q = heads_q;
        call.heads_kv = heads_kv;
        call.seq_q = seq_q;
        call.seq_k = seq_k;
        call.head_dim = kDim;
        call.mask = mask;
        call.scale = 0.5f;
    }
    void set(const TensorView& view, int head, int row, int d, float value) {
        store_element(view.data, view.dtype, head * view.strides[1] + row * view.strides[2] + d, value);
    }
    Reference reference() const { return compute_reference(call, choose_rows(call, 100000), 2); }

    std::vector<std::uint16_t> q, k, v, o;
    ForwardCall call;
};

}  // namespace

TEST_CASE("one query and two keys give the softmax worked out by hand") {
    HostCall h(1, 1, 1, 2);
    h.set(h.call.args.q, 0, 0, 0, 2.0f);
    h.set(h.call.args.k, 0, 0, 0, 1.0f);  // score 0.5 * 2 * 1 = 1
    h.set(h.call.args.k, 0, 1, 0, 3.0f);  // score 3
    h.set(h.call.args.v, 0, 0, 5, 10.0f);
    h.set(h.call.args.v, 0, 1, 5, 20.0f);
    const Reference r = h.reference();
    const double p1 = std::exp(3.0) / (std::exp(1.0) + std::exp(3.0));
    CHECK(r.o[5] == doctest::Approx(10 * (1 - p1) + 20 * p1).epsilon(1e-12));
    CHECK(r.o[6] == 0);
    CHECK(r.lse[0] == doctest::Approx(std::log(std::exp(1.0) + std::exp(3.0))).epsilon(1e-12));
    CHECK(r.largest_dot == doctest::Approx(3.0));
    CHECK(std::abs(r.o_same[5] - r.o[5]) < 0.02);
    CHECK(std::abs(r.o_same[5] - r.o[5]) > 0);
}

TEST_CASE("the causal alignments see the keys that they say") {
    // v of key j is j + 1 and all scores are equal: a row's output tells which prefix it saw.
    const auto mean_of_prefix = [](int n) { return n == 0 ? 0.0 : (n + 1) / 2.0; };
    for (const MaskKind mask : {MaskKind::none, MaskKind::bottom_right, MaskKind::top_left})
        for (const auto& [seq_q, seq_k] : {std::pair{3, 5}, std::pair{5, 3}, std::pair{4, 4}}) {
            HostCall h(1, 1, seq_q, seq_k, mask);
            for (int j = 0; j < seq_k; ++j) h.set(h.call.args.v, 0, j, 0, static_cast<float>(j + 1));
            const Reference r = h.reference();
            for (int i = 0; i < seq_q; ++i) {
                const int last = mask == MaskKind::bottom_right ? i + seq_k - seq_q : i;
                const int visible = mask == MaskKind::none ? seq_k : std::clamp(last + 1, 0, seq_k);
                CAPTURE(i);
                CHECK(r.o[static_cast<std::size_t>(i * kDim)] == doctest::Approx(mean_of_prefix(visible)));
                if (visible == 0) CHECK(r.lse[static_cast<std::size_t>(i)] == -std::numeric_limits<double>::infinity());
            }
        }
}

TEST_CASE("query heads read the key head of their group") {
    HostCall h(6, 2, 1, 1);
    h.set(h.call.args.v, 0, 0, 0, 1.0f);
    h.set(h.call.args.v, 1, 0, 0, 2.0f);
    const Reference r = h.reference();
    for (int head = 0; head < 6; ++head) CHECK(r.o[static_cast<std::size_t>(head * kDim)] == (head < 3 ? 1.0 : 2.0));
}

TEST_CASE("strides are followed: BSHD with a hole gives what BHSD gives") {
    HostCall dense(2, 2, 3, 4);
    std::vector<std::uint16_t> q(3 * 300, 0xffff), k(4 * 300, 0xffff);
    TensorView q_holes{q.data(), DType::f16, dense.call.args.q.shape, {900, 150, 300, 1}};
    TensorView k_holes{k.data(), DType::f16, dense.call.args.k.shape, {1200, 150, 300, 1}};
    for (int head = 0; head < 2; ++head)
        for (int row = 0; row < 4; ++row)
            for (int d = 0; d < kDim; ++d) {
                const float value = std::sin(static_cast<float>(head * 1000 + row * 100 + d));
                if (row < 3) dense.set(dense.call.args.q, head, row, d, value), dense.set(q_holes, head, row, d, value);
                dense.set(dense.call.args.k, head, row, d, value);
                dense.set(k_holes, head, row, d, value);
                dense.set(dense.call.args.v, head, row, d, -value);
            }
    const Reference want = dense.reference();
    dense.call.args.q = q_holes;
    dense.call.args.k = k_holes;
    const Reference got = dense.reference();
    CHECK(got.o == want.o);
    CHECK(got.o_same == want.o_same);
    CHECK(got.lse == want.lse);
}

TEST_CASE("logits that overflow exp give finite rows") {
    HostCall h(1, 1, 1, 3);
    h.set(h.call.args.q, 0, 0, 0, 100.0f);
    for (int j = 0; j < 3; ++j)
        h.set(h.call.args.k, 0, j, 0, 1000.0f * static_cast<float>(j)),
            h.set(h.call.args.v, 0, j, 0, static_cast<float>(j));
    const Reference r = h.reference();
    CHECK(r.o[0] == 2.0);
    CHECK(r.lse[0] == doctest::Approx(100000.0));
}

TEST_CASE("the rule passes the rounded reference and finds one wrong element") {
    HostCall h(2, 1, 40, 70);
    for (std::size_t i = 0; i < h.k.size(); ++i) {
        h.k[i] = float_to_f16(std::sin(static_cast<float>(i) * 1.7f));
        h.v[i] = float_to_f16(std::cos(static_cast<float>(i) * 0.9f));
    }
    for (std::size_t i = 0; i < h.q.size(); ++i) h.q[i] = float_to_f16(std::sin(static_cast<float>(i)));
    const Reference r = h.reference();
    std::vector<float> lse(80);
    for (std::size_t i = 0; i < r.rows.size(); ++i) {
        const Row row = r.rows[i];
        for (int d = 0; d < kDim; ++d)
            h.set(h.call.args.o, row.head, row.query, d,
                  static_cast<float>(r.o[i * kDim + static_cast<std::size_t>(d)]));
        lse[static_cast<std::size_t>(row.head * 40 + row.query)] = static_cast<float>(r.lse[i]);
    }
    const Comparison good = compare_output(r, h.call.args.o);
    CHECK(good.passed);
    CHECK(good.bound > 0);
    CHECK(good.bound < 0.01);
    CHECK(compare_lse(r, h.call, lse.data()).passed);

    SUBCASE("an error just beyond the bound") {
        const std::size_t at = (40 + 17) * kDim + 5;
        h.set(h.call.args.o, 1, 17, 5, static_cast<float>(r.o[at] + good.bound * 1.5));
        const Comparison bad = compare_output(r, h.call.args.o);
        CHECK_FALSE(bad.passed);
        CHECK(bad.worst == Row{0, 1, 17});
        CHECK(bad.worst_column == 5);
        CHECK(bad.sentence("o").find("o[0, 1, 17, 5] is") == 0);
    }
    SUBCASE("a NaN") {
        h.set(h.call.args.o, 0, 3, 9, std::numeric_limits<float>::quiet_NaN());
        const Comparison bad = compare_output(r, h.call.args.o);
        CHECK_FALSE(bad.passed);
        CHECK(bad.worst == Row{0, 0, 3});
        CHECK(bad.worst_column == 9);
    }
    SUBCASE("an LSE in base 2") {
        for (float& value : lse) value *= 1.4426950f;
        CHECK_FALSE(compare_lse(r, h.call, lse.data()).passed);
    }
    SUBCASE("a finite LSE where -inf is due") {
        HostCall masked(1, 1, 2, 1, MaskKind::bottom_right);
        const float finite[2] = {-1e30f, 0.0f};
        CHECK_FALSE(compare_lse(masked.reference(), masked.call, finite).passed);
        const float right[2] = {-std::numeric_limits<float>::infinity(), 0.0f};
        CHECK(compare_lse(masked.reference(), masked.call, right).passed);
    }
}

TEST_CASE("rows are all of a small call and a spread sample of a large one") {
    HostCall h(3, 1, 33, 1);
    CHECK(choose_rows(h.call, 1000).size() == 99);
    h.call.seq_q = 100000;
    const auto rows = choose_rows(h.call, 300);
    CHECK(rows.size() <= 400);
    CHECK(rows.size() >= 100);
    for (const int head : {0, 1, 2})
        for (const int query : {0, 15, 16, 99999})
            CHECK(std::find(rows.begin(), rows.end(), Row{0, head, query}) != rows.end());
}
