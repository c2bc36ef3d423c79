// Lanes that read each other, packed and dot operations, LDS of every width.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "emulator/corpus.hpp"
#include "emulator/isa/float_mode.hpp"

namespace {

using namespace hip_test;
using u32 = std::uint32_t;

constexpr int kWave = 32;
using Lanes = std::array<int, kWave>;

template <class F>
Lanes lanes_of(F value) {
    Lanes lanes{};
    for (int l = 0; l < kWave; ++l) lanes[static_cast<std::size_t>(l)] = value(l);
    return lanes;
}

double half_value(u32 half) { return hipemu::half_to_double(half & 0xffffu); }
u32 half_bits(double value) { return hipemu::double_to_half(value, hipemu::Rounding::nearest); }

/// A half operation on both halves.
template <class F>
u32 both_halves(u32 x, u32 y, F op) {
    return half_bits(op(half_value(x), half_value(y))) | half_bits(op(half_value(x >> 16), half_value(y >> 16))) << 16;
}
template <class F>
u32 both(u32 x, u32 y, F op) {
    return (static_cast<u32>(op(x & 0xffff, y & 0xffff)) & 0xffff) | static_cast<u32>(op(x >> 16, y >> 16)) << 16;
}
int s16(u32 x) { return static_cast<std::int16_t>(x); }

template <int width, bool signed_a, bool signed_b>
std::int64_t dot(u32 x, u32 y) {
    std::int64_t sum = 0;
    for (int i = 0; i < 32; i += width) {
        const auto field = [i](u32 v, bool is_signed) {
            const u32 top = v << (32 - width - i);
            return is_signed ? std::int64_t{static_cast<std::int32_t>(top) >> (32 - width)} : std::int64_t{top >> (32 - width)};
        };
        sum += field(x, signed_a) * field(y, signed_b);
    }
    return sum;
}
u32 saturated(std::int64_t x, std::int64_t low, std::int64_t high) { return static_cast<u32>(std::clamp(x, low, high)); }
u32 byte(u32 x, int i) { return x >> (8 * i) & 0xff; }

}  // namespace

TEST_CASE("corpus: DPP, permutations, votes and shuffles") {
    const auto in = random_values<int>(kWave, -1000, 1000, 11);
    const auto at = [&](int l) { return in[static_cast<std::size_t>(l)]; };
    const auto in_row = [&](int l, int distance) {  // the lane `distance` on in its row of 16
        const int from = (l & 15) + distance;
        return from < 0 || from > 15 ? -1 : at((l & 16) + from);
    };
    u32 positive = 0;
    for (int l = 0; l < kWave; ++l) positive |= (at(l) > 0 ? 1u : 0u) << l;
    const bool any = std::any_of(in.begin(), in.end(), [](int x) { return x > 900; });
    int sum = 0;
    for (const int x : in) sum += x;
    constexpr u32 kDpp8 = 0xfac688;
    const Lanes expected[] = {
        lanes_of([&](int l) { return at((l & ~3) + static_cast<int>((0xe4u ^ 0xffu) >> (2 * (l & 3)) & 3)); }),
        lanes_of([&](int l) { return in_row(l, 1); }),
        lanes_of([&](int l) { return in_row(l, -3); }),
        lanes_of([&](int l) { return at((l & 16) + ((l - 5) & 15)); }),
        lanes_of([&](int l) { return at(l ^ 15); }),
        lanes_of([&](int l) { return at(l ^ 7); }),
        lanes_of([&](int l) { return at((l & 16) + 2); }),
        lanes_of([&](int l) { return at(l ^ 6); }),
        lanes_of([&](int l) { return l >= 16 || (l / 4) % 2 == 1 ? -1 : (l & 15) == 15 ? 0 : at(l + 1); }),
        lanes_of([&](int l) { return at((l & ~7) + static_cast<int>(kDpp8 >> (3 * (l & 7)) & 7)); }),
        lanes_of([&](int l) { return at((l & 16) + static_cast<int>(0x89abcdef01234567ull >> (4 * (l & 15)) & 15)); }),
        lanes_of([&](int l) { return at(l ^ 16); }),
        lanes_of([&](int) { return at(5); }),
        lanes_of([&](int) { return at(0); }),
        lanes_of([&](int l) { return at(l ^ 1); }),
        lanes_of([&](int l) { return at((l & ~3) + (0x1b >> (2 * (l & 3)) & 3)); }),
        lanes_of([&](int l) { return at(31 - l); }),
        lanes_of([&](int l) { return at((l - 7) & 31); }),
        lanes_of([&](int) { return static_cast<int>(positive); }),
        lanes_of([&](int) { return (any ? 1 : 0) + 2; }),
        lanes_of([&](int l) { return at(l * 5 & 31); }),
        lanes_of([&](int l) { return at(l >= 3 ? l - 3 : l); }),
        lanes_of([&](int l) { return at(l < 29 ? l + 3 : l); }),
        lanes_of([&](int l) { return at(l ^ 9); }),
        lanes_of([&](int l) { return 5 + std::popcount(positive & ((1u << l) - 1)); }),
        lanes_of([&](int l) { return l % 3 != 0 ? -3 : (l ^ 3) % 3 != 0 ? -4 : at(0) + at(l ^ 3); }),
        lanes_of([&](int) { return sum; }),
    };
    on_every_target("lanes", [&](const Module& module) {
        const Array<int> din(in), dout(std::size(expected) * kWave);
        HIP_OK(launch(module.kernel("lanes"), {1}, {kWave}, 0, nullptr, din.get(), dout.get()));
        const auto out = dout.read();
        for (std::size_t operation = 0; operation < std::size(expected); ++operation) {
            CAPTURE(operation);
            Lanes got{};
            std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(operation * kWave), kWave, got.begin());
            REQUIRE_EQ(got, expected[operation]);
        }
    });
}

TEST_CASE("corpus: packed and dot operations, shuffles of bytes, fields of bits") {
    constexpr std::size_t n = 300;
    auto a = random_values<u32>(n, 0, UINT32_MAX, 12), b = random_values<u32>(n, 0, UINT32_MAX, 13);
    const auto c = random_values<u32>(n, 0, UINT32_MAX, 14);
    // Halves without NaNs and infinities, whose bits may differ.
    for (u32& x : a) x &= 0xbbffbbffu;
    for (u32& x : b) x &= 0xbbffbbffu;
    on_every_target("packed", [&](const Module& module) {
        const Array<u32> da(a), db(b), dc(c), dout(n * 32);
        HIP_OK(launch(module.kernel("packed"), {5}, {64}, 0, nullptr, da.get(), db.get(), dc.get(), dout.get(), static_cast<int>(n)));
        const auto out = dout.read();
        for (std::size_t i = 0; i < n; ++i) {
            const u32 x = a[i], y = b[i], z = c[i];
            const int sx = static_cast<int>(x), sz = static_cast<int>(z);
            const auto fused = [&](int shift) { return half_bits(std::fma(half_value(x >> shift), half_value(y >> shift), half_value(z >> shift))); };
            const bool nan_in_z = (z & 0x7c00u) == 0x7c00u || (z & 0x7c000000u) == 0x7c000000u;
            u32 lerp = 0, sad = z, perm = 0;
            const std::uint64_t pair = std::uint64_t{x} << 32 | y;
            for (int k = 0; k < 4; ++k) {
                lerp |= (byte(x, k) + byte(y, k) + (z >> (8 * k) & 1)) >> 1 << (8 * k);
                sad += static_cast<u32>(std::abs(static_cast<int>(byte(x, k)) - static_cast<int>(byte(y, k))));
                const u32 selector = byte(z & 0x0f0f0f0fu, k);
                const u32 chosen = selector < 8 ? static_cast<u32>(pair >> (8 * selector)) & 0xff
                                   : selector < 12 ? ((pair >> (16 * (selector - 8) + 15) & 1) != 0 ? 0xffu : 0u)
                                   : selector == 12 ? 0u : 0xffu;
                perm |= chosen << (8 * k);
            }
            const u32 offset = y & 31, width = z & 31;
            const auto toward_zero = [](u32 bits) { return hipemu::double_to_half(static_cast<double>(std::bit_cast<float>(bits)), hipemu::Rounding::zero); };
            const float dot2 = static_cast<float>(half_value(x) * half_value(y) + half_value(x >> 16) * half_value(y >> 16) + 1.5);
            const u32 expected[32] = {
                both_halves(x, y, [](double p, double q) { return p + q; }),
                both_halves(x, y, [](double p, double q) { return p * q; }),
                both_halves(x, y, [](double p, double q) { return p > q ? p : q; }),
                both_halves(x, y, [](double p, double q) { return p < q ? p : q; }),
                nan_in_z ? out[i * 32 + 4] : fused(0) | fused(16) << 16,
                both(x, y, [](u32 p, u32 q) { return p + q; }),
                both(x, y, [](u32 p, u32 q) { return p - q; }),
                both(x, y, [](u32 p, u32 q) { return p * q; }),
                both(x, y, [](u32 p, u32 q) { return p << (q & 15); }),
                both(x, y, [](u32 p, u32 q) { return p >> (q & 15); }),
                both(x, y, [](u32 p, u32 q) { return s16(p) >> (q & 15); }),
                both(x, y, [](u32 p, u32 q) { return std::max(s16(p), s16(q)); }),
                both(x, y, [](u32 p, u32 q) { return std::min(p, q); }),
                both(x, y, [](u32 p, u32 q) { return std::min(p + q, 0xffffu); }),
                both(x, y, [](u32 p, u32 q) { return std::clamp(s16(p) - s16(q), -32768, 32767); }),
                static_cast<u32>(dot<8, true, false>(x, y) + sz),
                saturated(dot<8, false, false>(x, y) + std::int64_t{z}, 0, UINT32_MAX),
                saturated(dot<4, true, true>(x, y) + sz, INT32_MIN, INT32_MAX),
                static_cast<u32>(dot<4, false, false>(x, y) + std::int64_t{z}),
                0,
                perm,
                static_cast<u32>(pair >> (z & 31)),
                static_cast<u32>(pair >> (8 * (z & 3))),
                width == 0 ? 0 : x >> offset & ((1u << width) - 1),
                width == 0 ? 0 : static_cast<u32>(static_cast<std::int32_t>((static_cast<std::int64_t>(sx) >> offset) << (32 - width)) >> (32 - width)),
                sad,
                lerp,
                toward_zero(0x3f800000u + (x & 0xffffffu)) | toward_zero(0xbf800000u + (y & 0xffffffu)) << 16,
                (x & y) | (~x & z),
                x ^ y ^ z,
                ((x + y) << 3) + z,
                std::max({x, y, z}) - std::min({x, y, z}),
            };
            for (std::size_t which = 0; which < 32; ++which) {
                const u32 got = out[i * 32 + which];
                CAPTURE(which);
                CAPTURE(x);
                CAPTURE(y);
                CAPTURE(z);
                if (which == 19) {  // the hardware cuts its terms to a grid: up to a few units of the largest term
                    const double largest = std::max({std::fabs(half_value(x) * half_value(y)), std::fabs(half_value(x >> 16) * half_value(y >> 16)), 1.5});
                    REQUIRE_LE(std::fabs(static_cast<double>(std::bit_cast<float>(got)) - static_cast<double>(dot2)), largest * 0x1p-21);
                } else if (which == 2 || which == 3) {  // of two zeros either may come
                    for (const int shift : {0, 16}) REQUIRE_EQ(half_value(got >> shift), half_value(expected[which] >> shift));
                } else {
                    REQUIRE_EQ(got, expected[which]);
                }
            }
        }
    });
}

namespace {

template <class T, class Out = T>
void check_transposition(const Module& module, const char* kernel, std::size_t elements, unsigned shared_bytes = 0) {
    CAPTURE(kernel);
    std::vector<T> in(256 * elements);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i * 2654435761u + (std::uint64_t{i} << 35));
    const Array<T> din(in);
    const Array<Out> dout(in.size());
    HIP_OK(launch(module.kernel(kernel), {1}, {16, 16}, shared_bytes, nullptr, din.get(), dout.get()));
    const auto out = dout.read();
    for (std::size_t row = 0; row < 16; ++row)
        for (std::size_t column = 0; column < 16; ++column)
            for (std::size_t e = 0; e < elements; ++e)
                REQUIRE_EQ(+out[(row * 16 + column) * elements + e], +static_cast<Out>(in[(column * 16 + row) * elements + e]));
}

}  // namespace

TEST_CASE("corpus: LDS is read and written in every width") {
    on_every_target("shared_memory", [](const Module& module) {
        check_transposition<std::uint8_t>(module, "transpose_u8", 1);
        check_transposition<std::uint16_t>(module, "transpose_u16", 1);
        check_transposition<std::int8_t, int>(module, "transpose_i8", 1);
        check_transposition<u32>(module, "transpose_u32", 1);
        check_transposition<std::uint64_t>(module, "transpose_u64", 1, 16 * 17 * 8);
        check_transposition<u32>(module, "transpose_b96", 3);
        check_transposition<u32>(module, "transpose_b128", 4);
    });
}
