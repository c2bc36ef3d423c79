// Vector integer operations with carries or 64 bits: add and subtract with carry, 64-bit shifts, wide multiply-add, sums of differences.
#include <span>

#include "emulator/exec/lanes.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/exec/valu_undefined.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

enum class Sum { add, sub, subrev };

template <Sum Kind, bool CarryIn>
void carry_op(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result, carry;
    const u32* a = at.raw(Kind == Sum::subrev ? 1 : 0, room_a);
    const u32* b = at.raw(Kind == Sum::subrev ? 0 : 1, room_b);
    const u32 in = CarryIn ? at.mask(2) : 0u;
    for (int l = 0; l < kLanes; ++l) {
        const u32 c = in >> l & 1;
        const u64 wide = Kind == Sum::add ? static_cast<u64>(a[l]) + b[l] + c : static_cast<u64>(a[l]) - b[l] - c;
        const bool out = (wide >> 32) != 0;
        carry.lane[l] = out ? ~0u : 0u;
        const u32 saturated = Kind == Sum::add ? ~0u : 0u;
        result.lane[l] = out && inst.mod.clamp ? saturated : static_cast<u32>(wide);
    }
    at.store(result);
    at.store_mask(1, sign_bits(carry));
}

template <auto F>
void shift64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room;
    Longs room_b, result;
    const u32* a = at.raw(0, room);
    const u64* b = at.b64(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = F(b[l], a[l] & 63);
    at.store(result);
}

// The carry is bit 64 of the sum of the 64-bit addend and the product, both extended to 65 bits.
template <bool Signed>
void mad64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, carry;
    Longs room_c, result;
    const u32* a = at.raw(0, room_a);
    const u32* b = at.raw(1, room_b);
    const u64* c = at.b64(2, room_c);
    for (int l = 0; l < kLanes; ++l) {
        const u64 product = Signed ? static_cast<u64>(static_cast<i64>(static_cast<i32>(a[l])) * static_cast<i32>(b[l])) : static_cast<u64>(a[l]) * b[l];
        const u64 sum = product + c[l];
        u64 top = sum < product ? 1 : 0;
        if (Signed) top ^= (product >> 63) ^ (c[l] >> 63);
        result.lane[l] = sum;
        carry.lane[l] = top ? ~0u : 0u;
    }
    at.store(result);
    at.store_mask(1, sign_bits(carry));
}

u32 byte(u32 x, int i) { return x >> (8 * i) & 0xffu; }
u32 sad4(u32 a, u32 b, bool masked) {
    u32 sum = 0;
    for (int i = 0; i < 4; ++i) {
        const u32 x = byte(a, i), y = byte(b, i);
        if (!masked || y != 0) sum += x < y ? y - x : x - y;
    }
    return sum;
}

// Four sums of absolute differences of src1's bytes and a window of src0 that moves on by a byte each; 16-bit sums.
template <bool Masked>
void sad_windows16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_b;
    Longs room_a, room_c, result;
    const u64* a = at.b64(0, room_a);
    const u32* b = at.raw(1, room_b);
    const u64* c = at.b64(2, room_c);
    for (int l = 0; l < kLanes; ++l) {
        u64 packed = 0;
        for (int i = 0; i < 4; ++i) {
            const u32 sum = sad4(static_cast<u32>(a[l] >> (8 * i)), b[l], Masked) + static_cast<u32>(c[l] >> (16 * i) & 0xffffu);
            packed |= static_cast<u64>(sum & 0xffffu) << (16 * i);
        }
        result.lane[l] = packed;
    }
    at.store(result);
}

// The same with four 32-bit sums in four registers.
void masked_sad_windows32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_b, room_c, result[4];
    Longs room_a;
    const u64* a = at.b64(0, room_a);
    const u32* b = at.raw(1, room_b);
    for (unsigned i = 0; i < 4; ++i) {
        const u32* c = words(wave, inst.src[2], i, room_c);
        for (int l = 0; l < kLanes; ++l) result[i].lane[l] = sad4(static_cast<u32>(a[l] >> (8 * i)), b[l], true) + c[l];
    }
    for (unsigned i = 0; i < 4; ++i) at.store(result[i], i);
}

constexpr OpInfo carry_row(std::string_view mnemonic, ExecFn exec, bool carry_in) {
    OpInfo op = with_destinations(vector_op(mnemonic, exec, Type::b32), 2);
    return carry_in ? with_sources(op, Type::b32, Type::b32, Type::lane_mask) : op;
}

constexpr OpInfo shift_row(std::string_view mnemonic, ExecFn exec) {
    return with_taint(with_sources(vector_op(mnemonic, exec, Type::b64, kShift64Cycles), Type::b32, Type::b64), Taint::bitwise);
}

constexpr OpInfo kOps[] = {
    carry_row("v_add_co_u32", carry_op<Sum::add, false>, false),
    carry_row("v_sub_co_u32", carry_op<Sum::sub, false>, false),
    carry_row("v_subrev_co_u32", carry_op<Sum::subrev, false>, false),
    carry_row("v_add_co_ci_u32", carry_op<Sum::add, true>, true),
    carry_row("v_sub_co_ci_u32", carry_op<Sum::sub, true>, true),
    carry_row("v_subrev_co_ci_u32", carry_op<Sum::subrev, true>, true),
    shift_row("v_lshlrev_b64", shift64<[](u64 x, u32 n) { return x << n; }>),
    shift_row("v_lshrrev_b64", shift64<[](u64 x, u32 n) { return (x >> n); }>),
    shift_row("v_ashrrev_i64", shift64<[](u64 x, u32 n) { return static_cast<u64>((static_cast<i64>(x) >> n)); }>),
    with_taint(with_sources(with_destinations(vector_op("v_mad_u64_u32", mad64<false>, Type::b32, kMad64Cycles), 2), Type::b32, Type::b32, Type::b64),
               Taint::custom, taint_mad64),
    with_taint(with_sources(with_destinations(vector_op("v_mad_i64_i32", mad64<true>, Type::b32, kMad64Cycles), 2), Type::b32, Type::b32, Type::b64),
               Taint::custom, taint_mad64),
    with_sources(vector_op("v_qsad_pk_u16_u8", sad_windows16<false>, Type::b64, kMad64Cycles), Type::b64, Type::b32, Type::b64),
    with_sources(vector_op("v_mqsad_pk_u16_u8", sad_windows16<true>, Type::b64, kMad64Cycles), Type::b64, Type::b32, Type::b64),
    with_sources(vector_op("v_mqsad_u32_u8", masked_sad_windows32, Type::b64, kMad64Cycles), Type::b64, Type::b32, Type::b32),
};

}  // namespace

std::span<const OpInfo> int64_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
