// A matrix product as one writes it by hand for these cards: right, and as fast as such products are published to be.
#include <cstdint>
#include <vector>

#include "emulator/microbenchmarks/benchmark.hpp"

using namespace hip_test;

namespace {

/// Whole numbers from -8 to 8 as fp16: products and sums of some hundred are exact.
std::uint16_t to_half(int value) {
    if (value == 0) return 0;
    const unsigned magnitude = static_cast<unsigned>(value < 0 ? -value : value);
    const unsigned exponent = magnitude >= 8 ? 3 : magnitude >= 4 ? 2 : magnitude >= 2 ? 1 : 0;
    return static_cast<std::uint16_t>((value < 0 ? 0x8000u : 0u) | (15 + exponent) << 10 |
                                      ((magnitude << (10 - exponent)) & 0x3ff));
}

int from_half(std::uint16_t half) {
    const int exponent = (half >> 10 & 31) - 15;
    if (exponent < 0) return 0;
    const int magnitude = ((half & 0x3ff) | 0x400) >> (10 - exponent);
    return half & 0x8000 ? -magnitude : magnitude;
}

std::vector<int> numbers(std::size_t count, unsigned seed) {
    std::vector<int> values(count);
    for (int& value : values) value = static_cast<int>((seed = seed * 1664525 + 1013904223) >> 24) % 5 - 2;
    return values;
}

std::vector<std::uint16_t> to_halves(const std::vector<int>& values) {
    std::vector<std::uint16_t> halves;
    for (const int value : values) halves.push_back(to_half(value));
    return halves;
}

}  // namespace

TEST_CASE("the hand-written matrix product is right, with all checks on") {
    const Benchmark benchmark("gemm.hip", kLarge);
    HIP_OK(hipemuSetStrictness("all"));
    constexpr unsigned m = 256, n = 384, k = 128;
    const auto a = numbers(m * k, 1), b = numbers(n * k, 2);
    const Array<std::uint16_t> device_a(to_halves(a)), device_b(to_halves(b)), device_c(m * n);
    benchmark.run("gemm", {.groups = m / 128 * (n / 128), .waves = 4}, device_a.get(), device_b.get(), device_c.get(),
                  m, n, k);
    const auto c = device_c.read();
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            int sum = 0;
            for (unsigned d = 0; d < k; ++d) sum += a[i * k + d] * b[j * k + d];
            REQUIRE_MESSAGE(from_half(c[i * n + j]) == sum, i, ", ", j);
        }
    }
}

TEST_CASE("4096 x 4096 x 4096 in fp16 runs at 85 to 95 TFLOP/s on the 7900 XTX, bound by the matrix pipes") {
    const Benchmark benchmark("gemm.hip", kLarge);
    constexpr unsigned n = 4096;
    const Array<std::uint16_t> a(n * n), b(n * n), c(n * n);
    const HipemuLaunchStats stats = benchmark.run("gemm", {.groups = n / 128 * (n / 128), .waves = 4, .sample = 16},
                                                  a.get(), b.get(), c.get(), n, n, n);
    const double tflops = 2.0 * n * n * n / stats.seconds / 1e12;
    CHECK(tflops > 85);
    CHECK(tflops < 95);
    CHECK_EQ(std::string(stats.limiter), "matrix");
    CHECK(benchmark.chip().clock_ghz == doctest::Approx(2.2));
}
