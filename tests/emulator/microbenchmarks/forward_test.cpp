// The library's own forward kernel at full size: what the model says of it against the published rule, from the
// instructions that it ran.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/float16.hpp"
#include "emulator/isa/inst.hpp"
#include "flashwave/flashwave.hpp"
#include "hip/hip_api.hpp"

using namespace flashwave;

namespace {

struct Card {
    const char* name;
    int compute_units;
};

constexpr std::int64_t kBatch = 2, kHeads = 16, kLength = 2048;

std::vector<std::uint16_t> normal_halves(unsigned seed, std::size_t count) {
    std::minstd_rand random(seed);
    std::normal_distribution<float> normal;
    std::vector<std::uint16_t> halves(count);
    for (std::uint16_t& half : halves) half = float_to_f16(normal(random));
    return halves;
}

/// A sample of the work-groups of one call. The inputs are normal: a running maximum that rises costs a kernel time, which zeros would hide.
HipemuLaunchStats forward_on(const std::string& card, std::int64_t head_dim) {
    auto runtime = Runtime::create({.device = "emulated:" + card, .cache_dir = ":memory:", .tune = TuneMode::off});
    REQUIRE_MESSAGE(runtime.ok(), runtime.status().to_string());
    const std::size_t elements = static_cast<std::size_t>(kBatch * kHeads * kLength * head_dim), bytes = elements * sizeof(std::uint16_t);
    std::vector<Buffer> buffers;  // q, k, v, o
    std::vector<TensorView> views;
    for (unsigned i = 0; i < 4; ++i) {
        auto buffer = runtime->allocate(bytes);
        REQUIRE(buffer.ok());
        if (i < 3) REQUIRE(buffer->upload(normal_halves(i + 1, elements).data(), bytes).ok());
        buffers.push_back(std::move(*buffer));
        views.push_back(TensorView::bhsd(buffers.back().data(), DType::f16, kBatch, kHeads, kLength, head_dim));
    }
    const auto api = hip::open_emulator_api();
    REQUIRE_MESSAGE(api.ok(), api.status().to_string());
    REQUIRE((*api)->hipemuSetSampleGroups(24) == hipSuccess);
    const Status status = runtime->forward({.q = views[0], .k = views[1], .v = views[2], .o = views[3]});
    REQUIRE_MESSAGE(status.ok(), status.to_string());
    std::uint16_t first = 0;
    REQUIRE(buffers[3].download(&first, sizeof(first)).ok());  // waits
    REQUIRE((*api)->hipemuSetSampleGroups(0) == hipSuccess);
    HipemuLaunchStats stats;
    REQUIRE((*api)->hipemuLastLaunch(&stats) == hipSuccess);
    return stats;
}

/// Cycles of the launch by the rule: 34 a matrix instruction, 1 a vector instruction, 4 a transcendental, 3 an LDS
/// access, on every SIMD.
double rule_cycles(const HipemuLaunchStats& stats, int compute_units) {
    const auto count = [&](hipemu::Unit unit) {
        return static_cast<double>(stats.instructions[static_cast<std::size_t>(unit)]);
    };
    const double cycles = 34 * count(hipemu::Unit::wmma) + count(hipemu::Unit::valu) + count(hipemu::Unit::vopd) +
                          4 * count(hipemu::Unit::trans) + 3 * count(hipemu::Unit::lds);
    return cycles * static_cast<double>(stats.groups) / static_cast<double>(stats.groups_run) / (2.0 * compute_units);
}

}  // namespace

TEST_CASE("the forward kernel takes what the published rule says of its instructions") {
    for (const std::int64_t head_dim : {64, 128}) {
        for (const Card& card : {Card{"rx7900xtx", 96}, Card{"rx7900xt", 84}}) {
            const HipemuLaunchStats stats = forward_on(card.name, head_dim);
            const double rule = rule_cycles(stats, card.compute_units);
            const double flops = 4.0 * kBatch * kHeads * kLength * kLength * static_cast<double>(head_dim);
            INFO(std::string(card.name), ", head dimension ", head_dim, ": ", flops / stats.seconds / 1e12,
                 " TFLOP/s, matrix share ", stats.matrix_share, ", ", stats.cycles, " cycles, the rule says ", rule,
                 "; limited by ", std::string(stats.limiter), "; idle ", stats.parts.idle);
            // Without what lies idle while the last work-groups end.
            CHECK(std::abs(stats.cycles * (1 - stats.parts.idle) - rule) <= 0.1 * rule);
            CHECK_EQ(std::string(stats.limiter), "matrix");
        }
    }
}
