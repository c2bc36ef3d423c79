// What the atomic operations of memory and LDS compute: (old value, operand) -> new value.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace hipemu {

template <class Word>
Word atomic_swap(Word, Word value) { return value; }
template <class Word>
Word atomic_add(Word old, Word value) { return old + value; }
template <class Word>
Word atomic_sub(Word old, Word value) { return old - value; }
template <class Word>
Word atomic_rsub(Word old, Word value) { return value - old; }
template <class Word>
Word atomic_min(Word old, Word value) { return value < old ? value : old; }
template <class Word>
Word atomic_max(Word old, Word value) { return value > old ? value : old; }
template <class Word>
Word atomic_min_signed(Word old, Word value) {
    using Signed = std::make_signed_t<Word>;
    return static_cast<Signed>(value) < static_cast<Signed>(old) ? value : old;
}
template <class Word>
Word atomic_max_signed(Word old, Word value) {
    using Signed = std::make_signed_t<Word>;
    return static_cast<Signed>(value) > static_cast<Signed>(old) ? value : old;
}
template <class Word>
Word atomic_and(Word old, Word value) { return old & value; }
template <class Word>
Word atomic_or(Word old, Word value) { return old | value; }
template <class Word>
Word atomic_xor(Word old, Word value) { return old ^ value; }
template <class Word>
Word atomic_inc(Word old, Word value) { return old >= value ? 0 : old + 1; }
template <class Word>
Word atomic_dec(Word old, Word value) { return old == 0 || old > value ? value : old - 1; }

/// Subtracts unless that would go below zero.
inline std::uint32_t atomic_csub(std::uint32_t old, std::uint32_t value) { return old < value ? 0 : old - value; }

template <class Word>
using FloatOf = std::conditional_t<sizeof(Word) == 4, float, double>;

template <class Word>
Word atomic_add_float(Word old, Word value) {
    return std::bit_cast<Word>(std::bit_cast<FloatOf<Word>>(old) + std::bit_cast<FloatOf<Word>>(value));
}

/// A NaN loses against a number; of two zeros the minimum is the negative one.
template <class Word, bool maximum>
Word atomic_extreme_float(Word old, Word value) {
    const auto a = std::bit_cast<FloatOf<Word>>(old), b = std::bit_cast<FloatOf<Word>>(value);
    if (a != a) return value;
    if (b != b) return old;
    if (a == b) return maximum ? old & value : old | value;
    return (a < b) != maximum ? old : value;
}

inline std::uint32_t atomic_add_f32(std::uint32_t old, std::uint32_t value) { return atomic_add_float(old, value); }
inline std::uint32_t atomic_min_f32(std::uint32_t old, std::uint32_t value) { return atomic_extreme_float<std::uint32_t, false>(old, value); }
inline std::uint32_t atomic_max_f32(std::uint32_t old, std::uint32_t value) { return atomic_extreme_float<std::uint32_t, true>(old, value); }

}  // namespace hipemu
