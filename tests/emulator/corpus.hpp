// The corpus: HIP kernels as users write them, in corpus/*.hip, compiled for every target at both ends of the optimiser, run on a card of the
// target and compared with values computed on the host. Every failure ends the test case. One thread.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "emulator/hip_program.hpp"

namespace hip_test {

/// One object of the corpus.
struct Variant {
    std::string target;  // "gfx1151"
    std::string level;   // "-O0"
};

/// gfx1100 and gfx1151 at both levels and the other targets at -O3; with FLASHWAVE_LONG_TESTS=1 all targets at both levels.
const std::vector<Variant>& variants();

/// Runs `check(module)` for corpus/<name>.hip in every variant, with a device of the variant's target current. Every object is looked
/// through before: an instruction without semantics is a failure that names it.
void on_every_target(const std::string& name, const std::function<void(const Module&)>& check);

/// The mnemonics met so far, by target.
const std::map<std::string, std::set<std::string>>& mnemonics_met();

template <class T>
std::vector<T> random_values(std::size_t count, T low, T high, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) value = std::uniform_real_distribution<T>(low, high)(random);
        else if constexpr (sizeof(T) == 1) value = static_cast<T>(std::uniform_int_distribution<int>(low, high)(random));
        else value = std::uniform_int_distribution<T>(low, high)(random);
    }
    return values;
}

/// How far `got` is from the exact value, in units of the last place of T there.
template <class T>
double ulps(T got, long double exact) {
    const T nearest = static_cast<T>(exact);
    if (got == nearest || (got != got && exact != exact)) return 0;
    if (std::isinf(nearest) || std::isinf(got) || got != got || exact != exact) return std::numeric_limits<double>::infinity();
    const int exponent = std::max(nearest == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(nearest) + 1, std::numeric_limits<T>::min_exponent);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

}  // namespace hip_test
