// The 16-bit element types of tensors: how two floats become one dword of two elements, and how one element becomes a float.
// Portable; an arch header offers pack() again where its instructions do better.
#pragma once

#include "device.h"

namespace flashwave {

struct Half {
    // Rounds to nearest even.
    FLASHWAVE_DEVICE static u32 pack(float low, float high) {
        const f16x2 pair = __builtin_convertvector((f32x2{low, high}), f16x2);
        return __builtin_bit_cast(u32, pair);
    }
    FLASHWAVE_DEVICE static float to_float(u16 bits) { return (float)__builtin_bit_cast(_Float16, bits); }
    FLASHWAVE_DEVICE static u16 from_float(float value) { return __builtin_bit_cast(u16, (_Float16)value); }
};

struct Bfloat {
    // Rounds to nearest, ties away from zero: one add and half a byte permute an element, where ties to even take four
    // instructions.
    // A NaN of the hardware's arithmetic (0x7fc00000 or 0xffc.....) stays a NaN.
    FLASHWAVE_DEVICE static u32 pack(float low, float high) {
        const u32 l = __builtin_bit_cast(u32, low) + 0x8000u, h = __builtin_bit_cast(u32, high) + 0x8000u;
        return __builtin_amdgcn_perm(h, l, 0x07060302u);
    }
    FLASHWAVE_DEVICE static float to_float(u16 bits) { return __builtin_bit_cast(float, (u32)bits << 16); }
    FLASHWAVE_DEVICE static u16 from_float(float value) { return (u16)((__builtin_bit_cast(u32, value) + 0x8000u) >> 16); }
};

}  // namespace flashwave
