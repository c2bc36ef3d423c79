// The matrix unit in every format, against a model of its own: one fused multiply-add for each k in turn (HIPEMU_WMMA=fast), or the chain of
// two-element dot products on a cut grid that the hardware computes (HIPEMU_WMMA=exact; the suite runs a second time so).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "emulator/corpus.hpp"
#include "emulator/isa/float_mode.hpp"

namespace {

using namespace hip_test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

constexpr std::size_t kSize = 16;

bool exact_asked() {
    const char* mode = std::getenv("HIPEMU_WMMA");
    return mode != nullptr && std::string_view(mode) == "exact";
}

/// A 16-bit format: its value, its rounding, its mantissa bits.
struct F16 {
    static constexpr bool kFlushes = false;
    static float value(u16 bits) { return static_cast<float>(hipemu::half_to_double(bits)); }
    static u16 rounded(float x) { return static_cast<u16>(hipemu::double_to_half(static_cast<double>(x), hipemu::Rounding::nearest)); }
    static u16 random(std::mt19937& random) { return static_cast<u16>((random() & 0x83ff) | (random() % 22) << 10); }  // up to 128, denormals among them
};
struct Bf16 {
    static constexpr bool kFlushes = true;
    static float value(u16 bits) { return std::bit_cast<float>(u32{bits} << 16); }
    static u16 rounded(float x) {
        const u32 bits = std::bit_cast<u32>(x);
        return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    static u16 random(std::mt19937& random) { return static_cast<u16>((random() & 0x807f) | (117 + random() % 18) << 7); }
};
/// Sums of 32 bits are kept as they are.
struct F32 {
    static float value(float x) { return x; }
    static float rounded(float x) { return x; }
};

/// value = mantissa * 2^exponent; both 0 for 0.
struct Term {
    std::int64_t mantissa = 0;
    int exponent = 0;

    static Term of(double value) {
        if (value == 0) return {};
        int exponent = 0;
        const double fraction = std::frexp(value, &exponent);
        return {static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53};
    }
    int leading() const { return exponent + 63 - std::countl_zero(static_cast<std::uint64_t>(std::abs(mantissa))); }
    /// In units of 2^grid, what lies below cut: toward zero, or away from it.
    std::int64_t cut(int grid, bool away) const {
        const std::int64_t magnitude = std::abs(mantissa);
        if (exponent >= grid) return mantissa << (exponent - grid);
        const int shift = grid - exponent;
        std::int64_t units = shift > 62 ? 0 : magnitude >> shift;
        const bool lost = magnitude != 0 && (shift > 62 || (units << shift) != magnitude);
        if (away && lost) ++units;
        return mantissa < 0 ? -units : units;
    }
};

float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

/// c + a0 b0 + a1 b1 as the hardware sums it.
float dot2(float c, float a0, float b0, float a1, float b1) {
    c = flushed(c);
    const Term terms[3] = {Term::of(static_cast<double>(c)), Term::of(static_cast<double>(a0) * static_cast<double>(b0)),
                           Term::of(static_cast<double>(a1) * static_cast<double>(b1))};
    int grid = INT32_MIN;
    for (const Term& term : terms) {
        if (term.mantissa != 0) grid = std::max(grid, term.leading() - 26);
    }
    if (terms[1].mantissa != 0) grid = std::max(grid, std::ilogb(a0) + std::ilogb(b0) - 24);
    if (terms[2].mantissa != 0) grid = std::max(grid, std::ilogb(a1) + std::ilogb(b1) - 24);
    if (grid == INT32_MIN) return c + a0 * b0 + a1 * b1;  // zeros, whose sign counts
    const bool negative = std::signbit(c);
    std::int64_t sum = terms[0].cut(grid, false);
    for (const int i : {1, 2}) sum += terms[i].cut(grid, terms[i].mantissa != 0 && (terms[i].mantissa < 0) != negative);
    return flushed(static_cast<float>(std::ldexp(static_cast<double>(sum), grid)));
}

template <class Factor, class Sum, class Cell>
Cell element(const std::vector<u16>& a, const std::vector<u16>& b, std::size_t i, std::size_t j, Cell c) {
    const auto factor = [](u16 bits) { return Factor::kFlushes ? flushed(Factor::value(bits)) : Factor::value(bits); };
    if (!exact_asked()) {
        float sum = Sum::value(c);
        for (std::size_t k = 0; k < kSize; ++k) sum = std::fma(Factor::value(a[i * kSize + k]), Factor::value(b[j * kSize + k]), sum);
        return Sum::rounded(sum);
    }
    for (std::size_t k = 0; k < kSize; k += 2) {
        c = Sum::rounded(dot2(Sum::value(c), factor(a[i * kSize + k]), factor(b[j * kSize + k]), factor(a[i * kSize + k + 1]), factor(b[j * kSize + k + 1])));
    }
    return c;
}

template <class Factor>
std::vector<u16> random_factors(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<u16> values(kSize * kSize);
    for (u16& value : values) value = Factor::random(random);
    return values;
}

template <class Factor>
void check_wide_sums(const Module& module, const char* kernel) {
    CAPTURE(kernel);
    for (unsigned seed = 0; seed < 4; ++seed) {
        const auto a = random_factors<Factor>(30 + seed), b = random_factors<Factor>(40 + seed);
        auto c = random_values<float>(kSize * kSize, -300, 300, 50 + seed);
        for (std::size_t e = 0; e < c.size(); e += 3) c[e] *= 0x1p-12f;  // some that the grid cuts
        const Array<u16> da(a), db(b);
        const Array<float> dc(c), dd(c.size());
        HIP_OK(launch(module.kernel(kernel), {1}, {32}, 0, nullptr, da.get(), db.get(), dc.get(), dd.get()));
        const auto d = dd.read();
        for (std::size_t i = 0; i < kSize; ++i) {
            for (std::size_t j = 0; j < kSize; ++j) {
                CAPTURE(i);
                CAPTURE(j);
                REQUIRE_EQ(d[i * kSize + j], (element<Factor, F32, float>(a, b, i, j, c[i * kSize + j])));
            }
        }
    }
}

template <class Factor>
void check_narrow_sums(const Module& module, const char* kernel) {
    CAPTURE(kernel);
    const auto a = random_factors<Factor>(60), b = random_factors<Factor>(61);
    auto c = random_factors<Factor>(62);
    const auto more = random_factors<Factor>(63);
    c.insert(c.end(), more.begin(), more.end());
    const Array<u16> da(a), db(b), dc(c), dd(c.size());
    HIP_OK(launch(module.kernel(kernel), {1}, {32}, 0, nullptr, da.get(), db.get(), dc.get(), dd.get()));
    const auto d = dd.read();
    for (std::size_t i = 0; i < kSize; ++i) {
        for (std::size_t j = 0; j < kSize; ++j) {
            CAPTURE(i);
            CAPTURE(j);
            const std::size_t e = i * kSize + j;
            REQUIRE_EQ(d[e], (element<Factor, Factor, u16>(a, b, i, j, c[e])));
            REQUIRE_EQ(d[256 + e], (element<Factor, Factor, u16>(b, a, i, j, c[256 + e])));
        }
    }
}

void check_integers(const Module& module, const char* kernel, unsigned width) {
    CAPTURE(kernel);
    const std::size_t words = kSize * kSize * width / 32;
    auto a = random_values<u32>(words, 0, UINT32_MAX, 70), b = random_values<u32>(words, 0, UINT32_MAX, 71);
    auto c = random_values<int>(kSize * kSize, INT32_MIN, INT32_MAX, 72);
    for (std::size_t e = 0; e < c.size(); e += 2) c[e] = e % 4 == 0 ? INT32_MAX - static_cast<int>(e) : INT32_MIN + static_cast<int>(e);
    const Array<u32> da(a), db(b);
    const Array<int> dc(c), dd(8 * c.size());
    HIP_OK(launch(module.kernel(kernel), {1}, {32}, 0, nullptr, da.get(), db.get(), dc.get(), dd.get()));
    const auto d = dd.read();
    const auto field = [width](const std::vector<u32>& from, std::size_t row, std::size_t k, bool is_signed) {
        const std::size_t per_word = 32 / width, first = row * kSize / per_word;
        const u32 bits = from[first + k / per_word] >> (k % per_word * width) & ((1u << width) - 1);
        return is_signed && bits >> (width - 1) != 0 ? static_cast<int>(bits) - (1 << width) : static_cast<int>(bits);
    };
    for (unsigned form = 0; form < 8; ++form) {
        for (std::size_t i = 0; i < kSize; ++i) {
            for (std::size_t j = 0; j < kSize; ++j) {
                std::int64_t sum = c[i * kSize + j];
                for (std::size_t k = 0; k < kSize; ++k) sum += std::int64_t{field(a, i, k, (form & 1) != 0)} * field(b, j, k, (form & 2) != 0);
                if ((form & 4) != 0) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
                CAPTURE(form);
                CAPTURE(i);
                CAPTURE(j);
                REQUIRE_EQ(d[form * 256 + i * kSize + j], static_cast<int>(static_cast<u32>(sum)));
            }
        }
    }
}

}  // namespace

TEST_CASE("matrix formats: products of halves and of bfloat16s, sums of 32 bits") {
    on_every_target("matrix_formats", [](const Module& module) {
        check_wide_sums<F16>(module, "f32_f16");
        check_wide_sums<Bf16>(module, "f32_bf16");
    });
}

TEST_CASE("matrix formats: sums of 16 bits in the low and the high halves of registers") {
    on_every_target("matrix_formats", [](const Module& module) {
        check_narrow_sums<F16>(module, "f16_f16");
        check_narrow_sums<Bf16>(module, "bf16_bf16");
    });
}

TEST_CASE("matrix formats: bytes and nibbles of every sign, wrapping and saturating") {
    on_every_target("matrix_formats", [](const Module& module) {
        check_integers(module, "iu8", 8);
        check_integers(module, "iu4", 4);
    });
}
