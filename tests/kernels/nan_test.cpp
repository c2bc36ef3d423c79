// What a NaN in a visible input does: it reaches the rows that see it, and no other head.
#include <doctest/doctest.h>

#include <cmath>

#include "kernels/kernel_runner.hpp"
#include "problem/float16.hpp"

using namespace flashwave;
using namespace flashwave::testing;

namespace {

// Two heads, causal; every output of the case, with `damage` done to its inputs.
struct Outcome {
    KernelCase test;
    CaseTensors tensors;
    CaseOutput output;

    bool nan(int head, int row, int column) {
        const auto at = &tensors.o.at(0, head, row, column) - tensors.o.storage.data();
        return std::isnan(load_element(output.o.data(), test.dtype, at));
    }
    int nans_of_row(int head, int row) {
        int nans = 0;
        for (int d = 0; d < test.head_dim; ++d) nans += nan(head, row, d);
        return nans;
    }
    float lse(int head, int row) const { return output.lse[static_cast<std::size_t>(head * test.seq_q + row)]; }
};

template <class Damage>
Outcome run_damaged(const KernelCase& test, Damage&& damage) {
    Outcome outcome{test, make_tensors(test), {}};
    damage(outcome.tensors);
    Result<CaseOutput> output = runner().run(test, outcome.tensors);
    REQUIRE_MESSAGE(output.ok(), output.status().to_string());
    outcome.output = std::move(*output);
    return outcome;
}

std::vector<KernelCase> cases() {
    std::vector<KernelCase> all;
    for (const DType dtype : {DType::f16, DType::bf16})
        for (const char* geometry : {"m128n64w8", "m128n32w4_qlds", "naive"})
            all.push_back({.dtype = dtype,
                           .heads_q = 2,
                           .heads_kv = 2,
                           .seq_q = 150,
                           .seq_k = 150,
                           .mask = MaskKind::bottom_right,
                           .geometry = geometry});
    return all;
}

constexpr std::uint16_t kNaN = 0x7fff;

}  // namespace

TEST_CASE("a NaN in a query reaches its row alone") {
    for (const KernelCase& test : cases()) {
        CAPTURE(to_text(test));
        Outcome outcome = run_damaged(test, [](CaseTensors& t) { t.q.at(0, 1, 70, 5) = kNaN; });
        for (int head = 0; head < 2; ++head)
            for (int row = 0; row < test.seq_q; ++row)
                CHECK(outcome.nans_of_row(head, row) == (head == 1 && row == 70 ? test.head_dim : 0));
        CHECK(std::isnan(outcome.lse(1, 70)));
        CHECK(std::isfinite(outcome.lse(1, 71)));
    }
}

TEST_CASE("a NaN in a key reaches every row that sees it and no other") {
    for (const KernelCase& test : cases()) {
        CAPTURE(to_text(test));
        Outcome outcome = run_damaged(test, [](CaseTensors& t) { t.k.at(0, 1, 100, 5) = kNaN; });
        for (int head = 0; head < 2; ++head)
            for (int row = 0; row < test.seq_q; ++row)
                CHECK(outcome.nans_of_row(head, row) == (head == 1 && row >= 100 ? test.head_dim : 0));
    }
}

TEST_CASE("a NaN in a value reaches its column in every row that sees it") {
    for (const KernelCase& test : cases()) {
        CAPTURE(to_text(test));
        Outcome outcome = run_damaged(test, [](CaseTensors& t) { t.v.at(0, 1, 100, 5) = kNaN; });
        for (int row = 0; row < test.seq_q; ++row) {
            CHECK(outcome.nans_of_row(0, row) == 0);
            if (row >= 100) CHECK(outcome.nan(1, row, 5));
            CHECK(outcome.nans_of_row(1, row) <= 1);
        }
    }
}
