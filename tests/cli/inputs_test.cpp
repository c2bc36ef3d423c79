// Seeded inputs are the same everywhere; files give the shape and must agree with each other and with the flags.
#include "cli/inputs.hpp"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstring>

#include "command_line/npy.hpp"
#include "command_line/output_file.hpp"
#include "problem/float16.hpp"
#include "temporary_directory.hpp"

namespace flashwave::cli {
namespace {

struct Given {
    explicit Given(const std::string& arguments) {
        CLI::App app;
        flags.add_to(app);
        app.parse(arguments);
        problem = flags.over(Problem{}).value();
    }
    ProblemFlags flags;
    Problem problem;
};

void write(const std::string& path, const char* descr, const std::vector<std::int64_t>& shape, std::size_t element) {
    std::size_t bytes = element;
    for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
    REQUIRE(write_output_file(path, format_npy(descr, shape, std::string(bytes, '\x3c'))).ok());
}

}  // namespace

TEST_CASE("seeded inputs depend on nothing but the problem and the seed") {
    const Problem problem{.batch = 1, .heads = 2, .kv_heads = 1, .seq_q = 8, .seq_k = 16, .dim = 64};
    const Inputs first = seeded_inputs(problem, 1), again = seeded_inputs(problem, 1),
                 other = seeded_inputs(problem, 2);
    CHECK(first.q == again.q);
    CHECK(first.v == again.v);
    CHECK(first.q != other.q);
    CHECK(first.k != first.v);
    // Written down once: another machine, compiler or version must give the same.
    CHECK(first.k[0] == 0x3254);
    CHECK(first.v[1023] == 0x384b);
}

TEST_CASE("seeded inputs are about normal, and every fourth query points at a key") {
    const Problem problem{.batch = 2, .heads = 4, .kv_heads = 2, .seq_q = 64, .seq_k = 96, .dim = 64};
    const Inputs inputs = seeded_inputs(problem, 7);
    double sum = 0, squares = 0;
    for (const std::uint16_t bits : inputs.v) {
        const double value = f16_to_float(bits);
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(inputs.v.size());
    CHECK(std::abs(sum / count) < 0.05);
    CHECK(std::abs(squares / count - 1) < 0.05);

    std::size_t pointing = 0;
    for (std::size_t row = 0; row < inputs.q.size() / 64; ++row)
        for (std::size_t key = 0; key < inputs.k.size() / 64; ++key)
            pointing += std::memcmp(&inputs.q[row * 64], &inputs.k[key * 64], 128) == 0 ? 1 : 0;
    CHECK(pointing == inputs.q.size() / 64 / 4);
}

TEST_CASE("the shape of a problem comes from its files") {
    const testing::TemporaryDirectory directory;
    const InputPaths paths{directory / "q.npy", directory / "k.npy", directory / "v.npy"};
    write(paths.q, "<f2", {2, 6, 5, 64}, 2);
    write(paths.k, "<f2", {2, 3, 7, 64}, 2);
    write(paths.v, "<f2", {2, 3, 7, 64}, 2);
    Given given("--causal top_left");
    const auto inputs = read_inputs(paths, given.flags, given.problem);
    REQUIRE_MESSAGE(inputs.ok(), inputs.status().message());
    CHECK(given.problem.batch == 2);
    CHECK(given.problem.heads == 6);
    CHECK(given.problem.kv_heads == 3);
    CHECK(given.problem.seq_q == 5);
    CHECK(given.problem.seq_k == 7);
    CHECK(given.problem.dim == 64);
    CHECK(inputs->k.size() == 2 * 3 * 7 * 64);
    CHECK(inputs->q[0] == 0x3c3c);

    Given bshd("--layout bshd --seq-q 6");
    REQUIRE(read_inputs(paths, bshd.flags, bshd.problem).ok());
    CHECK(bshd.problem.seq_q == 6);
    CHECK(bshd.problem.heads == 5);
}

TEST_CASE("bf16 is read as bits and f32 is rounded") {
    const testing::TemporaryDirectory directory;
    const InputPaths paths{directory / "q.npy", directory / "k.npy", directory / "v.npy"};
    write(paths.q, "<u2", {1, 1, 1, 64}, 2);
    write(paths.k, "|V2", {1, 1, 1, 64}, 2);
    write(paths.v, "<f4", {1, 1, 1, 64}, 4);
    Given given("--dtype bf16");
    const auto inputs = read_inputs(paths, given.flags, given.problem);
    REQUIRE_MESSAGE(inputs.ok(), inputs.status().message());
    CHECK(inputs->q[0] == 0x3c3c);
    CHECK(inputs->k[63] == 0x3c3c);
    CHECK(inputs->v[0] == 0x3c3c);
    CHECK(inputs->v.size() == 64);
}

TEST_CASE("files that disagree are refused by name") {
    const testing::TemporaryDirectory directory;
    const InputPaths paths{directory / "q.npy", directory / "k.npy", directory / "v.npy"};
    const auto refusal = [&](const std::string& arguments) {
        Given given(arguments);
        const auto inputs = read_inputs(paths, given.flags, given.problem);
        CHECK(inputs.status().code() == Code::invalid_argument);
        return inputs.status().message();
    };
    const auto contains = [](const std::string& text, const std::string& part) {
        CHECK_MESSAGE(text.find(part) != std::string::npos, text);
    };
    write(paths.q, "<f2", {1, 2, 5, 64}, 2);
    write(paths.k, "<f2", {1, 2, 7, 64}, 2);
    contains(refusal(""), "--v: ");
    write(paths.v, "<f2", {1, 2, 8, 64}, 2);
    contains(refusal(""), "gives seq_k 8, and that of --k is 7");
    contains(refusal("--seq-q 6"), "gives seq_q 5, and --seq-q is 6");
    write(paths.v, "<f2", {2, 7, 64}, 2);
    contains(refusal(""), "3 dimensions; 4 are needed");
    write(paths.v, "<i8", {1, 2, 7, 64}, 8);
    contains(refusal(""), "its element type is '<i8'");
    write(paths.v, "<u2", {1, 2, 7, 64}, 2);
    contains(refusal(""), "--dtype bf16 reads '<u2' as bits");
    contains(refusal("--dtype bf16"), "its element type is '<f2'; --dtype bf16 takes");
    Given given("");
    CHECK(read_inputs({.q = paths.q, .k = {}, .v = {}}, given.flags, given.problem).status().message() ==
          "--k is missing; --q, --k and --v are given together");
}

}  // namespace flashwave::cli
