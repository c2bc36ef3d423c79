// Matrix arithmetic of gfx11 (RDNA 3 and 3.5): V_WMMA_F32_16X16X16_{F16,BF16} in wave32.
//
// Lane maps, from the "WMMA" tables of the RDNA 3 ISA guide, lane = 16 * half + column:
//   A (16 rows, 16 k)   row i in lanes i and i + 16 (both hold the same), k = 2v and 2v + 1 in register v
//   B (16 k, 16 cols)   column j in lanes j and j + 16 (both hold the same), k = 2v and 2v + 1 in register v
//   D (16 rows, 16 cols) row 2r + half, column j in register r
// The rows of A are handed over in the order of permuted_row(), so that lane half h gets rows 8h ... 8h + 7 of D, neighbours in
// memory order, in registers 0 ... 7: eight scores become half an operand, and eight outputs one 16-byte store.
#pragma once

#include "dtype.h"

namespace flashwave::arch {

inline constexpr int kTile = 16;     // rows, columns and depth of one product
inline constexpr int kAccRows = 8;   // rows of a tile that one lane accumulates, neighbours

using Fragment = u32x8;      // one lane's part of A or B: 16 elements along k
using Accumulator = f32x8;   // one lane's part of D

struct Lane {
    int column;  // of B and D, row of A
    int half;    // which kAccRows rows of D
};
FLASHWAVE_DEVICE Lane lane() {
    const int index = thread_index() % 32;
    return {.column = index % 16, .half = index / 16};
}

// Where row i of a 16-row group is put so that D comes out as said above.
FLASHWAVE_DEVICE constexpr u32 permuted_row(u32 i) { return (i & ~15u) | (i & 7) << 1 | (i >> 3 & 1); }

// From the elements k = 0 ... 7 and 8 ... 15.
FLASHWAVE_DEVICE Fragment fragment(u32x4 low, u32x4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }

// A * B + C. D may be C of the next product without a wait.
template <class T>
FLASHWAVE_DEVICE Accumulator mma(Fragment a, Fragment b, Accumulator c);
template <>
FLASHWAVE_DEVICE Accumulator mma<Half>(Fragment a, Fragment b, Accumulator c) {
    using Operand = Vector<_Float16, 16>;
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(__builtin_bit_cast(Operand, a), __builtin_bit_cast(Operand, b), c);
}
template <>
FLASHWAVE_DEVICE Accumulator mma<Bfloat>(Fragment a, Fragment b, Accumulator c) {
    using Operand = Vector<short, 16>;
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(__builtin_bit_cast(Operand, a), __builtin_bit_cast(Operand, b), c);
}

// A * B. The instruction takes an inline 0 for C, but hiprtc 6.4 keeps eight registers of zeros instead, which the larger
// geometries do not have. D must not become A or B of the next product: the wait state which that needs is the compiler's
// to insert, and it does not look into assembly.
template <class T>
FLASHWAVE_DEVICE Accumulator mma(Fragment a, Fragment b);
template <>
FLASHWAVE_DEVICE Accumulator mma<Half>(Fragment a, Fragment b) {
    Accumulator d;
    asm("v_wmma_f32_16x16x16_f16 %0, %1, %2, 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}
template <>
FLASHWAVE_DEVICE Accumulator mma<Bfloat>(Fragment a, Fragment b) {
    Accumulator d;
    asm("v_wmma_f32_16x16x16_bf16 %0, %1, %2, 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}

// The value of the lane with the same column in the other half. Fetch-inactive and bound-control are set although every lane is
// active: without them hiprtc 6.4 adds a move a call.
FLASHWAVE_DEVICE u32 other_half(u32 value) {
    return __builtin_amdgcn_permlanex16(0u, value, 0x76543210u, 0xfedcba98u, true, true);
}
FLASHWAVE_DEVICE float other_half(float value) {
    return __builtin_bit_cast(float, other_half(__builtin_bit_cast(u32, value)));
}

// Over the 16 rows of D that a column has, when each lane has dealt with its own.
FLASHWAVE_DEVICE float column_max(float value) { return max(value, other_half(value)); }
FLASHWAVE_DEVICE float column_sum(float value) { return value + other_half(value); }

// One column of D, rounded to elements and packed by two rows (own[p] = rows 8 half + 2p and the next), as a column of B.
FLASHWAVE_DEVICE Fragment column_operand(const u32 (&own)[4], int half) {
    Fragment b;
    FLASHWAVE_UNROLL for (int p = 0; p < 4; ++p) {
        const u32 other = other_half(own[p]);
        b[p] = half ? other : own[p];
        b[p + 4] = half ? own[p] : other;
    }
    return b;
}

// True in every lane of the wave where it is true in one.
FLASHWAVE_DEVICE bool any_lane(bool value) { return __builtin_amdgcn_ballot_w32(value) != 0; }

}  // namespace flashwave::arch
