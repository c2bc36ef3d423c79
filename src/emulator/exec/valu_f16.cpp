// Vector operations on 16-bit floats and the mixed-precision multiply-adds. Halves are computed as floats, which hold sums and products
// of halves well enough that one rounding at the end is right.
#include <cmath>
#include <span>

#include "emulator/exec/lanes_float.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

template <auto F, int Sources, bool Accumulate = false>
void float16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, a, b, c, result;
    halves_to_f32(at.f16(0, room), a);
    if constexpr (Sources > 1) halves_to_f32(at.f16(1, room), b);
    if constexpr (Sources > 2) {
        if constexpr (Accumulate) {
            const u32* old = wave.v[inst.dst[0].index];
            const int shift = at.destination_high() ? 16 : 0;
            for (int l = 0; l < kLanes; ++l) room.lane[l] = old[l] >> shift & 0xffffu;
            halves_to_f32(room.lane, c);
        } else {
            halves_to_f32(at.f16(2, room), c);
        }
    }
    for (int l = 0; l < kLanes; ++l) {
        if constexpr (Sources == 1) result.lane[l] = as_u32(F(as_f32(a.lane[l])));
        if constexpr (Sources == 2) result.lane[l] = as_u32(F(as_f32(a.lane[l]), as_f32(b.lane[l])));
        if constexpr (Sources == 3) result.lane[l] = as_u32(F(as_f32(a.lane[l]), as_f32(b.lane[l]), as_f32(c.lane[l])));
    }
    if (has_nan(result)) [[unlikely]] settle_nans(result, a.lane, Sources > 1 ? b.lane : nullptr, Sources > 2 ? c.lane : nullptr);
    finish_f32(wave, inst, result);
    f32_to_halves(result.lane, room);
    at.store16(room);
}

template <Selection S>
void select_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.f16(0, room_a);
    const u32* b = at.f16(1, room_b);
    const u32* c = has_third(S) ? at.f16(2, room_c) : b;
    for (int l = 0; l < kLanes; ++l) result.lane[l] = selected<Format16, S>(a[l], b[l], c[l]);
    if (inst.mod.clamp) {
        halves_to_f32(result.lane, room_a);
        finish_f32(wave, inst, room_a);
        f32_to_halves(room_a.lane, result);
    }
    at.store16(result);
}

float add(float a, float b) { return a + b; }
float sub(float a, float b) { return a - b; }
float subrev(float a, float b) { return b - a; }
float mul(float a, float b) { return a * b; }
float fused(float a, float b, float c) { return fma_of_halves(a, b, c); }
float fraction(float x) {
    const float f = x - std::floor(x);
    return f > 0x1.ffcp-1f ? 0x1.ffcp-1f : f;  // the largest half below one
}

// Mantissa in [0.5, 1) of a half; as a float no half is denormal.
float mantissa(float x) {
    const u32 bits = as_u32(x), magnitude = bits & ~kSign32;
    return magnitude == 0 || magnitude >= 0x7f800000u ? x : as_f32((bits & 0x807fffffu) | 126u << 23);
}

void frexp_exp(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, a, result;
    halves_to_f32(at.f16(0, room), a);
    for (int l = 0; l < kLanes; ++l) {
        const u32 magnitude = a.lane[l] & ~kSign32;
        result.lane[l] = magnitude == 0 || magnitude >= 0x7f800000u ? 0 : (magnitude >> 23) - 126;
    }
    at.store16(result);
}

void ldexp(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_n, a, result;
    halves_to_f32(at.f16(0, room_a), a);
    const u32* n = at.b16(1, room_n);
    u32 nan = 0;
    for (int l = 0; l < kLanes; ++l) {
        const i32 power = static_cast<i16>(n[l]);
        const i32 e = power < -60 ? -60 : power > 60 ? 60 : power;  // exact in a float, and beyond it every half is 0 or infinite
        const float x = as_f32(a.lane[l]) * as_f32(static_cast<u32>(127 + e) << 23);
        result.lane[l] = as_u32(x);
        nan |= x != x ? 1u : 0u;
    }
    if (nan) [[unlikely]] settle_nans(result, a.lane, nullptr, nullptr);
    finish_f32(wave, inst, result);
    f32_to_halves(result.lane, room_a);
    at.store16(room_a);
}

// Source i of a mixed-precision operation: op_sel_hi says that it is a half, op_sel which one.
const u32* mixed(const Access& at, unsigned i, Words& room) {
    const Modifiers& mod = at.inst.mod;
    const Operand& source = at.inst.src[i];
    const u32* p = at.raw(i, room);
    if ((mod.op_sel_hi >> i & 1) != 0 && source.kind != OperandKind::constant) {
        const int shift = (mod.op_sel >> i & 1) != 0 ? 16 : 0;
        Words halves;
        for (int l = 0; l < kLanes; ++l) halves.lane[l] = p[l] >> shift & 0xffffu;
        halves_to_f32(halves.lane, room);
        p = room.lane;
    }
    const bool absolute = source.abs || (mod.neg_hi >> i & 1) != 0, negative = source.neg || (mod.neg_lo >> i & 1) != 0;
    if (!absolute && !negative) return at.flushed(p, room);
    const u32 keep = absolute ? ~kSign32 : ~0u, flip = negative ? kSign32 : 0u;
    for (int l = 0; l < kLanes; ++l) room.lane[l] = (p[l] & keep) ^ flip;
    return at.flushed(room.lane, room);
}

enum class MixResult { whole, low, high };

template <MixResult To>
void fma_mix(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = mixed(at, 0, room_a);
    const u32* b = mixed(at, 1, room_b);
    const u32* c = mixed(at, 2, room_c);
    u32 nan = 0;
    for (int l = 0; l < kLanes; ++l) {
        const float x = std::fma(as_f32(a[l]), as_f32(b[l]), as_f32(c[l]));
        result.lane[l] = as_u32(x);
        nan |= x != x ? 1u : 0u;
    }
    if (nan) [[unlikely]] settle_nans(result, a, b, c);
    finish_f32(wave, inst, result);
    if constexpr (To == MixResult::whole) {
        at.store(result);
    } else {
        Words halves;
        f32_to_halves(result.lane, halves);
        const u32* old = wave.v[inst.dst[0].index];
        for (int l = 0; l < kLanes; ++l) {
            result.lane[l] = To == MixResult::high ? (old[l] & 0xffffu) | halves.lane[l] << 16 : (old[l] & 0xffff0000u) | halves.lane[l];
        }
        at.store(result);
    }
}

constexpr OpInfo row(std::string_view mnemonic, ExecFn exec) { return with_half_result(vector_op(mnemonic, exec, Type::f16)); }

constexpr OpInfo kOps[] = {
    row("v_add_f16", float16<add, 2>),
    row("v_sub_f16", float16<sub, 2>),
    row("v_subrev_f16", float16<subrev, 2>),
    row("v_mul_f16", float16<mul, 2>),
    row("v_fma_f16", float16<fused, 3>),
    row("v_fmaak_f16", float16<fused, 3>),
    row("v_fmamk_f16", float16<fused, 3>),
    with_accumulator(row("v_fmac_f16", float16<fused, 3, true>)),
    row("v_min_f16", select_f16<Selection::min>),
    row("v_max_f16", select_f16<Selection::max>),
    row("v_min3_f16", select_f16<Selection::min3>),
    row("v_max3_f16", select_f16<Selection::max3>),
    row("v_med3_f16", select_f16<Selection::med3>),
    row("v_minmax_f16", select_f16<Selection::minmax>),
    row("v_maxmin_f16", select_f16<Selection::maxmin>),
    row("v_trunc_f16", float16<[](float x) { return std::trunc(x); }, 1>),
    row("v_ceil_f16", float16<[](float x) { return std::ceil(x); }, 1>),
    row("v_floor_f16", float16<[](float x) { return std::floor(x); }, 1>),
    row("v_rndne_f16", float16<[](float x) { return std::nearbyint(x); }, 1>),
    row("v_fract_f16", float16<fraction, 1>),
    row("v_frexp_mant_f16", float16<mantissa, 1>),
    row("v_frexp_exp_i16_f16", frexp_exp),
    with_sources(row("v_ldexp_f16", ldexp), Type::f16, Type::b16),
    with_taint(vector_op("v_fma_mix_f32", fma_mix<MixResult::whole>, Type::f32), Taint::custom, taint_mixed),
    with_taint(with_half_result(vector_op("v_fma_mixlo_f16", fma_mix<MixResult::low>, Type::f32)), Taint::custom, taint_mixed),
    with_taint(with_half_result(vector_op("v_fma_mixhi_f16", fma_mix<MixResult::high>, Type::f32)), Taint::custom, taint_mixed),
};

}  // namespace

std::span<const OpInfo> f16_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
