// Loops shared by the float operations: apply a function to every lane, settle NaNs, clamp, store.
#pragma once

#include "emulator/exec/lanes.hpp"

namespace hipemu::HIPEMU_LANES {

inline bool has_nan(const Words& values) {
    u32 nan = 0;
    for (int l = 0; l < kLanes; ++l) nan |= as_f32(values.lane[l]) != as_f32(values.lane[l]) ? 1u : 0u;
    return nan != 0;
}

template <auto F>
void unary_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* const __restrict a = at.f32(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u32(F(as_f32(a[l])));
    if (has_nan(result)) [[unlikely]] settle_nans(result, a, nullptr, nullptr);
    finish_f32(wave, inst, result);
    at.store(result);
}

template <auto F>
void binary_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* const __restrict a = at.f32(0, room_a);
    const u32* const __restrict b = at.f32(1, room_b);
    u32 nan = 0;
    for (int l = 0; l < kLanes; ++l) {
        const float x = F(as_f32(a[l]), as_f32(b[l]));
        result.lane[l] = as_u32(x);
        nan |= x != x ? 1u : 0u;
    }
    if (nan) [[unlikely]] settle_nans(result, a, b, nullptr);
    finish_f32(wave, inst, result);
    at.store(result);
}

/// Accumulate: the third operand is the destination.
template <auto F, bool Accumulate = false>
void ternary_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* const __restrict a = at.f32(0, room_a);
    const u32* const __restrict b = at.f32(1, room_b);
    const u32* const __restrict c = Accumulate ? at.accumulator(room_c) : at.f32(2, room_c);
    u32 nan = 0;
    for (int l = 0; l < kLanes; ++l) {
        const float x = F(as_f32(a[l]), as_f32(b[l]), as_f32(c[l]));
        result.lane[l] = as_u32(x);
        nan |= x != x ? 1u : 0u;
    }
    if (nan) [[unlikely]] settle_nans(result, a, b, c);
    finish_f32(wave, inst, result);
    at.store(result);
}

inline void clamp_f64(const Inst& inst, Longs& result) {
    if (!inst.mod.clamp) [[likely]] return;
    for (int l = 0; l < kLanes; ++l) {
        const double x = as_f64(result.lane[l]);
        result.lane[l] = x > 0.0 ? (x < 1.0 ? result.lane[l] : 0x3ff0000000000000ull) : 0ull;
    }
}

template <auto F, int Sources, bool Accumulate = false>
void float64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a, room_b, room_c, result;
    const u64* a = at.f64(0, room_a);
    const u64* b = Sources > 1 ? at.f64(1, room_b) : nullptr;
    const u64* c = Sources > 2 ? at.f64(2, room_c) : nullptr;
    u64 nan = 0;
    for (int l = 0; l < kLanes; ++l) {
        double x;
        if constexpr (Sources == 1) x = F(as_f64(a[l]));
        if constexpr (Sources == 2) x = F(as_f64(a[l]), as_f64(b[l]));
        if constexpr (Sources == 3) x = F(as_f64(a[l]), as_f64(b[l]), as_f64(c[l]));
        result.lane[l] = as_u64(x);
        nan |= x != x ? 1u : 0u;
    }
    if (nan) [[unlikely]] settle_nans(result, a, b, c);
    clamp_f64(inst, result);
    at.store(result);
}

/// The bits of a float format, for what works on patterns: NaN tests, order, minimum and maximum as IEEE mode has them.
template <class Bits, Bits SignBit, Bits Infinity, Bits QuietBit>
struct FloatFormat {
    using Word = Bits;
    static constexpr Bits kSign = SignBit, kInfinity = Infinity, kQuiet = QuietBit;
    static bool is_nan(Bits x) { return (x & (kSign - 1)) > kInfinity; }
    static bool is_signalling(Bits x) { return is_nan(x) && (x & kQuiet) == 0; }
    /// Order of numbers with -0 below +0, by comparing as integers.
    static bool less(Bits a, Bits b) {
        const bool sign_a = (a & kSign) != 0, sign_b = (b & kSign) != 0;
        if (sign_a != sign_b) return sign_a;
        return sign_a ? b < a : a < b;
    }
    static bool equal(Bits a, Bits b) { return !is_nan(a) && !is_nan(b) && (a == b || ((a | b) & (kSign - 1)) == 0); }
    template <bool Maximum>
    static Bits choose(Bits a, Bits b) {
        if (is_signalling(a)) return a | kQuiet;
        if (is_signalling(b)) return b | kQuiet;
        if (is_nan(b)) return a;
        if (is_nan(a)) return b;
        return less(a, b) == Maximum ? b : a;
    }
    static Bits min(Bits a, Bits b) { return choose<false>(a, b); }
    static Bits max(Bits a, Bits b) { return choose<true>(a, b); }
};
using Format16 = FloatFormat<u32, 0x8000u, 0x7c00u, 0x200u>;
using Format32 = FloatFormat<u32, 0x80000000u, 0x7f800000u, 0x400000u>;
using Format64 = FloatFormat<u64, 1ull << 63, 0x7ff0000000000000ull, 0x0008000000000000ull>;

/// The selections that instructions make of two or three values; M gives min, max, equal and is_nan.
template <class M, class Bits>
Bits median(Bits a, Bits b, Bits c) {
    if (M::is_nan(a) || M::is_nan(b) || M::is_nan(c)) return M::min(M::min(a, b), c);
    const Bits most = M::max(M::max(a, b), c);
    if (M::equal(most, a)) return M::max(b, c);
    if (M::equal(most, b)) return M::max(a, c);
    return M::max(a, b);
}

enum class Selection { min, max, min3, max3, med3, minmax, maxmin };

template <class M, Selection S, class Bits>
Bits selected(Bits a, Bits b, Bits c) {
    switch (S) {
        case Selection::min: return M::min(a, b);
        case Selection::max: return M::max(a, b);
        case Selection::min3: return M::min(M::min(a, b), c);
        case Selection::max3: return M::max(M::max(a, b), c);
        case Selection::med3: return median<M>(a, b, c);
        case Selection::minmax: return M::max(M::min(a, b), c);
        case Selection::maxmin: return M::min(M::max(a, b), c);
    }
    return a;
}

constexpr bool has_third(Selection s) { return s != Selection::min && s != Selection::max; }

}  // namespace hipemu::HIPEMU_LANES
