// Packed operations (VOP3P): two 16-bit results a lane, each from the half of each source that op_sel (low result) or op_sel_hi (high
// result) picks, with neg_lo and neg_hi likewise.
#include <span>

#include "emulator/exec/lanes_float.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

// The 16 bits of source i that result `half` (0 low, 1 high) reads.
void pick(const Access& at, unsigned i, int half, bool is_float, Words& to) {
    const Modifiers& mod = at.inst.mod;
    Words room;
    const u32* const __restrict p = at.raw(i, room);
    const int shift = ((half == 0 ? mod.op_sel : mod.op_sel_hi) >> i & 1) != 0 ? 16 : 0;
    const u32 flip = is_float && ((half == 0 ? mod.neg_lo : mod.neg_hi) >> i & 1) != 0 ? 0x8000u : 0u;
    for (int l = 0; l < kLanes; ++l) to.lane[l] = (p[l] >> shift & 0xffffu) ^ flip;
}

void combine(const Access& at, const Words& low, const Words& high) {
    Words result;
    for (int l = 0; l < kLanes; ++l) result.lane[l] = (low.lane[l] & 0xffffu) | high.lane[l] << 16;
    at.store(result);
}

template <auto F, int Sources, bool Accumulate = false>
void packed_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words part[2];
    for (int half = 0; half < 2; ++half) {
        Words room, a, b, c, result;
        pick(at, 0, half, true, room);
        halves_to_f32(room.lane, a);
        pick(at, 1, half, true, room);
        halves_to_f32(room.lane, b);
        if constexpr (Accumulate) {
            const u32* old = wave.v[inst.dst[0].index];
            for (int l = 0; l < kLanes; ++l) room.lane[l] = old[l] >> (16 * half) & 0xffffu;
            halves_to_f32(room.lane, c);
        } else if constexpr (Sources == 3) {
            pick(at, 2, half, true, room);
            halves_to_f32(room.lane, c);
        }
        for (int l = 0; l < kLanes; ++l) {
            if constexpr (Sources == 2) result.lane[l] = as_u32(F(as_f32(a.lane[l]), as_f32(b.lane[l])));
            if constexpr (Sources == 3) result.lane[l] = as_u32(F(as_f32(a.lane[l]), as_f32(b.lane[l]), as_f32(c.lane[l])));
        }
        if (has_nan(result)) [[unlikely]] settle_nans(result, a.lane, b.lane, Sources == 3 ? c.lane : nullptr);
        finish_f32(wave, inst, result);
        f32_to_halves(result.lane, part[half]);
    }
    combine(at, part[0], part[1]);
}

template <Selection S>
void packed_select(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words part[2];
    for (int half = 0; half < 2; ++half) {
        Words a, b;
        pick(at, 0, half, true, a);
        pick(at, 1, half, true, b);
        for (int l = 0; l < kLanes; ++l) part[half].lane[l] = selected<Format16, S>(a.lane[l], b.lane[l], b.lane[l]);
        if (inst.mod.clamp) {
            halves_to_f32(part[half].lane, a);
            finish_f32(wave, inst, a);
            f32_to_halves(a.lane, part[half]);
        }
    }
    combine(at, part[0], part[1]);
}

// F takes three 16-bit patterns and whether to saturate.
template <auto F, int Sources>
void packed_int(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words part[2];
    for (int half = 0; half < 2; ++half) {
        Words a, b, c;
        pick(at, 0, half, false, a);
        pick(at, 1, half, false, b);
        if constexpr (Sources == 3) pick(at, 2, half, false, c);
        const bool saturate = inst.mod.clamp;
        for (int l = 0; l < kLanes; ++l) {
            if constexpr (Sources == 3) part[half].lane[l] = F(a.lane[l], b.lane[l], c.lane[l], saturate);
            if constexpr (Sources == 2) part[half].lane[l] = F(a.lane[l], b.lane[l], saturate);
        }
    }
    combine(at, part[0], part[1]);
}

i32 s(u32 x) { return static_cast<i16>(x); }
u32 signed_result(i32 x, bool saturate) {
    if (saturate) x = x > 32767 ? 32767 : x < -32768 ? -32768 : x;
    return static_cast<u32>(x);
}
u32 unsigned_result(i64 x, bool saturate) {
    if (saturate) x = x > 0xffff ? 0xffff : x < 0 ? 0 : x;
    return static_cast<u32>(x);
}

constexpr OpInfo floats(std::string_view mnemonic, ExecFn exec) { return with_taint(vector_op(mnemonic, exec, Type::pkf16), Taint::custom, taint_packed); }
constexpr OpInfo ints(std::string_view mnemonic, ExecFn exec) { return with_taint(vector_op(mnemonic, exec, Type::pk16), Taint::custom, taint_packed); }

constexpr OpInfo kOps[] = {
    floats("v_pk_add_f16", packed_f16<[](float a, float b) { return a + b; }, 2>),
    floats("v_pk_mul_f16", packed_f16<[](float a, float b) { return a * b; }, 2>),
    floats("v_pk_fma_f16", packed_f16<fma_of_halves, 3>),
    with_accumulator(floats("v_pk_fmac_f16", packed_f16<fma_of_halves, 3, true>)),
    floats("v_pk_min_f16", packed_select<Selection::min>),
    floats("v_pk_max_f16", packed_select<Selection::max>),
    ints("v_pk_mad_i16", packed_int<[](u32 a, u32 b, u32 c, bool sat) { return signed_result(s(a) * s(b) + s(c), sat); }, 3>),
    ints("v_pk_mad_u16", packed_int<[](u32 a, u32 b, u32 c, bool sat) { return unsigned_result(static_cast<i64>(a) * b + c, sat); }, 3>),
    ints("v_pk_mul_lo_u16", packed_int<[](u32 a, u32 b, bool) { return a * b; }, 2>),
    ints("v_pk_add_i16", packed_int<[](u32 a, u32 b, bool sat) { return signed_result(s(a) + s(b), sat); }, 2>),
    ints("v_pk_sub_i16", packed_int<[](u32 a, u32 b, bool sat) { return signed_result(s(a) - s(b), sat); }, 2>),
    ints("v_pk_add_u16", packed_int<[](u32 a, u32 b, bool sat) { return unsigned_result(static_cast<i64>(a) + b, sat); }, 2>),
    ints("v_pk_sub_u16", packed_int<[](u32 a, u32 b, bool sat) { return unsigned_result(static_cast<i64>(a) - b, sat); }, 2>),
    ints("v_pk_lshlrev_b16", packed_int<[](u32 a, u32 b, bool) { return b << (a & 15); }, 2>),
    ints("v_pk_lshrrev_b16", packed_int<[](u32 a, u32 b, bool) { return (b >> (a & 15)); }, 2>),
    ints("v_pk_ashrrev_i16", packed_int<[](u32 a, u32 b, bool) { return static_cast<u32>((s(b) >> (a & 15))); }, 2>),
    ints("v_pk_max_i16", packed_int<[](u32 a, u32 b, bool) { return (s(a) < s(b)) ? b : a; }, 2>),
    ints("v_pk_min_i16", packed_int<[](u32 a, u32 b, bool) { return (s(a) < s(b)) ? a : b; }, 2>),
    ints("v_pk_max_u16", packed_int<[](u32 a, u32 b, bool) { return (a < b) ? b : a; }, 2>),
    ints("v_pk_min_u16", packed_int<[](u32 a, u32 b, bool) { return (a < b) ? a : b; }, 2>),
};

}  // namespace

std::span<const OpInfo> packed_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
