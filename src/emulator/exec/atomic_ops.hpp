// What the atomic operations of memory and LDS compute: (old value, operand) -> new value.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
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

enum class AtomicForm { update, compare, compare_float };

/// One atomic operation of the host on global memory, where work-groups run on several threads. Returns the old value. The forms that
/// compare store `value` if the old one is `expected`; as floats, zeros of both signs are equal and NaNs are not.
template <class Word, Word (*op)(Word, Word), AtomicForm form>
Word update_memory(std::byte* at, Word value, Word expected) {
    std::atomic_ref<Word> target(*reinterpret_cast<Word*>(at));
    if constexpr (form == AtomicForm::compare) {
        target.compare_exchange_strong(expected, value);
        return expected;
    }
    Word old = target.load();
    if constexpr (form == AtomicForm::compare_float) {
        using Float = FloatOf<Word>;
        while (std::bit_cast<Float>(old) == std::bit_cast<Float>(expected) && !target.compare_exchange_weak(old, value)) {}
    } else {
        while (!target.compare_exchange_weak(old, op(old, value))) {}
    }
    return old;
}

}  // namespace hipemu

/// The atomic operations that global_*, flat_* and buffer_* share: ROW(name, Word, op, AtomicForm).
#define HIPEMU_MEMORY_ATOMICS(ROW) \
    ROW("swap_b32", std::uint32_t, atomic_swap<std::uint32_t>, update),  \
    ROW("cmpswap_b32", std::uint32_t, atomic_swap<std::uint32_t>, compare),  \
    ROW("add_u32", std::uint32_t, atomic_add<std::uint32_t>, update),  \
    ROW("sub_u32", std::uint32_t, atomic_sub<std::uint32_t>, update),  \
    ROW("min_i32", std::uint32_t, atomic_min_signed<std::uint32_t>, update),  \
    ROW("max_i32", std::uint32_t, atomic_max_signed<std::uint32_t>, update),  \
    ROW("min_u32", std::uint32_t, atomic_min<std::uint32_t>, update),  \
    ROW("max_u32", std::uint32_t, atomic_max<std::uint32_t>, update),  \
    ROW("and_b32", std::uint32_t, atomic_and<std::uint32_t>, update),  \
    ROW("or_b32", std::uint32_t, atomic_or<std::uint32_t>, update),  \
    ROW("xor_b32", std::uint32_t, atomic_xor<std::uint32_t>, update),  \
    ROW("inc_u32", std::uint32_t, atomic_inc<std::uint32_t>, update),  \
    ROW("dec_u32", std::uint32_t, atomic_dec<std::uint32_t>, update),  \
    ROW("swap_b64", std::uint64_t, atomic_swap<std::uint64_t>, update),  \
    ROW("cmpswap_b64", std::uint64_t, atomic_swap<std::uint64_t>, compare),  \
    ROW("add_u64", std::uint64_t, atomic_add<std::uint64_t>, update),  \
    ROW("sub_u64", std::uint64_t, atomic_sub<std::uint64_t>, update),  \
    ROW("min_i64", std::uint64_t, atomic_min_signed<std::uint64_t>, update),  \
    ROW("max_i64", std::uint64_t, atomic_max_signed<std::uint64_t>, update),  \
    ROW("min_u64", std::uint64_t, atomic_min<std::uint64_t>, update),  \
    ROW("max_u64", std::uint64_t, atomic_max<std::uint64_t>, update),  \
    ROW("and_b64", std::uint64_t, atomic_and<std::uint64_t>, update),  \
    ROW("or_b64", std::uint64_t, atomic_or<std::uint64_t>, update),  \
    ROW("xor_b64", std::uint64_t, atomic_xor<std::uint64_t>, update),  \
    ROW("inc_u64", std::uint64_t, atomic_inc<std::uint64_t>, update),  \
    ROW("dec_u64", std::uint64_t, atomic_dec<std::uint64_t>, update),  \
    ROW("cmpswap_f32", std::uint32_t, atomic_swap<std::uint32_t>, compare_float),  \
    ROW("add_f32", std::uint32_t, atomic_add_f32, update),  \
    ROW("min_f32", std::uint32_t, atomic_min_f32, update),  \
    ROW("max_f32", std::uint32_t, atomic_max_f32, update)
