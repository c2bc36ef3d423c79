// A problem in words becomes the tensors and the work it stands for.
#include "cli/problem.hpp"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.hpp"

namespace flashwave::cli {
namespace {

Result<Problem> parse_flags(std::string arguments) {
    CLI::App app;
    ProblemFlags flags;
    flags.add_to(app);
    app.parse(arguments);
    return flags.over(Problem{});
}

double count_flops(const Problem& problem) {
    double pairs = 0;
    const std::int64_t shift = problem.causal == Causal::bottom_right ? problem.seq_k - problem.seq_q : 0;
    for (std::int64_t i = 0; i < problem.seq_q; ++i)
        for (std::int64_t j = 0; j < problem.seq_k; ++j)
            pairs += problem.causal == Causal::none || j <= i + shift ? 1 : 0;
    return 4 * pairs * static_cast<double>(problem.batch * problem.heads * problem.dim);
}

}  // namespace

TEST_CASE("what is not given follows what is") {
    const auto problem = parse_flags("--heads 12 --seq-q 77");
    REQUIRE(problem.ok());
    CHECK(settled(*problem).kv_heads == 12);
    CHECK(settled(*problem).seq_k == 77);
    CHECK(settled(*parse_flags("--heads 12 --kv-heads 3 --seq-q 7 --seq-k 0")).kv_heads == 3);
    CHECK(settled(*parse_flags("--heads 12 --kv-heads 3 --seq-q 7 --seq-k 0")).seq_k == 0);
}

TEST_CASE("both memory layouts have the strides of dense tensors") {
    Problem problem{.batch = 2, .heads = 6, .kv_heads = 3, .seq_q = 5, .seq_k = 7, .dim = 64};
    CHECK(view_of(problem, nullptr, 6, 5).strides == TensorView::bhsd(nullptr, DType::f16, 2, 6, 5, 64).strides);
    problem.layout = MemoryLayout::bshd;
    CHECK(view_of(problem, nullptr, 6, 5).strides == TensorView::bshd(nullptr, DType::f16, 2, 6, 5, 64).strides);
}

TEST_CASE("bad values are refused with the flag or the argument, the value and what is allowed") {
    struct Case {
        const char* arguments;
        Code code;
        const char* sentence;
    };
    const Case cases[] = {
        {"--dtype f32", Code::invalid_argument, "--dtype is 'f32'; use one of f16, bf16"},
        {"--causal yes", Code::invalid_argument, "--causal is 'yes'; use one of none, bottom_right, top_left"},
        {"--layout sbhd", Code::invalid_argument, "--layout is 'sbhd'; use one of bhsd, bshd"},
        {"--batch two", Code::invalid_argument, "--batch is 'two'; use an integer"},
        {"--seq-q 99999999999999999999", Code::invalid_argument, "--seq-q is '99999999999999999999'; use an integer"},
        {"--scale big", Code::invalid_argument, "--scale is 'big'; a finite number above 0"},
        {"--scale 0.5x", Code::invalid_argument, "--scale is '0.5x'; a finite number above 0"},
        {"--scale nan", Code::invalid_argument, "scale is nan"},
        {"--scale inf", Code::invalid_argument, "scale is inf"},
        {"--scale 0", Code::invalid_argument, "scale is 0"},
        {"--scale -1", Code::invalid_argument, "scale is -1"},
        {"--heads 5 --kv-heads 2", Code::invalid_argument, "multiple"},
        {"--heads 0", Code::invalid_argument, "heads"},
        {"--kv-heads -1", Code::invalid_argument, "-1"},
        {"--batch -1", Code::invalid_argument, "-1"},
        {"--seq-k -5", Code::invalid_argument, "-5"},
        {"--dim 96", Code::unsupported, "96"},
        {"--dim 0", Code::invalid_argument, "0"},
        {"--seq-q 9223372036854775807 --heads 9223372036854775807", Code::invalid_argument, "9223372036854775807"},
        {"--seq-q 2147483647 --seq-k 2147483647 --heads 64", Code::invalid_argument, "at most"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.arguments);
        const auto problem = parse_flags(one.arguments);
        const Status status = problem.ok() ? check_problem(settled(*problem)) : problem.status();
        CHECK(status.code() == one.code);
        CHECK_MESSAGE(status.message().find(one.sentence) != std::string::npos, status.message());
        CHECK(exit_code_of(status) == kUsage);
    }
}

TEST_CASE("empty problems and the largest lengths are well-formed") {
    for (const char* arguments :
         {"--batch 0", "--seq-q 0", "--seq-k 0", "--seq-q 1 --seq-k 1", "--heads 1 --seq-q 1 --seq-k 2147483647"}) {
        CAPTURE(arguments);
        const Status status = check_problem(settled(*parse_flags(arguments)));
        CHECK_MESSAGE(status.ok(), status.message());
    }
}

TEST_CASE("only visible pairs count as work") {
    for (const Causal causal : {Causal::none, Causal::bottom_right, Causal::top_left})
        for (const std::int64_t seq_q : {0, 1, 5, 16})
            for (const std::int64_t seq_k : {0, 1, 3, 16, 21}) {
                const Problem problem{
                    .batch = 2, .heads = 3, .kv_heads = 3, .seq_q = seq_q, .seq_k = seq_k, .dim = 64, .causal = causal};
                CAPTURE(enum_name(causal));
                CAPTURE(seq_q);
                CAPTURE(seq_k);
                CHECK(flops_of(problem) == count_flops(problem));
            }
}

}  // namespace flashwave::cli
