// Dot products of small packed numbers: two halves or bfloat16s, four bytes, eight nibbles.
#include <algorithm>
#include <span>

#include "emulator/exec/lanes_dot2.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

// Element `element` (0, 1) of a packed source. Packed encodings pick the half by op_sel and op_sel_hi, and negate by neg_lo and neg_hi.
template <bool Bfloat>
void element(const Access& at, unsigned i, int which, Words& to) {
    const Modifiers& mod = at.inst.mod;
    Words room;
    const u32* p = at.raw(i, room);
    const bool high = ((which == 0 ? mod.op_sel : mod.op_sel_hi) >> i & 1) != 0;
    const bool negative = ((which == 0 ? mod.neg_lo : mod.neg_hi) >> i & 1) != 0;
    Words bits;
    for (int l = 0; l < kLanes; ++l) bits.lane[l] = (p[l] >> (high ? 16 : 0) & 0xffffu) ^ (negative ? 0x8000u : 0u);
    if (Bfloat) {
        for (int l = 0; l < kLanes; ++l) {
            const bool denormal = (bits.lane[l] & 0x7f80u) == 0;
            to.lane[l] = bf16_to_f32(denormal ? bits.lane[l] & 0x8000u : bits.lane[l]);
        }
    } else {
        halves_to_f32(bits.lane, to);
    }
}

template <bool Bfloat, bool Accumulate>
void dot2_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, a0, a1, b0, b1, result;
    element<Bfloat>(at, 0, 0, a0);
    element<Bfloat>(at, 0, 1, a1);
    element<Bfloat>(at, 1, 0, b0);
    element<Bfloat>(at, 1, 1, b1);
    const u32* c = Accumulate ? at.accumulator(room) : at.f32(2, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = dot2(c[l], a0.lane[l], b0.lane[l], a1.lane[l], b1.lane[l]);
    finish_f32(wave, inst, result);
    at.store(result);
}

// The forms with a 16-bit accumulator are VOP3: both elements of src0 and src1 are read, op_sel picks the half of src2 and of the result.
template <bool Bfloat>
void dot2_half(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.raw(0, room_a);
    const u32* b = at.raw(1, room_b);
    const u32* addend = at.raw(2, room_c);
    const Operand *sa = &inst.src[0], *sb = &inst.src[1], *sc = &inst.src[2];
    const auto factor = [](u32 bits, const Operand& source) {
        const u32 x = ((source.abs ? bits & 0x7fffu : bits & 0xffffu) ^ (source.neg ? 0x8000u : 0u));
        return Bfloat ? bf16_to_f32((x & 0x7f80u) == 0 ? x & 0x8000u : x) : half_to_f32(x);
    };
    const int shift = (inst.mod.op_sel >> 2 & 1) != 0 ? 16 : 0;
    for (int l = 0; l < kLanes; ++l) {
        const u32 sum = dot2(factor(addend[l] >> shift, *sc), factor(a[l], *sa), factor(b[l], *sb), factor(a[l] >> 16, *sa), factor(b[l] >> 16, *sb));
        result.lane[l] = Bfloat ? f32_to_bf16(sum) : f32_to_half(sum);
    }
    at.store16(result);
}

// Bits of width Width; signedness of each side by neg_lo.
template <int Width, bool Mixed>
void dot_int(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.raw(0, room_a);
    const u32* b = at.raw(1, room_b);
    const u32* c = at.raw(2, room_c);
    const bool signed_a = Mixed && (inst.mod.neg_lo & 1) != 0, signed_b = Mixed && (inst.mod.neg_lo & 2) != 0;
    const auto field = [](u32 x, int i, bool is_signed) {
        const u32 top = x << (32 - Width - Width * i);
        return is_signed ? static_cast<i32>(top) >> (32 - Width) : static_cast<i32>(top >> (32 - Width));
    };
    for (int l = 0; l < kLanes; ++l) {
        i64 sum = Mixed ? static_cast<i64>(static_cast<i32>(c[l])) : static_cast<i64>(c[l]);
        for (int i = 0; i < 32 / Width; ++i) sum += static_cast<i64>(field(a[l], i, signed_a)) * field(b[l], i, signed_b);
        if (inst.mod.clamp) sum = Mixed ? std::clamp<i64>(sum, INT32_MIN, INT32_MAX) : std::clamp<i64>(sum, 0, UINT32_MAX);
        result.lane[l] = static_cast<u32>(sum);
    }
    at.store(result);
}

constexpr OpInfo packed(std::string_view mnemonic, ExecFn exec, Type factors, Type sum) {
    return with_sources(vector_op(mnemonic, exec, factors), factors, factors, sum);
}

constexpr OpInfo kOps[] = {
    packed("v_dot2_f32_f16", dot2_f32<false, false>, Type::pkf16, Type::f32),
    packed("v_dot2_f32_bf16", dot2_f32<true, false>, Type::pk16, Type::f32),
    with_accumulator(vector_op("v_dot2acc_f32_f16", dot2_f32<false, true>, Type::pkf16)),
    with_accumulator(vector_op("v_dot2c_f32_f16", dot2_f32<false, true>, Type::pkf16)),
    with_accumulator(vector_op("v_dot2acc_f32_bf16", dot2_f32<true, true>, Type::pk16)),
    with_half_result(packed("v_dot2_f16_f16", dot2_half<false>, Type::pkf16, Type::f16)),
    with_half_result(packed("v_dot2_bf16_bf16", dot2_half<true>, Type::pk16, Type::bf16)),
    packed("v_dot4_i32_iu8", dot_int<8, true>, Type::b32, Type::b32),
    packed("v_dot4_u32_u8", dot_int<8, false>, Type::b32, Type::b32),
    packed("v_dot8_i32_iu4", dot_int<4, true>, Type::b32, Type::b32),
    packed("v_dot8_u32_u4", dot_int<4, false>, Type::b32, Type::b32),
};

}  // namespace

std::span<const OpInfo> dot_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
