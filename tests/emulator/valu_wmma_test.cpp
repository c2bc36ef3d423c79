// WMMA: layouts, the float and integer forms, which half of a 16-bit result is written.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"
#include "emulator/instruction_harness.hpp"

using emulator_test::bits_of;
using emulator_test::runnable_builds;
using emulator_test::WaveRun;

static const bool kCovered = emulator_test::covers({"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_f16_16x16x16_f16",
                                                    "v_wmma_bf16_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8", "v_wmma_i32_16x16x16_iu4"});

namespace {

using Lanes = std::array<std::uint32_t, 32>;

int small(int i, int k) { return (3 * i + 5 * k) % 7 - 3; }          // A(i, k), between -3 and 3
int other(int k, int j) { return (2 * k + 7 * j) % 5 - 2; }          // B(k, j), between -2 and 2
int start(int i, int j) { return i - 2 * j; }                        // C(i, j)
int product(int i, int j) {
    int sum = start(i, j);
    for (int k = 0; k < 16; ++k) sum += small(i, k) * other(k, j);
    return sum;
}

std::uint32_t half(int x) {  // of a small integer
    if (x == 0) return 0;
    int exponent = 0;
    const double mantissa = std::frexp(std::abs(static_cast<double>(x)), &exponent);
    return (x < 0 ? 0x8000u : 0u) | static_cast<std::uint32_t>(exponent + 14) << 10 | (static_cast<std::uint32_t>(mantissa * 2048) & 0x3ffu);
}
std::uint32_t bfloat(int x) { return bits_of(static_cast<float>(x)) >> 16; }

/// Loads A into v8.., B into v16.. with `per_word` elements a register, each encoded in `width` bits.
template <class Encode>
void load_factors(WaveRun& run, int per_word, int width, Encode encode) {
    for (int r = 0; r < 16 / per_word; ++r) {
        Lanes a{}, b{};
        for (int l = 0; l < 32; ++l) {
            for (int e = 0; e < per_word; ++e) {
                const int k = per_word * r + e;
                const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
                a[static_cast<std::size_t>(l)] |= (encode(small(l % 16, k)) & mask) << (width * e);
                b[static_cast<std::size_t>(l)] |= (encode(other(k, l % 16)) & mask) << (width * e);
            }
        }
        run.set_v(static_cast<unsigned>(8 + r), a).set_v(static_cast<unsigned>(16 + r), b);
    }
}

template <class Encode>
void load_start(WaveRun& run, Encode encode, unsigned first = 0) {
    for (int r = 0; r < 8; ++r) {
        Lanes c{};
        for (int l = 0; l < 32; ++l) c[static_cast<std::size_t>(l)] = encode(start(2 * r + l / 16, l % 16));
        run.set_v(first + static_cast<unsigned>(r), c);
    }
}

template <class Decode>
void check_product(const WaveRun& run, Decode expected, unsigned first = 0) {
    REQUIRE(kCovered);
    REQUIRE(run.fault() == nullptr);
    for (int r = 0; r < 8; ++r) {
        for (int l = 0; l < 32; ++l) {
            INFO("register ", r, " lane ", l);
            REQUIRE(run.v(first + static_cast<unsigned>(r), l) == expected(product(2 * r + l / 16, l % 16)));
        }
    }
}

std::uint32_t float_bits(int x) { return bits_of(static_cast<float>(x)); }
std::uint32_t integer(int x) { return static_cast<std::uint32_t>(x); }

}  // namespace

TEST_CASE("WMMA of halves and bfloat16s to floats, whatever EXEC") {
    for (const auto build : runnable_builds()) {
        WaveRun halves("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", build);
        load_factors(halves, 2, 16, half);
        load_start(halves, float_bits);
        halves.set_exec(0x1).go();
        check_product(halves, float_bits);

        WaveRun bfloats("v_wmma_f32_16x16x16_bf16 v[0:7], v[8:15], v[16:23], v[0:7]", build);
        load_factors(bfloats, 2, 16, bfloat);
        load_start(bfloats, float_bits);
        bfloats.go();
        check_product(bfloats, float_bits);
    }
}

TEST_CASE("WMMA with a constant for C") {
    for (const auto build : runnable_builds()) {
        WaveRun run("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], 0", build);
        load_factors(run, 2, 16, half);
        for (unsigned r = 0; r < 8; ++r) run.set_v(r, 0x7fc00000);
        run.go();
        REQUIRE(run.fault() == nullptr);
        CHECK(run.v(3, 20) == float_bits(product(7, 4) - start(7, 4)));
    }
}

TEST_CASE("WMMA of floats reads all of C before it writes D, wherever D stands") {
    struct Place {
        const char* text;
        unsigned c, d;
    };
    const Place places[] = {{"v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[0:7]", 0, 24},       // apart: C stays
                            {"v_wmma_f32_16x16x16_f16 v[28:35], v[8:15], v[16:23], v[24:31]", 24, 28},    // over C's end
                            {"v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[28:35]", 28, 24},    // over C's begin
                            {"v_wmma_f32_16x16x16_f16 v[248:255], v[8:15], v[16:23], v[240:247]", 240, 248}};
    for (const auto build : runnable_builds()) {
        for (const Place& place : places) {
            INFO(place.text);
            WaveRun run(place.text, build);
            load_factors(run, 2, 16, half);
            load_start(run, float_bits, place.c);
            run.go();
            check_product(run, float_bits, place.d);
            if (place.c == 0) CHECK(run.v(7, 31) == float_bits(start(15, 15)));
        }
    }
}

TEST_CASE("WMMA of floats takes the negation of C") {
    for (const auto build : runnable_builds()) {
        WaveRun run("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] neg_lo:[0,0,1]", build);
        load_factors(run, 2, 16, half);
        load_start(run, [](int x) { return float_bits(-x); });
        run.go();
        check_product(run, float_bits);
    }
}

TEST_CASE("WMMA with 16-bit sums writes one half of each register") {
    for (const auto build : runnable_builds()) {
        WaveRun low("v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", build);
        load_factors(low, 2, 16, half);
        load_start(low, [](int x) { return 0xabcd0000u | half(x); });
        low.go();
        check_product(low, [](int x) { return 0xabcd0000u | half(x); });

        WaveRun high("v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] op_sel:[0,0,1]", build);
        load_factors(high, 2, 16, half);
        load_start(high, [](int x) { return 0xabcdu | half(x) << 16; });
        high.go();
        check_product(high, [](int x) { return 0xabcdu | half(x) << 16; });

        WaveRun bfloats("v_wmma_bf16_16x16x16_bf16 v[0:7], v[8:15], v[16:23], v[0:7]", build);
        load_factors(bfloats, 2, 16, bfloat);
        load_start(bfloats, [](int x) { return 0x12340000u | bfloat(x); });
        bfloats.go();
        check_product(bfloats, [](int x) { return 0x12340000u | bfloat(x); });
    }
}

TEST_CASE("WMMA of bytes and nibbles: neg_lo makes a side signed, clamp saturates") {
    for (const auto build : runnable_builds()) {
        WaveRun bytes("v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[16:19], v[0:7] neg_lo:[1,1,0]", build);
        load_factors(bytes, 4, 8, integer);
        load_start(bytes, integer);
        bytes.go();
        check_product(bytes, integer);

        WaveRun nibbles("v_wmma_i32_16x16x16_iu4 v[0:7], v[8:9], v[16:17], v[0:7] neg_lo:[1,1,0]", build);
        load_factors(nibbles, 8, 4, integer);
        load_start(nibbles, integer);
        nibbles.go();
        check_product(nibbles, integer);

        WaveRun unsigned_bytes("v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[16:19], v[0:7] clamp", build);
        for (unsigned r = 0; r < 4; ++r) unsigned_bytes.set_v(8 + r, 0xffffffff).set_v(16 + r, 0x02020202);
        for (unsigned r = 0; r < 8; ++r) unsigned_bytes.set_v(r, 0x7ffffff0);
        unsigned_bytes.go();
        REQUIRE(unsigned_bytes.fault() == nullptr);
        CHECK(unsigned_bytes.v(0, 0) == 0x7fffffffu);  // 16 * 255 * 2 more, saturated
    }
}

TEST_CASE("WMMA keeps denormal halves and passes NaN and infinity on") {
    for (const auto build : runnable_builds()) {
        WaveRun run("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], 0", build);
        for (unsigned r = 0; r < 8; ++r) run.set_v(r, 0).set_v(8 + r, 0).set_v(16 + r, 0x3c003c00);
        Lanes a{};
        a[0] = a[16] = 0x0001;      // row 0: 2^-24
        a[1] = a[17] = 0x7c00;      // row 1: infinity
        a[2] = a[18] = 0x7e00;      // row 2: NaN
        run.set_v(8, a).go();
        REQUIRE(run.fault() == nullptr);
        CHECK(run.v(0, 0) == 0x33800000u);
        CHECK(run.v(0, 16) == 0x7f800000u);
        CHECK(std::isnan(std::bit_cast<float>(run.v(1, 0))));
        CHECK(run.v(1, 16) == 0);
    }
}
