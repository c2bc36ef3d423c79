// Vector operations on 32-bit floats except transcendentals and conversions. Rounding is to nearest even, denormals are as MODE says.
#include <cmath>
#include <limits>
#include <span>

#include "emulator/exec/lanes_float.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

// Minimum and maximum where no lane has a NaN, in a form that vectorises: equal values are equal bits or two zeros, of which `or` has
// the negative and `and` the positive one.
struct Numbers {
    static u32 min(u32 a, u32 b) {
        const float x = as_f32(a), y = as_f32(b), less = (x < y) ? x : y;
        return (x == y) ? (a | b) : as_u32(less);
    }
    static u32 max(u32 a, u32 b) {
        const float x = as_f32(a), y = as_f32(b), more = (x > y) ? x : y;
        return (x == y) ? (a & b) : as_u32(more);
    }
    static bool is_nan(u32) { return false; }
    static bool equal(u32 a, u32 b) { return as_f32(a) == as_f32(b); }
};

template <Selection S>
void select_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* const __restrict a = at.f32(0, room_a);
    const u32* const __restrict b = at.f32(1, room_b);
    const u32* const __restrict c = has_third(S) ? at.f32(2, room_c) : b;
    u32 nan = 0;
    for (int l = 0; l < kLanes; ++l) {
        result.lane[l] = selected<Numbers, S>(a[l], b[l], c[l]);
        const float x = as_f32(a[l]), y = as_f32(b[l]), z = as_f32(c[l]);
        nan |= ((x != x) | (y != y) | (z != z)) ? 1u : 0u;
    }
    if (nan) [[unlikely]] {
        for (int l = 0; l < kLanes; ++l) result.lane[l] = selected<Format32, S>(a[l], b[l], c[l]);
    }
    finish_f32(wave, inst, result);
    at.store(result);
}

float add(float a, float b) { return a + b; }
float sub(float a, float b) { return a - b; }
float subrev(float a, float b) { return b - a; }
float mul(float a, float b) { return a * b; }
float fused(float a, float b, float c) { return std::fma(a, b, c); }
// The rules of old shader models: zero times anything is zero.
float mul_dx9(float a, float b) { return a == 0.0f || b == 0.0f ? 0.0f : a * b; }
float fused_dx9(float a, float b, float c) { return a == 0.0f || b == 0.0f ? c : std::fma(a, b, c); }

float mullit(float a, float b, float c) {
    constexpr float kLowest = -std::numeric_limits<float>::max();
    return !(b > kLowest) || !(c > 0.0f) ? kLowest : a * b;
}

// The fraction stays below one, also for the smallest negative numbers.
float fraction(float x) {
    const float f = x - std::floor(x);
    return f >= 1.0f ? 0x1.fffffep-1f : f;
}

// x * 2^n with one rounding: exact in double, whose exponent has room for every float times every power that matters.
float scaled(float x, i32 n) {
    const i32 e = n < -400 ? -400 : n > 400 ? 400 : n;
    const double power = as_f64(static_cast<u64>(1023 + e) << 52);
    return static_cast<float>(static_cast<double>(x) * power);
}

void ldexp(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* const __restrict a = at.f32(0, room_a);
    const u32* const __restrict n = at.raw(1, room_b);
    u32 nan = 0;
    for (int l = 0; l < kLanes; ++l) {
        const float x = scaled(as_f32(a[l]), static_cast<i32>(n[l]));
        result.lane[l] = as_u32(x);
        nan |= x != x ? 1u : 0u;
    }
    if (nan) [[unlikely]] settle_nans(result, a, nullptr, nullptr);
    finish_f32(wave, inst, result);
    at.store(result);
}

// Mantissa in [0.5, 1) and its exponent; zero, infinities and NaNs stay and have exponent 0.
u32 mantissa(u32 x) {
    const u32 magnitude = x & ~kSign32;
    if (magnitude == 0 || magnitude >= 0x7f800000u) return x;
    const u32 normal = magnitude >= 0x00800000u ? magnitude : as_u32(as_f32(magnitude) * 0x1p24f);
    return (x & kSign32) | (normal & 0x7fffffu) | 126u << 23;
}
u32 exponent(u32 x) {
    const u32 magnitude = x & ~kSign32;
    if (magnitude == 0 || magnitude >= 0x7f800000u) return 0;
    if (magnitude >= 0x00800000u) return (magnitude >> 23) - 126;
    return (as_u32(as_f32(magnitude) * 0x1p24f) >> 23) - 126 - 24;
}

void frexp_mant(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* const __restrict a = at.f32(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = is_nan32(a[l]) ? a[l] | 0x400000u : mantissa(a[l]);
    finish_f32(wave, inst, result);
    at.store(result);
}

void frexp_exp(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* const __restrict a = at.f32(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = exponent(a[l]);
    at.store(result);
}

// Cube maps: the face that a direction meets, the coordinates on it and twice its major axis.
bool z_major(float x, float y, float z) { return std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y); }
bool y_major(float x, float y) { return std::fabs(y) >= std::fabs(x); }
float cube_face(float x, float y, float z) {
    if (z_major(x, y, z)) return z < 0.0f ? 5.0f : 4.0f;
    if (y_major(x, y)) return y < 0.0f ? 3.0f : 2.0f;
    return x < 0.0f ? 1.0f : 0.0f;
}
float cube_s(float x, float y, float z) {
    if (z_major(x, y, z)) return z < 0.0f ? -x : x;
    if (y_major(x, y)) return x;
    return x < 0.0f ? z : -z;
}
float cube_t(float x, float y, float z) {
    if (z_major(x, y, z)) return -y;
    if (y_major(x, y)) return y < 0.0f ? -z : z;
    return -y;
}
float cube_axis(float x, float y, float z) { return 2.0f * (z_major(x, y, z) ? z : y_major(x, y) ? y : x); }

constexpr OpInfo row(std::string_view mnemonic, ExecFn exec) { return vector_op(mnemonic, exec, Type::f32); }

constexpr OpInfo kOps[] = {
    row("v_add_f32", binary_f32<add>),
    row("v_sub_f32", binary_f32<sub>),
    row("v_subrev_f32", binary_f32<subrev>),
    row("v_mul_f32", binary_f32<mul>),
    row("v_fma_f32", ternary_f32<fused>),
    row("v_fmaak_f32", ternary_f32<fused>),
    row("v_fmamk_f32", ternary_f32<fused>),
    with_accumulator(row("v_fmac_f32", ternary_f32<fused, true>)),
    row("v_mul_dx9_zero_f32", binary_f32<mul_dx9>),
    row("v_fma_dx9_zero_f32", ternary_f32<fused_dx9>),
    with_accumulator(row("v_fmac_dx9_zero_f32", ternary_f32<fused_dx9, true>)),
    row("v_mullit_f32", ternary_f32<mullit>),
    row("v_min_f32", select_f32<Selection::min>),
    row("v_max_f32", select_f32<Selection::max>),
    row("v_min3_f32", select_f32<Selection::min3>),
    row("v_max3_f32", select_f32<Selection::max3>),
    row("v_med3_f32", select_f32<Selection::med3>),
    row("v_minmax_f32", select_f32<Selection::minmax>),
    row("v_maxmin_f32", select_f32<Selection::maxmin>),
    row("v_trunc_f32", unary_f32<[](float x) { return std::trunc(x); }>),
    row("v_ceil_f32", unary_f32<[](float x) { return std::ceil(x); }>),
    row("v_floor_f32", unary_f32<[](float x) { return std::floor(x); }>),
    row("v_rndne_f32", unary_f32<[](float x) { return std::nearbyint(x); }>),
    row("v_fract_f32", unary_f32<fraction>),
    with_sources(row("v_ldexp_f32", ldexp), Type::f32, Type::b32),
    row("v_frexp_mant_f32", frexp_mant),
    row("v_frexp_exp_i32_f32", frexp_exp),
    row("v_cubeid_f32", ternary_f32<cube_face>),
    row("v_cubesc_f32", ternary_f32<cube_s>),
    row("v_cubetc_f32", ternary_f32<cube_t>),
    row("v_cubema_f32", ternary_f32<cube_axis>),
};

}  // namespace

std::span<const OpInfo> f32_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
