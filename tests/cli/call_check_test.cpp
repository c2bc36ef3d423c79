// A check finds what is wrong: one element, one that nobody wrote, two launches that differ.
#include "cli/call_check.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problem/float16.hpp"

namespace flashwave::cli {
namespace {

const Problem kProblem{.batch = 1, .heads = 2, .kv_heads = 1, .seq_q = 4, .seq_k = 1, .dim = 64};

// With one key the softmax is 1: o repeats v, and lse is the score itself.
struct OneKey {
    Inputs inputs = seeded_inputs(kProblem, 5);
    Outputs outputs;

    OneKey() {
        for (std::size_t row = 0; row < 8; ++row) {
            double dot = 0;
            for (std::size_t d = 0; d < 64; ++d) {
                outputs.o.push_back(inputs.v[d]);
                dot += static_cast<double>(f16_to_float(inputs.q[row * 64 + d])) *
                       static_cast<double>(f16_to_float(inputs.k[d]));
            }
            outputs.lse.push_back(static_cast<float>(dot / 8));
        }
    }
    CheckResult check() const { return check_call(kProblem, inputs, outputs); }
};

}  // namespace

TEST_CASE("a right result passes on all rows") {
    const CheckResult result = OneKey().check();
    CHECK_MESSAGE(result.passed(), result.sentence());
    CHECK(result.rows == 8);
    CHECK(result.output.max_error == 0);
}

TEST_CASE("one wrong element fails and is named") {
    OneKey call;
    call.outputs.o[5 * 64 + 17] = float_to_f16(f16_to_float(call.outputs.o[5 * 64 + 17]) + 0.25f);
    const CheckResult result = call.check();
    CHECK_FALSE(result.passed());
    CHECK_MESSAGE(result.sentence().find("o[0, 1, 1, 17]") != std::string::npos, result.sentence());
}

TEST_CASE("a wrong lse fails") {
    OneKey call;
    call.outputs.lse[3] += 0.01f;
    CHECK_FALSE(call.check().passed());
    CHECK(call.check().sentence().find("lse[0, 0, 3, 0]") != std::string::npos);
}

TEST_CASE("an element that nobody wrote fails") {
    OneKey call;
    call.outputs.o[100] = 0xffff;
    CHECK_FALSE(call.check().passed());
    CHECK(call.check().sentence() == "FAILED: 1 elements of the outputs were not written");
}

TEST_CASE("launches that differ fail") {
    OneKey call;
    call.outputs.repeatable = false;
    CHECK_FALSE(call.check().passed());
}

}  // namespace flashwave::cli
