// forward.hip against the fp64 reference: every case of SEMANTICS that a dense forward pass has. Each list of cases
// draws the geometries in turn, so that all are used by the default suite; FLASHWAVE_LONG_TESTS=1 runs the lists on
// every one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>

#include "kernels/kernel_runner.hpp"

using namespace flashwave;
using namespace flashwave::testing;

namespace {

constexpr MaskKind kMasks[] = {MaskKind::none, MaskKind::bottom_right, MaskKind::top_left};

bool long_tests() {
    const char* text = std::getenv("FLASHWAVE_LONG_TESTS");
    return text && std::string_view(text) == "1";
}

/// The cases with geometries of their head_dim: all of them in the long suite, otherwise the next one for each case.
std::vector<KernelCase> with_geometries(const std::vector<KernelCase>& tests) {
    std::vector<KernelCase> all;
    std::size_t next[2] = {0, 0};
    for (const KernelCase& test : tests) {
        const std::vector<std::string>& names = geometries(test.head_dim);
        std::size_t& turn = next[test.head_dim == 64];
        for (std::size_t i = 0; i < (long_tests() ? names.size() : 1); ++i) {
            all.push_back(test);
            all.back().geometry = names[turn++ % names.size()];
        }
    }
    return all;
}

template <class Change>
std::vector<KernelCase> for_types(const std::vector<KernelCase>& tests, Change&& change) {
    std::vector<KernelCase> all;
    for (const DType dtype : {DType::f16, DType::bf16})
        for (const int head_dim : {128, 64})
            for (KernelCase test : tests) {
                test.dtype = dtype;
                test.head_dim = head_dim;
                change(test);
                all.push_back(test);
            }
    return all;
}
std::vector<KernelCase> for_types(const std::vector<KernelCase>& tests) {
    return for_types(tests, [](KernelCase&) {});
}

}  // namespace

TEST_CASE("every geometry gives the right answer") {
    std::vector<KernelCase> tests;
    for (const DType dtype : {DType::f16, DType::bf16})
        for (const int head_dim : {128, 64})
            for (const std::string& geometry : geometries(head_dim))
                for (const MaskKind mask : {MaskKind::none, MaskKind::bottom_right})
                    tests.push_back({.dtype = dtype,
                                     .head_dim = head_dim,
                                     .heads_q = 2,
                                     .seq_q = 151,
                                     .seq_k = 203,
                                     .mask = mask,
                                     .inputs = mask == MaskKind::none ? Inputs::rising : Inputs::dominant,
                                     .geometry = geometry});
    check_cases(tests);
}

TEST_CASE("lengths of one, primes, and around the blocks") {
    std::vector<KernelCase> tests;
    for (const MaskKind mask : kMasks)
        for (const int seq : {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 257})
            tests.push_back({.seq_q = seq, .seq_k = seq, .mask = mask});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("more queries than keys and more keys than queries") {
    std::vector<KernelCase> tests;
    const std::pair<int, int> lengths[] = {{1, 64},   {1, 257},  {3, 100},  {64, 1},  {100, 3},
                                           {65, 128}, {130, 37}, {40, 300}, {300, 40}};
    for (const MaskKind mask : kMasks)
        for (const auto& [seq_q, seq_k] : lengths)
            tests.push_back({.seq_q = seq_q, .seq_k = seq_k, .mask = mask, .inputs = Inputs::dominant});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("without keys O is 0 and LSE is -inf") {
    std::vector<KernelCase> tests;
    for (const MaskKind mask : kMasks) tests.push_back({.batch = 2, .seq_q = 33, .seq_k = 0, .mask = mask});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("grouped heads read their own keys") {
    std::vector<KernelCase> tests;
    for (const int group : {1, 2, 3, 5, 8})
        tests.push_back({.batch = 2,
                         .heads_q = 2 * group,
                         .heads_kv = 2,
                         .seq_q = 20,
                         .seq_k = 50,
                         .mask = group % 2 ? MaskKind::none : MaskKind::bottom_right,
                         .inputs = Inputs::dominant});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("scores whose exp overflows") {
    std::vector<KernelCase> tests;
    for (const MaskKind mask : kMasks)
        tests.push_back({.seq_q = 70, .seq_k = 190, .mask = mask, .inputs = Inputs::huge});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("the maximum grows in every step") {
    std::vector<KernelCase> tests;
    for (const MaskKind mask : kMasks)
        tests.push_back({.seq_q = 70, .seq_k = 300, .mask = mask, .inputs = Inputs::rising});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("one key takes the weight of a query") {
    std::vector<KernelCase> tests;
    for (const MaskKind mask : kMasks)
        tests.push_back(
            {.heads_q = 2, .heads_kv = 2, .seq_q = 130, .seq_k = 190, .mask = mask, .inputs = Inputs::dominant});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("NaN and Inf in keys and values that no query sees reach nothing") {
    std::vector<KernelCase> tests;
    for (const auto& [seq_q, seq_k] : {std::pair(40, 70), std::pair(64, 128), std::pair(10, 300), std::pair(129, 140)})
        tests.push_back(
            {.heads_q = 2, .seq_q = seq_q, .seq_k = seq_k, .mask = MaskKind::top_left, .inputs = Inputs::unseen});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("heads interleaved, rows with holes of NaN, broadcast keys, odd bases and strides") {
    std::vector<KernelCase> tests;
    for (const Placement placement : {Placement::bshd, Placement::padded, Placement::broadcast, Placement::odd})
        for (const MaskKind mask : {MaskKind::none, MaskKind::bottom_right})
            tests.push_back({.batch = 2,
                             .heads_q = 4,
                             .heads_kv = 2,
                             .seq_q = 45,
                             .seq_k = 101,
                             .mask = mask,
                             .placement = placement});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("LSE is optional") {
    check_cases(with_geometries(for_types({{.heads_q = 3, .seq_q = 33, .seq_k = 77, .lse = false}})));
}

TEST_CASE("several blocks of several heads of a batch") {
    check_cases(with_geometries(for_types({{.batch = 2,
                                            .heads_q = 4,
                                            .heads_kv = 2,
                                            .seq_q = 300,
                                            .seq_k = 300,
                                            .mask = MaskKind::bottom_right,
                                            .inputs = Inputs::dominant}})));
}

TEST_CASE("larger shapes" * doctest::skip(!long_tests())) {
    std::vector<KernelCase> tests;
    for (const MaskKind mask : kMasks)
        for (const auto& [seq_q, seq_k] : {std::pair(1024, 1024), std::pair(513, 2047), std::pair(2048, 1000)})
            tests.push_back({.heads_q = 2, .seq_q = seq_q, .seq_k = seq_k, .mask = mask, .inputs = Inputs::dominant});
    check_cases(with_geometries(for_types(tests)));
}

TEST_CASE("the case of FLASHWAVE_KERNEL_CASE") {
    const char* text = std::getenv("FLASHWAVE_KERNEL_CASE");
    if (!text) return;  // only what a failure's command asks for
    const Result<KernelCase> test = parse_text_over(KernelCase{}, text);
    REQUIRE_MESSAGE(test.ok(), test.status().to_string());
    check_cases({*test});
}
