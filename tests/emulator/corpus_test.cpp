// Small HIP kernels as a user would write them, against values computed on the host; and what all of the corpus contains.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "emulator/corpus.hpp"

namespace {

using namespace hip_test;

std::uint16_t to_bf16(float value) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16); }

}  // namespace

TEST_CASE("corpus: vector addition") {
    on_every_target("vector_add", [](const Module& module) {
        constexpr int n = 777;
        const auto a = random_values<float>(n, -10, 10, 1), b = random_values<float>(n, -10, 10, 2);
        const Array<float> da(a), db(b), dc(n);
        HIP_OK(launch(module.kernel("vector_add"), {4}, {256}, 0, nullptr, da.get(), db.get(), dc.get(), n));
        const auto c = dc.read();
        for (std::size_t i = 0; i < n; ++i) REQUIRE_EQ(c[i], a[i] + b[i]);
    });
}

TEST_CASE("corpus: a reduction in LDS and across lanes") {
    on_every_target("reduction", [](const Module& module) {
        constexpr int n = 1000;
        std::vector<float> in = random_values<float>(n, 0, 100, 3);
        for (float& value : in) value = std::round(value);  // sums of integers are exact in any order
        const Array<float> din(in), dout(4);
        HIP_OK(launch(module.kernel("reduction"), {4}, {256}, 0, nullptr, din.get(), dout.get(), n));
        const auto out = dout.read();
        for (std::size_t block = 0; block < 4; ++block) {
            float sum = 0;
            for (std::size_t i = block * 256; i < std::min<std::size_t>(n, block * 256 + 256); ++i) sum += in[i];
            REQUIRE_EQ(out[block], sum);
        }
    });
}

TEST_CASE("corpus: matrix multiplication by the matrix unit") {
    on_every_target("matrix_multiply", [](const Module& module) {
        constexpr int m = 32, n = 48, k = 64;
        // Small integers: products and sums are exact in every format on the way.
        const auto a = random_values<int>(m * k, -8, 8, 4), b = random_values<int>(k * n, -8, 8, 5);
        for (const bool bf16 : {false, true}) {
            CAPTURE(bf16);
            std::vector<std::uint16_t> a16, b16;
            const auto convert = [&](int value) {
                // Integers up to 8 have few bits: the half of an fp16 follows from its float's exponent and top bits.
                const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
                if (bf16) return to_bf16(static_cast<float>(value));
                if (value == 0) return std::uint16_t{0};
                const std::uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
                return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff));
            };
            std::transform(a.begin(), a.end(), std::back_inserter(a16), convert);
            std::transform(b.begin(), b.end(), std::back_inserter(b16), convert);
            const Array<std::uint16_t> da(a16), db(b16);
            const Array<float> dc(m * n);
            HIP_OK(launch(module.kernel(bf16 ? "multiply_bf16" : "multiply_f16"), {n / 16, m / 16}, {32}, 0, nullptr, da.get(), db.get(),
                          dc.get(), n, k));
            const auto c = dc.read();
            for (int row = 0; row < m; ++row)
                for (int column = 0; column < n; ++column) {
                    int sum = 0;
                    for (int i = 0; i < k; ++i) sum += a[static_cast<std::size_t>(row * k + i)] * b[static_cast<std::size_t>(i * n + column)];
                    REQUIRE_EQ(c[static_cast<std::size_t>(row * n + column)], static_cast<float>(sum));
                }
        }
    });
}

TEST_CASE("corpus: transcendental functions") {
    on_every_target("transcendental", [](const Module& module) {
        constexpr int n = 500;
        auto in = random_values<float>(n, -20, 20, 6);
        in[0] = 0;
        in[1] = 1;
        in[2] = -1;
        in[3] = 1e-30f;
        in[4] = 300;  // sine and cosine have to reduce it
        const Array<float> din(in), dout(16 * n);
        HIP_OK(launch(module.kernel("transcendental"), {4}, {128}, 0, nullptr, din.get(), dout.get(), n));
        const auto out = dout.read();
        for (std::size_t i = 0; i < n; ++i) {
            const double x = in[i], p = static_cast<double>(std::fabs(in[i]) + 1e-3f);
            const double expected[] = {std::exp(x * 0.5), std::exp2(x), std::log(p), std::log2(p), std::sqrt(p), 1 / std::sqrt(p), 1 / p, std::sin(x),
                                       std::cos(x), std::tanh(x), std::erf(static_cast<double>(in[i] * 0.2f)), std::pow(p, 1.5), std::fmod(x, 0.7f),
                                       std::floor(x) + std::ceil(x) + std::trunc(x) + std::nearbyint(x),
                                       x * p + static_cast<double>(std::fmin(in[i], 1.0f) * std::fmax(in[i], -1.0f)), x};
            for (std::size_t function = 0; function < 16; ++function) {
                CAPTURE(function);
                CAPTURE(x);
                const double got = static_cast<double>(out[function * n + i]);
                // The library's worst is 2 ulp for powf and 4 for erff and tanhf; 1e-6 relative covers them. Halves have 11 bits.
                const double tolerance = function == 15 ? std::fabs(x) / 2048 + 1e-7 : 1e-6 * std::fabs(expected[function]) + 2e-7;
                if (std::isinf(static_cast<float>(expected[function]))) REQUIRE(std::isinf(got));
                else REQUIRE_LE(std::fabs(got - expected[function]), tolerance);
            }
        }
    });
}

TEST_CASE("corpus: integers of every width, and double precision") {
    on_every_target("integers", [](const Module& module) {
        constexpr int n = 200;
        auto a = random_values<unsigned>(n, 0, 0xffffffffu, 7), b = random_values<unsigned>(n, 0, 0xffffffffu, 8);
        const unsigned edges[] = {0, 1, 2, 31, 0x7fffffffu, 0x80000000u, 0xffffffffu};
        std::size_t next = 0;
        for (const unsigned x : edges)
            for (const unsigned y : edges) {
                a[next] = x;
                b[next++] = y;
            }
        for (std::size_t i = next; i < next + 30; ++i) b[i] >>= i % 31;  // small divisors
        const Array<unsigned> da(a), db(b);
        const Array<unsigned long long> dout(24 * n);
        HIP_OK(launch(module.kernel("integers"), {2}, {128}, 0, nullptr, da.get(), db.get(), dout.get(), n));
        const auto out = dout.read();
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned x = a[i], y = b[i];
            const int sx = static_cast<int>(x), sy = static_cast<int>(y);
            const std::uint64_t wx = (std::uint64_t{x} << 32) | y, wy = (std::uint64_t{y} << 17) ^ x;
            const double d = static_cast<double>(sx) * 1.25 + static_cast<double>(y) / 3.0;
            const std::uint64_t expected[24] = {
                x + y,
                x * y,
                y ? x / y : 0,
                y ? x % y : 0,
                static_cast<unsigned>(sy != 0 && sy != -1 ? sx / sy : 0),
                wx + wy,
                wx * wy,
                wy ? wx / wy : 0,
                wy ? wx % wy : 0,
                wx << (y & 63),
                wx >> (x & 63),
                static_cast<std::uint64_t>(static_cast<std::int64_t>(wx) >> (y & 63)),
                static_cast<unsigned>(std::popcount(x)) + (static_cast<std::uint64_t>(std::countl_zero(y)) << 32),
                [&] {
                    unsigned reversed = 0;
                    for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1) << (31 - bit);
                    return reversed;
                }(),
                (std::uint64_t{x} * y) >> 32,
                static_cast<unsigned>((std::int64_t{sx} * sy) >> 32),
                std::rotr(x, static_cast<int>(y & 31)),
                static_cast<unsigned>(static_cast<signed char>(x)) + static_cast<unsigned short>(y),
                static_cast<unsigned>(std::min(sx, sy)) ^ (static_cast<std::uint64_t>(std::max(x, y)) << 32),
                wx < wy ? 1u : static_cast<std::int64_t>(wx) < static_cast<std::int64_t>(wy) ? 2u : 3u,
                std::bit_cast<std::uint64_t>(d),
                std::bit_cast<std::uint64_t>(std::sqrt(std::fabs(d))),
                static_cast<std::uint64_t>(static_cast<std::int64_t>(d * 0.5)),
                std::bit_cast<std::uint32_t>(static_cast<float>(wx)),
            };
            for (std::size_t which = 0; which < 24; ++which) {
                CAPTURE(which);
                CAPTURE(x);
                CAPTURE(y);
                const std::uint64_t got = out[i * 24 + which];
                // The device's compiler may fuse the multiplication and the addition of `d`: the last bit, and what follows from it.
                if (which == 20 || which == 21)
                    REQUIRE_LE(std::fabs(std::bit_cast<double>(got) - std::bit_cast<double>(expected[which])),
                               4e-16 * std::fabs(std::bit_cast<double>(expected[which])) + 1e-300);
                else REQUIRE_EQ(got, expected[which]);
            }
        }
    });
}

TEST_CASE("corpus: atomics") {
    on_every_target("atomics", [](const Module& module) {
        constexpr unsigned blocks = 3, threads = 96, n = blocks * threads;
        std::vector<unsigned> start(12, 0);
        start[1] = 10000;
        start[3] = 5000;
        start[5] = 0xffffu;
        const Array<unsigned> counters(start);
        const Array<unsigned long long> wide(std::vector<unsigned long long>(2, 1));
        const Array<float> sum(std::vector<float>(1, 0));
        const Array<int> owner(std::vector<int>(1, -1));
        HIP_OK(launch(module.kernel("atomics"), {blocks}, {threads}, 0, nullptr, counters.get(), wide.get(), sum.get(), owner.get()));
        unsigned parity = 0;
        for (unsigned i = 0; i < n; ++i) parity ^= i;
        CHECK_EQ(counters.read(), std::vector<unsigned>{n, 10000 - 2 * n, n - 1, 1000 - (n - 1), 0xffffffffu, 0xff00u, parity, n % 10, n,
                                                        0 + threads + 2 * threads, 3 * threads - 3 + 3 * threads, 77 * blocks});
        CHECK_EQ(wide.read()[0], 1 + (std::uint64_t{n} * (n - 1) / 2 << 20));
        CHECK_EQ(wide.read()[1], std::uint64_t{n - 1} << 33);
        CHECK_EQ(sum.read()[0], static_cast<float>(n) / 2);
        CHECK_GE(owner.read()[0], 0);
        CHECK_LT(owner.read()[0], static_cast<int>(n));
    });
}

TEST_CASE("corpus: lanes that part ways") {
    on_every_target("divergence", [](const Module& module) {
        constexpr int n = 150;
        auto in = random_values<int>(n, 1, 1000, 9);
        in[0] = 97;  // 118 steps
        in[1] = 1;
        const Array<int> din(in), dout(n);
        HIP_OK(launch(module.kernel("divergence"), {2}, {96}, 0, nullptr, din.get(), dout.get(), n));
        const auto out = dout.read();
        for (std::size_t i = 0; i < n; ++i) {
            int x = in[i], steps = 0;
            for (; x != 1 && steps < 500; ++steps) x = x & 1 ? 3 * x + 1 : x / 2;
            int kind = 0;
            switch (in[i] % 5) {
                case 0: kind = 10; break;
                case 1: kind = (in[i] > 50 ? 20 : 21) + 1; break;
                case 2: kind = 1; break;
                case 3:
                    for (int k = 0; k < std::min(in[i] % 7, 4); ++k) kind += k;
                    break;
                default: kind = -1;
            }
            CAPTURE(in[i]);
            REQUIRE_EQ(out[i], steps > 100 ? -steps : steps * 1000 + kind * 10 + (steps > 20 ? 1 : 0));
        }
    });
}

TEST_CASE("corpus: private memory and a call") {
    on_every_target("scratch", [](const Module& module) {
        constexpr int n = 100;
        const auto in = random_values<int>(n * 8, -1000, 1000, 10);
        const Array<int> din(in), dout(n * 9);
        HIP_OK(launch(module.kernel("scratch"), {2}, {64}, 0, nullptr, din.get(), dout.get(), n));
        const auto out = dout.read();
        for (int thread = 0; thread < n; ++thread) {
            std::vector<int> values(in.begin() + thread * 8, in.begin() + thread * 8 + 8);
            std::sort(values.begin(), values.end());
            const int* got = out.data() + thread * 9;
            for (int i = 0; i < 8; ++i) REQUIRE_EQ(got[i], values[static_cast<std::size_t>((i + thread) % 8)]);
            int sum = 0;
            for (int i = 0; i < 1 + thread % 8; ++i) sum = sum * 3 + values[static_cast<std::size_t>(i)];
            REQUIRE_EQ(got[8], sum);
        }
    });
}

TEST_CASE("corpus: what it contains, by target") {
    // The list is left beside the build, for people; on_every_target fails at an instruction without semantics.
    const std::filesystem::path folder = FLASHWAVE_BUILD_DIR "/coverage";
    std::filesystem::create_directories(folder);
    for (const auto& [target, names] : mnemonics_met()) {
        std::ofstream out(folder / (target + ".txt"));
        for (const std::string& name : names) out << name << '\n';
        CHECK(out.good());
        MESSAGE(target, ": ", names.size(), " different instructions");
        CHECK_GT(names.size(), 350);
    }
    CHECK_EQ(mnemonics_met().size(), 6);
}
