// Spilled registers, calls through pointers, recursion, structs with holes, and the rounding modes.
#include <doctest/doctest.h>

#include <cfenv>

#include "emulator/corpus.hpp"

namespace {

using namespace hip_test;
using u32 = std::uint32_t;

int wrapped(u32 x) { return static_cast<int>(x); }

int ackermann_like(int n) { return n < 2 ? n + 1 : ackermann_like(n - 1) + 2 * ackermann_like(n - 2); }

struct Record {
    char tag;
    int value;
    short weight;
};

struct Pointers {
    const int* table[24];
};

}  // namespace

TEST_CASE("corpus: values that do not fit into the registers come back from private memory") {
    constexpr std::size_t n = 100, count = 48;
    const auto in = random_values<int>(n, -1000, 1000, 21);
    on_every_target("spills", [&](const Module& module) {
        const Array<int> din(in), dout(n);
        HIP_OK(launch(module.kernel("vector_spills"), {2}, {64}, 0, nullptr, din.get(), dout.get(), static_cast<int>(n)));
        const auto out = dout.read();
        for (std::size_t i = 0; i < n; ++i) {
            u32 values[count], sum = 0;
            for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<u32>(in[(i + k * 7) % n]) * static_cast<u32>(k + 1);
            for (int round = 0; round < 3; ++round)
                for (std::size_t k = 0; k < count; ++k) values[k] = values[k] * 3 + values[(k + 13) % count];
            for (std::size_t k = 0; k < count; ++k) sum = sum * 5 + values[k];
            REQUIRE_EQ(out[i], wrapped(sum));
        }
    });
}

TEST_CASE("corpus: scalars that do not fit into the registers come back from lanes") {
    constexpr std::size_t rounds = 5;
    const auto in = random_values<int>(24 * rounds, -1000, 1000, 22);
    on_every_target("spills", [&](const Module& module) {
        const Array<int> din(in), dout(32);
        Pointers pointers{};
        for (std::size_t k = 0; k < 24; ++k) pointers.table[k] = din.get() + k * rounds;
        HIP_OK(launch(module.kernel("scalar_spills"), {1}, {32}, 0, nullptr, pointers, dout.get(), static_cast<int>(rounds)));
        const auto out = dout.read();
        for (u32 thread = 0; thread < 32; ++thread) {
            u32 total = thread;
            for (std::size_t k = 0; k < 24; ++k) {
                u32 sum = 0;
                for (std::size_t round = 0; round < rounds; ++round) sum += static_cast<u32>(in[k * rounds + round] ^ static_cast<int>(k));
                total = total * 3 + sum;
            }
            REQUIRE_EQ(out[thread], wrapped(total));
        }
    });
}

TEST_CASE("corpus: calls through pointers, recursion, a jump table, structs with holes") {
    constexpr int n = 100;
    const auto in = random_values<int>(n, -1000, 1000, 23);
    on_every_target("calls", [&](const Module& module) {
        const Array<int> din(in), dout(std::vector<int>(n * 5, 1));
        const Array<Record> drecords(n);
        HIP_OK(launch(module.kernel("calls"), {2}, {64}, 0, nullptr, din.get(), dout.get(), drecords.get(), n));
        const auto out = dout.read();
        const auto records = drecords.read();
        for (int i = 0; i < n; ++i) {
            CAPTURE(i);
            const int x = in[static_cast<std::size_t>(i)];
            const int* o = &out[static_cast<std::size_t>(i) * 5];
            const int kind = (x & 0xff) % 3;
            CHECK_EQ(o[0], kind == 0 ? x + i : kind == 1 ? x - i : x * i);
            CHECK_EQ(o[1], ackermann_like(i % 8));
            CHECK_EQ(o[2], i % 2 == 0 ? x + 10 : x);
            CHECK_EQ(o[3], i % 2 == 0 ? 1 : 11);
            const int table[] = {x + 1, x * 2, x - 3, x ^ 5, wrapped(static_cast<u32>(x) << 2), x >> 1, ~x, 0};
            CHECK_EQ(o[4], table[i % 8]);
            const Record& record = records[static_cast<std::size_t>(i)];
            CHECK_EQ(static_cast<int>(record.tag), i);
            CHECK_EQ(record.value, x + i);
            CHECK_EQ(record.weight, 6);
        }
    });
}

TEST_CASE("corpus: arithmetic obeys the rounding mode") {
    constexpr std::size_t n = 64;
    const auto a = random_values<float>(n, -3, 3, 24), b = random_values<float>(n, -1e-3f, 1e-3f, 25);
    const auto wa = random_values<double>(n, -3, 3, 26), wb = random_values<double>(n, -1e-12, 1e-12, 27);
    on_every_target("rounding", [&](const Module& module) {
        const Array<float> da(a), db(b), dout(n * 20);
        const Array<double> dwa(wa), dwb(wb), dwide(n * 12);
        HIP_OK(launch(module.kernel("rounding"), {1}, {n}, 0, nullptr, da.get(), db.get(), dwa.get(), dwb.get(), dout.get(), dwide.get(), static_cast<int>(n)));
        const auto out = dout.read();
        const auto wide = dwide.read();
        constexpr int kDirections[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t mode = 0; mode < 4; ++mode) {
                CAPTURE(mode);
                // Volatile, so that the host's compiler computes where the rounding is set.
                volatile float x = a[i], y = b[i], expected[5];
                volatile double wx = wa[i], wy = wb[i], wide_expected[3];
                volatile std::uint32_t bits = std::bit_cast<std::uint32_t>(a[i]);
                std::fesetround(kDirections[mode]);
                expected[0] = x + y;
                expected[1] = x * y;
                expected[2] = std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(x));
                expected[3] = static_cast<float>(wx);
                expected[4] = static_cast<float>(bits);
                wide_expected[0] = wx + wy;
                wide_expected[1] = wx * wy;
                wide_expected[2] = std::fma(static_cast<double>(wx), static_cast<double>(wy), static_cast<double>(wx));
                std::fesetround(FE_TONEAREST);
                for (std::size_t which = 0; which < 5; ++which) {
                    CAPTURE(which);
                    REQUIRE_EQ(out[(i * 4 + mode) * 5 + which], static_cast<float>(expected[which]));
                }
                for (std::size_t which = 0; which < 3; ++which) {
                    CAPTURE(which);
                    REQUIRE_EQ(wide[(i * 4 + mode) * 3 + which], static_cast<double>(wide_expected[which]));
                }
            }
        }
    });
}
