// Vector integer operations of 16 bits. A 16-bit result leaves the other half of its register as it was.
#include <span>

#include "emulator/exec/lanes.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/exec/valu_undefined.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

template <auto F>
void unary16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* a = at.b16(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = F(a[l]);
    at.store16(result);
}

template <auto F>
void binary16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.b16(0, room_a);
    const u32* b = at.b16(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = F(a[l], b[l]);
    at.store16(result);
}

template <auto F>
void ternary16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.b16(0, room_a);
    const u32* b = at.b16(1, room_b);
    const u32* c = at.b16(2, room_c);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = F(a[l], b[l], c[l]);
    at.store16(result);
}

template <auto F, auto Saturating>
void saturable16(Wave& wave, const Inst& inst) {
    inst.mod.clamp ? binary16<Saturating>(wave, inst) : binary16<F>(wave, inst);
}

template <auto F, auto Saturating>
void saturable16_3(Wave& wave, const Inst& inst) {
    inst.mod.clamp ? ternary16<Saturating>(wave, inst) : ternary16<F>(wave, inst);
}

i32 s(u32 x) { return static_cast<i16>(x); }
u32 saturate_i16(i32 x) { return static_cast<u32>(x > 32767 ? 32767 : x < -32768 ? -32768 : x); }
u32 saturate_u16(u32 x) { return x > 0xffffu ? 0xffffu : x; }
u32 min_u(u32 a, u32 b) { return (a < b) ? a : b; }
u32 max_u(u32 a, u32 b) { return (a < b) ? b : a; }
u32 min_s(u32 a, u32 b) { return (s(a) < s(b)) ? a : b; }
u32 max_s(u32 a, u32 b) { return (s(a) < s(b)) ? b : a; }
u32 saturate_u8(u32 x) { return static_cast<u32>(s(x) < 0 ? 0 : s(x) > 255 ? 255 : s(x)); }

// 16-bit factors, 32-bit addend and result.
template <bool Signed>
void mad_wide(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.b16(0, room_a);
    const u32* b = at.b16(1, room_b);
    const u32* c = at.raw(2, room_c);
    for (int l = 0; l < kLanes; ++l) {
        const u32 product = Signed ? static_cast<u32>(s(a[l]) * s(b[l])) : a[l] * b[l];
        u32 sum = product + c[l];
        if (inst.mod.clamp && !Signed && sum < product) sum = ~0u;
        if (inst.mod.clamp && Signed) {
            const i64 exact = static_cast<i64>(static_cast<i32>(product)) + static_cast<i32>(c[l]);
            sum = static_cast<u32>(static_cast<i32>(exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact));
        }
        result.lane[l] = sum;
    }
    at.store(result);
}

template <bool Signed>
void widen(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* a = at.b16(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = Signed ? static_cast<u32>(s(a[l])) : a[l];
    at.store(result);
}

void cndmask16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.f16(0, room_a);
    const u32* b = at.f16(1, room_b);
    const u32 mask = at.mask(2);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = (mask >> l & 1) ? b[l] : a[l];
    at.store16(result);
}

void pack(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.f16(0, room_a);
    const u32* b = at.f16(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = a[l] | b[l] << 16;
    at.store(result);
}

void sat_pk_u8(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* a = at.raw(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = saturate_u8(a[l]) | saturate_u8(a[l] >> 16) << 8;
    at.store16(result);
}

void swap16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    const Operand &x = inst.dst[0], &y = inst.dst[1];
    const int shift_x = x.half == Half::high ? 16 : 0, shift_y = y.half == Half::high ? 16 : 0;
    for (int l = 0; l < kLanes; ++l) {
        if ((at.active >> l & 1) == 0) continue;
        u32 &rx = wave.v[x.index][l], &ry = wave.v[y.index][l];
        const u32 a = rx >> shift_x & 0xffffu, b = ry >> shift_y & 0xffffu;
        rx = (rx & ~(0xffffu << shift_x)) | b << shift_x;
        ry = (ry & ~(0xffffu << shift_y)) | a << shift_y;
    }
}

constexpr OpInfo half(std::string_view mnemonic, ExecFn exec) { return with_half_result(vector_op(mnemonic, exec, Type::b16)); }
constexpr OpInfo bitwise(std::string_view mnemonic, ExecFn exec) { return with_taint(half(mnemonic, exec), Taint::bitwise); }

constexpr OpInfo kOps[] = {
    with_taint(half("v_mov_b16", unary16<[](u32 a) { return a; }>), Taint::copy),
    with_taint(with_destinations(with_accumulator(vector_op("v_swap_b16", swap16, Type::b16)), 2), Taint::custom, taint_swap),
    with_taint(with_sources(half("v_cndmask_b16", cndmask16), Type::f16, Type::f16, Type::lane_mask), Taint::bitwise),
    with_taint(vector_op("v_pack_b32_f16", pack, Type::f16), Taint::bitwise),
    bitwise("v_not_b16", unary16<[](u32 a) { return ~a; }>),
    bitwise("v_and_b16", binary16<[](u32 a, u32 b) { return a & b; }>),
    bitwise("v_or_b16", binary16<[](u32 a, u32 b) { return a | b; }>),
    bitwise("v_xor_b16", binary16<[](u32 a, u32 b) { return a ^ b; }>),
    bitwise("v_lshlrev_b16", binary16<[](u32 a, u32 b) { return b << (a & 15); }>),
    bitwise("v_lshrrev_b16", binary16<[](u32 a, u32 b) { return (b >> (a & 15)); }>),
    bitwise("v_ashrrev_i16", binary16<[](u32 a, u32 b) { return static_cast<u32>((s(b) >> (a & 15))); }>),
    half("v_add_nc_u16", saturable16<[](u32 a, u32 b) { return a + b; }, [](u32 a, u32 b) { return saturate_u16(a + b); }>),
    half("v_sub_nc_u16", saturable16<[](u32 a, u32 b) { return a - b; }, [](u32 a, u32 b) { return (a < b) ? 0u : a - b; }>),
    half("v_add_nc_i16", saturable16<[](u32 a, u32 b) { return a + b; }, [](u32 a, u32 b) { return saturate_i16(s(a) + s(b)); }>),
    half("v_sub_nc_i16", saturable16<[](u32 a, u32 b) { return a - b; }, [](u32 a, u32 b) { return saturate_i16(s(a) - s(b)); }>),
    half("v_mul_lo_u16", binary16<[](u32 a, u32 b) { return a * b; }>),
    half("v_mad_u16", saturable16_3<[](u32 a, u32 b, u32 c) { return a * b + c; },
                                    [](u32 a, u32 b, u32 c) { return saturate_u16(a * b + c); }>),
    half("v_mad_i16", saturable16_3<[](u32 a, u32 b, u32 c) { return a * b + c; }, [](u32 a, u32 b, u32 c) { return saturate_i16(s(a) * s(b) + s(c)); }>),
    half("v_min_u16", binary16<min_u>),
    half("v_max_u16", binary16<max_u>),
    half("v_min_i16", binary16<min_s>),
    half("v_max_i16", binary16<max_s>),
    half("v_min3_u16", ternary16<[](u32 a, u32 b, u32 c) { return min_u(min_u(a, b), c); }>),
    half("v_max3_u16", ternary16<[](u32 a, u32 b, u32 c) { return max_u(max_u(a, b), c); }>),
    half("v_min3_i16", ternary16<[](u32 a, u32 b, u32 c) { return min_s(min_s(a, b), c); }>),
    half("v_max3_i16", ternary16<[](u32 a, u32 b, u32 c) { return max_s(max_s(a, b), c); }>),
    half("v_med3_u16", ternary16<[](u32 a, u32 b, u32 c) { return max_u(min_u(a, b), min_u(max_u(a, b), c)); }>),
    half("v_med3_i16", ternary16<[](u32 a, u32 b, u32 c) { return max_s(min_s(a, b), min_s(max_s(a, b), c)); }>),
    with_sources(vector_op("v_mad_u32_u16", mad_wide<false>, Type::b16), Type::b16, Type::b16, Type::b32),
    with_sources(vector_op("v_mad_i32_i16", mad_wide<true>, Type::b16), Type::b16, Type::b16, Type::b32),
    vector_op("v_cvt_u32_u16", widen<false>, Type::b16),
    vector_op("v_cvt_i32_i16", widen<true>, Type::b16),
    with_taint(with_half_result(vector_op("v_sat_pk_u8_i16", sat_pk_u8, Type::b32)), Taint::custom, taint_pack_halves_to_bytes),
};

}  // namespace

std::span<const OpInfo> int16_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
