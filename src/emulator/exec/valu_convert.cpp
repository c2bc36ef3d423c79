// Conversions between number formats. Float to integer truncates and saturates; NaN becomes 0.
#include <cmath>
#include <span>

#include "emulator/exec/lanes_float.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

// Out-of-range conversions are undefined in C++, so the bounds come first; both are exact in their type.
i32 to_i32(float x) { return x >= 0x1p31f ? INT32_MAX : x >= -0x1p31f ? static_cast<i32>(x) : x < 0.0f ? INT32_MIN : 0; }
u32 to_u32(float x) { return x >= 0x1p32f ? UINT32_MAX : x > 0.0f ? static_cast<u32>(static_cast<i64>(x)) : 0u; }
i32 to_i32(double x) { return x >= 0x1p31 ? INT32_MAX : x > -0x1p31 ? static_cast<i32>(x) : x < 0.0 ? INT32_MIN : 0; }
u32 to_u32(double x) { return x >= 0x1p32 ? UINT32_MAX : x > 0.0 ? static_cast<u32>(static_cast<i64>(x)) : 0u; }
u32 to_i16(float x) { return static_cast<u32>(x >= 32767.0f ? 32767 : x > -32768.0f ? static_cast<i32>(x) : x < 0.0f ? -32768 : 0); }
u32 to_u16(float x) { return x >= 65535.0f ? 65535u : x > 0.0f ? static_cast<u32>(static_cast<i32>(x)) : 0u; }
u32 to_u8(float x) { return x >= 255.0f ? 255u : x > 0.0f ? static_cast<u32>(static_cast<i32>(x)) : 0u; }

// [-1, 1] to [-32767, 32767] and [0, 1] to [0, 65535], to nearest.
u32 to_snorm(float x) {
    const float limited = x > -1.0f ? (x < 1.0f ? x : 1.0f) : x <= -1.0f ? -1.0f : 0.0f;
    return static_cast<u32>(static_cast<i32>(std::nearbyint(limited * 32767.0f)));
}
u32 to_unorm(float x) {
    const float limited = x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
    return static_cast<u32>(static_cast<i32>(std::nearbyint(limited * 65535.0f)));
}

// F: 32 bits to 32 bits. Source as float (modifiers apply) or as integer.
template <auto F>
void from_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* a = at.f32(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = static_cast<u32>(F(as_f32(a[l])));
    at.store(result);
}

template <auto F>
void int_to_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* a = at.raw(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u32(F(a[l]));
    finish_f32(wave, inst, result);
    at.store(result);
}

template <auto F>
void from_f64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room;
    Words result;
    const u64* a = at.f64(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = static_cast<u32>(F(as_f64(a[l])));
    at.store(result);
}

template <auto F>
void int_to_f64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room;
    Longs result;
    const u32* a = at.raw(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u64(F(a[l]));
    clamp_f64(inst, result);
    at.store(result);
}

void f64_to_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room;
    Words result;
    const u64* a = at.f64(0, room);
    for (int l = 0; l < kLanes; ++l) {
        const u32 nan = static_cast<u32>(a[l] >> 32 & kSign32) | 0x7fc00000u | static_cast<u32>(a[l] >> 29 & 0x7fffffu);
        result.lane[l] = is_nan64(a[l]) ? nan : as_u32(static_cast<float>(as_f64(a[l])));
    }
    finish_f32(wave, inst, result);
    at.store(result);
}

void f32_to_f64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room;
    Longs result;
    const u32* a = at.f32(0, room);
    for (int l = 0; l < kLanes; ++l) {
        const u64 nan = static_cast<u64>(a[l] & kSign32) << 32 | 0x7ff8000000000000ull | static_cast<u64>(a[l] & 0x7fffffu) << 29;
        result.lane[l] = is_nan32(a[l]) ? nan : as_u64(static_cast<double>(as_f32(a[l])));
    }
    clamp_f64(inst, result);
    at.store(result);
}

void f32_to_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* a = at.f32(0, room);
    if (inst.mod.clamp) [[unlikely]] {
        for (int l = 0; l < kLanes; ++l) result.lane[l] = a[l];
        finish_f32(wave, inst, result);
        f32_to_halves(result.lane, result);
    } else {
        f32_to_halves(a, result);
    }
    at.store16(result);
}

void f16_to_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    halves_to_f32(at.f16(0, room), result);
    finish_f32(wave, inst, result);
    at.store(result);
}

template <auto F>
void from_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, a;
    halves_to_f32(at.f16(0, room), a);
    for (int l = 0; l < kLanes; ++l) a.lane[l] = F(as_f32(a.lane[l]));
    at.store16(a);
}

template <auto F>
void int_to_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* a = at.b16(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u32(F(a[l]));
    finish_f32(wave, inst, result);
    f32_to_halves(result.lane, room);
    at.store16(room);
}

void pk_rtz_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, low, high;
    f32_to_halves<true>(at.f32(0, room_a), low);
    f32_to_halves<true>(at.f32(1, room_b), high);
    for (int l = 0; l < kLanes; ++l) low.lane[l] |= high.lane[l] << 16;
    at.store(low);
}

// Two floats, halves or integers to two 16-bit fields.
template <auto F>
void pack_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.f32(0, room_a);
    const u32* b = at.f32(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = (F(as_f32(a[l])) & 0xffffu) | F(as_f32(b[l])) << 16;
    at.store(result);
}

template <auto F>
void pack_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, a, b, result;
    halves_to_f32(at.f16(0, room), a);
    halves_to_f32(at.f16(1, room), b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = (F(as_f32(a.lane[l])) & 0xffffu) | F(as_f32(b.lane[l])) << 16;
    at.store(result);
}

template <auto F>
void pack_int(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.raw(0, room_a);
    const u32* b = at.raw(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = (F(a[l]) & 0xffffu) | F(b[l]) << 16;
    at.store(result);
}

// The byte of src2 that src1 names is replaced.
void pk_u8(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.f32(0, room_a);
    const u32* b = at.raw(1, room_b);
    const u32* c = at.raw(2, room_c);
    for (int l = 0; l < kLanes; ++l) {
        const u32 shift = 8 * (b[l] & 3);
        result.lane[l] = (c[l] & ~(0xffu << shift)) | to_u8(as_f32(a[l])) << shift;
    }
    at.store(result);
}

constexpr OpInfo row(std::string_view mnemonic, ExecFn exec, Type type, std::uint8_t cycles = 1) { return vector_op(mnemonic, exec, type, cycles); }
constexpr OpInfo half(std::string_view mnemonic, ExecFn exec, Type type) { return with_half_result(vector_op(mnemonic, exec, type)); }

template <int Byte>
float byte_to_f32(u32 x) {
    return static_cast<float>(x >> (8 * Byte) & 0xffu);
}
i32 floor_to_i32(float x) { return to_i32(std::floor(x)); }
i32 nearest_to_i32(float x) { return to_i32(std::floor(x + 0.5f)); }
float off_i4(u32 x) { return static_cast<float>(static_cast<i32>(x << 28) >> 28) * 0.0625f; }
u32 limit_i16(u32 x) {
    const i32 v = static_cast<i32>(x);
    return static_cast<u32>(v > 32767 ? 32767 : v < -32768 ? -32768 : v);
}
u32 limit_u16(u32 x) { return x > 0xffffu ? 0xffffu : x; }
i32 f32_i32(float x) { return to_i32(x); }
u32 f32_u32(float x) { return to_u32(x); }
i32 f64_i32(double x) { return to_i32(x); }
u32 f64_u32(double x) { return to_u32(x); }

constexpr OpInfo kOps[] = {
    row("v_cvt_f32_i32", int_to_f32<[](u32 x) { return static_cast<float>(static_cast<i32>(x)); }>, Type::b32),
    row("v_cvt_f32_u32", int_to_f32<[](u32 x) { return static_cast<float>(x); }>, Type::b32),
    row("v_cvt_i32_f32", from_f32<f32_i32>, Type::f32),
    row("v_cvt_u32_f32", from_f32<f32_u32>, Type::f32),
    row("v_cvt_nearest_i32_f32", from_f32<nearest_to_i32>, Type::f32),
    row("v_cvt_floor_i32_f32", from_f32<floor_to_i32>, Type::f32),
    row("v_cvt_off_f32_i4", int_to_f32<off_i4>, Type::b32),
    row("v_cvt_f32_ubyte0", int_to_f32<byte_to_f32<0>>, Type::b32),
    row("v_cvt_f32_ubyte1", int_to_f32<byte_to_f32<1>>, Type::b32),
    row("v_cvt_f32_ubyte2", int_to_f32<byte_to_f32<2>>, Type::b32),
    row("v_cvt_f32_ubyte3", int_to_f32<byte_to_f32<3>>, Type::b32),
    row("v_cvt_i32_f64", from_f64<f64_i32>, Type::f64, kDoubleCycles),
    row("v_cvt_u32_f64", from_f64<f64_u32>, Type::f64, kDoubleCycles),
    row("v_cvt_f64_i32", int_to_f64<[](u32 x) { return static_cast<double>(static_cast<i32>(x)); }>, Type::b32, kDoubleCycles),
    row("v_cvt_f64_u32", int_to_f64<[](u32 x) { return static_cast<double>(x); }>, Type::b32, kDoubleCycles),
    row("v_cvt_f32_f64", f64_to_f32, Type::f64, kDoubleCycles),
    row("v_cvt_f64_f32", f32_to_f64, Type::f32, kDoubleCycles),
    half("v_cvt_f16_f32", f32_to_f16, Type::f32),
    row("v_cvt_f32_f16", f16_to_f32, Type::f16),
    half("v_cvt_f16_u16", int_to_f16<[](u32 x) { return static_cast<float>(x); }>, Type::b16),
    half("v_cvt_f16_i16", int_to_f16<[](u32 x) { return static_cast<float>(static_cast<i16>(x)); }>, Type::b16),
    half("v_cvt_u16_f16", from_f16<to_u16>, Type::f16),
    half("v_cvt_i16_f16", from_f16<to_i16>, Type::f16),
    half("v_cvt_norm_i16_f16", from_f16<to_snorm>, Type::f16),
    half("v_cvt_norm_u16_f16", from_f16<to_unorm>, Type::f16),
    with_taint(row("v_cvt_pk_rtz_f16_f32", pk_rtz_f16, Type::f32), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_i16_f32", pack_f32<to_i16>, Type::f32), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_u16_f32", pack_f32<to_u16>, Type::f32), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_norm_i16_f32", pack_f32<to_snorm>, Type::f32), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_norm_u16_f32", pack_f32<to_unorm>, Type::f32), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_norm_i16_f16", pack_f16<to_snorm>, Type::f16), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_norm_u16_f16", pack_f16<to_unorm>, Type::f16), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_u16_u32", pack_int<limit_u16>, Type::b32), Taint::custom, taint_pack),
    with_taint(row("v_cvt_pk_i16_i32", pack_int<limit_i16>, Type::b32), Taint::custom, taint_pack),
    with_taint(with_sources(row("v_cvt_pk_u8_f32", pk_u8, Type::f32), Type::f32, Type::b32, Type::b32), Taint::custom, taint_pack_byte),
};

}  // namespace

std::span<const OpInfo> convert_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
