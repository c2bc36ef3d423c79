// Atomic operations of every kind and type. Old values of a counter are a permutation; end values depend on no order.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "emulator/corpus.hpp"

namespace {

using namespace hip_test;
using u32 = std::uint32_t;
using u64 = unsigned long long;

template <class T>
std::vector<T> start_cells() {
    std::vector<T> cells(12, 0);
    cells[1] = 100;
    cells[3] = static_cast<T>(0xffff);
    cells[6] = 1000;
    if (cells.size() > 11) cells[9] = 7;
    return cells;
}

template <class T>
void check_cells(const std::vector<T>& cells, std::vector<T> old_values, T n) {
    std::sort(old_values.begin(), old_values.end());
    std::vector<T> counted(old_values.size());
    std::iota(counted.begin(), counted.end(), T(0));
    CHECK_EQ(old_values, counted);
    T parity = 0;
    for (T i = 0; i < n; ++i) parity ^= i;
    CHECK_EQ(cells[0], n);
    CHECK_EQ(cells[1], T(5));
    CHECK_EQ(cells[2], T(n + 4));
    CHECK_EQ(cells[3], T(0));  // every one of the 16 bits was cleared
    CHECK_EQ(cells[4], T(0x7fffffff));
    CHECK_EQ(cells[5], parity);
    // The exchanged values went on to the next: all of 1..n and the first one but what stayed.
    CHECK_EQ(T(cells[6] + cells[7]), T(1000 + n * (n + 1) / 2));
    CHECK_GE(cells[8], T(1));
    CHECK_LE(cells[8], n);
}

u32 incremented(u32 start, u32 limit, int times) {
    for (; times > 0; --times) start = start >= limit ? 0 : start + 1;
    return start;
}
u32 decremented(u32 start, u32 limit, int times) {
    for (; times > 0; --times) start = start == 0 || start > limit ? limit : start - 1;
    return start;
}

}  // namespace

TEST_CASE("corpus: integer atomics on global memory") {
    on_every_target("atomics_typed", [](const Module& module) {
        constexpr int n = 160;
        const Array<int> i32(start_cells<int>()), old32(n);
        const Array<u32> cells32(start_cells<u32>()), oldu32(n);
        const Array<u64> wide(start_cells<u64>()), old64(n);
        HIP_OK(launch(module.kernel("global_integers"), {3}, {64}, 0, nullptr, i32.get(), cells32.get(), wide.get(), old32.get(), oldu32.get(), old64.get(), n));
        check_cells<int>(i32.read(), old32.read(), n);
        check_cells<u32>(cells32.read(), oldu32.read(), n);
        check_cells<u64>(wide.read(), old64.read(), n);
        CHECK_EQ(cells32.read()[9], 7u - 3u * n);
        CHECK_EQ(cells32.read()[10], incremented(0, 6, n));
        CHECK_EQ(cells32.read()[11], decremented(0, 6, n));
        CHECK_EQ(static_cast<long long>(wide.read()[9]), -(n - 1));
        CHECK_EQ(wide.read()[10], 0);
    });
}

TEST_CASE("corpus: float and double atomics on global memory") {
    on_every_target("atomics_typed", [](const Module& module) {
        constexpr int n = 160;
        const Array<float> f32(std::vector<float>(6, 0)), old32(n);
        const Array<double> f64(std::vector<double>(4, 0));
        HIP_OK(launch(module.kernel("global_floats"), {3}, {64}, 0, nullptr, f32.get(), f64.get(), old32.get(), n));
        CHECK_EQ(f32.read(), std::vector<float>{n, n / 2, n / 4, n - 1, 1 - n, 7});
        CHECK_EQ(f64.read(), std::vector<double>{n / 8, 2 * n, n - 1, 1 - n});
        auto old = old32.read();
        std::sort(old.begin(), old.end());
        for (int i = 0; i < n; ++i) REQUIRE_EQ(old[static_cast<std::size_t>(i)], static_cast<float>(i));
    });
}

TEST_CASE("corpus: atomics on LDS") {
    // Among them HIP's own loops around compare-and-swap (floats' minimum and maximum, doubles), which begin with a plain load.
    on_every_target("atomics_typed", [](const Module& module) {
        constexpr int n = 96;
        const Array<int> i32(start_cells<int>()), old32(n);
        const Array<u32> cells32(start_cells<u32>()), oldu32(n);
        const Array<u64> wide(start_cells<u64>()), old64(n);
        const Array<float> f32(std::vector<float>(4, 0));
        const Array<double> f64(std::vector<double>(4, 0));
        HIP_OK(launch(module.kernel("shared_atomics"), {1}, {n}, 0, nullptr, i32.get(), cells32.get(), wide.get(), f32.get(), f64.get(), old32.get(),
                      oldu32.get(), old64.get()));
        check_cells<int>(i32.read(), old32.read(), n);
        check_cells<u32>(cells32.read(), oldu32.read(), n);
        check_cells<u64>(wide.read(), old64.read(), n);
        CHECK_EQ(cells32.read()[9], 7u - 3u * n);
        CHECK_EQ(cells32.read()[10], incremented(0, 6, n));
        CHECK_EQ(cells32.read()[11], decremented(0, 6, n));
        CHECK_EQ(f32.read(), std::vector<float>{n / 2, n / 4, n - 1, 1 - n});
        CHECK_EQ(f64.read(), std::vector<double>{n / 8, 2 * n, n - 1, 1 - n});
    });
}

TEST_CASE("corpus: atomics through pointers that may mean global memory or LDS") {
    on_every_target("atomics_typed", [](const Module& module) {
        constexpr u32 n = 96;
        const Array<u32> cells(std::vector<u32>(4, 0)), old_values(n);
        const Array<u64> wide(std::vector<u64>(2, 0));
        const Array<float> real(std::vector<float>(2, 0));
        HIP_OK(launch(module.kernel("flat_atomics"), {1}, {n}, 0, nullptr, cells.get(), wide.get(), real.get(), old_values.get()));
        CHECK_EQ(cells.read(), std::vector<u32>{n / 2, n - 2, n / 2, n - 1});
        CHECK_EQ(wide.read(), std::vector<u64>{3 * n / 2, 3 * n / 2});
        CHECK_EQ(real.read(), std::vector<float>{1.5f * n / 2, 1.5f * n / 2});
        auto old = old_values.read();
        std::sort(old.begin(), old.end());
        for (std::size_t i = 0; i < n; ++i) REQUIRE_EQ(old[i], i / 2);
    });
}
