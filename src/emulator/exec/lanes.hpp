// How vector instructions reach a wave's registers: operands in, results out under EXEC. Everything here and in the exec_valu_*.cpp,
// exec/wmma.cpp, exec/exchange.cpp and exec/vopd.cpp files is compiled twice, into namespace HIPEMU_LANES = lanes_portable or
// lanes_avx2; the two give the same bits. Loops over the 32 lanes are plain: the compiler makes four AVX2 operations of each.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "emulator/isa/inst.hpp"
#include "emulator/state/scalar.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu::HIPEMU_LANES {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// One 32-bit or 64-bit value of each lane.
struct alignas(64) Words {
    u32 lane[kLanes];
};
struct alignas(64) Longs {
    u64 lane[kLanes];
};

inline float as_f32(u32 bits) { return std::bit_cast<float>(bits); }
inline u32 as_u32(float value) { return std::bit_cast<u32>(value); }
inline double as_f64(u64 bits) { return std::bit_cast<double>(bits); }
inline u64 as_u64(double value) { return std::bit_cast<u64>(value); }

inline constexpr u32 kSign32 = 0x80000000u;
inline constexpr u64 kSign64 = 1ull << 63;
/// Rearranges `from` as the instruction's DPP control says. Returns the lanes that get a value at all; the others keep their
/// destination (the caller takes them out of the lanes it writes).
u32 dpp_permute(const Wave& wave, const Inst& inst, const u32* from, Words& to);

/// The 32 values of register `word` of source i, as they are: a pointer into the register file, or into `room`.
inline const u32* words(const Wave& wave, const Operand& source, unsigned word, Words& room) {
    if (source.kind == OperandKind::vgpr) return wave.v[(source.index + word) & 255];
    const u32 value = scalar_word(wave, source, word);
    for (int l = 0; l < kLanes; ++l) room.lane[l] = value;
    return room.lane;
}

// MODE: whether 32-bit float operations read denormals and give them. Both are set unless code is compiled to flush them.
inline constexpr u32 kDenormalInputs32 = 1u << 4, kDenormalOutputs32 = 1u << 5;
void flush_denormals(const u32* from, Words& to);

/// Operands and EXEC of one instruction in execution. DPP narrows `active`.
struct Access {
    Wave& wave;
    const Inst& inst;
    u32 active;
    const u32* moved = nullptr;  // src0 after DPP
    Words room0;

    Access(Wave& w, const Inst& i) : wave(w), inst(i), active(w.exec()) {
        if (inst.has_modifiers && inst.mod.dpp != DppControl::none) [[unlikely]] prepare_dpp();
    }
    void prepare_dpp();

    const u32* raw(unsigned i, Words& room) const {
        if (i == 0 && moved != nullptr) [[unlikely]] return moved;
        return words(wave, inst.src[i], 0, room);
    }

    /// A 32-bit float: |x|, then -x, then denormals as MODE says.
    const u32* f32(unsigned i, Words& room) const { return flushed(f32_bits(i, room), room); }

    /// The old value of the destination as a float source.
    const u32* accumulator(Words& room) const { return flushed(wave.v[inst.dst[0].index], room); }

    /// Float source values, denormals made zeros of their sign where MODE does not allow them.
    const u32* flushed(const u32* values, Words& room) const {
        if ((wave.mode & kDenormalInputs32) != 0) [[likely]] return values;
        flush_denormals(values, room);
        return room.lane;
    }

    /// |x|, then -x of a float's bits, for what moves or inspects them: denormals are kept in every mode.
    const u32* f32_bits(unsigned i, Words& room) const {
        const u32* p = raw(i, room);
        const Operand& source = inst.src[i];
        if (source.neg || source.abs) {
            const u32 keep = source.abs ? ~kSign32 : ~0u, flip = source.neg ? kSign32 : 0u;
            for (int l = 0; l < kLanes; ++l) room.lane[l] = (p[l] & keep) ^ flip;
            return room.lane;
        }
        return p;
    }

    bool high_half(unsigned i) const { return inst.src[i].half == Half::high; }

    /// A 16-bit integer or bit pattern, zero extended.
    const u32* b16(unsigned i, Words& room) const {
        const u32* p = raw(i, room);
        const int shift = high_half(i) ? 16 : 0;
        for (int l = 0; l < kLanes; ++l) room.lane[l] = p[l] >> shift & 0xffffu;
        return room.lane;
    }

    /// A 16-bit float's bits, |x| and -x done.
    const u32* f16(unsigned i, Words& room) const {
        const u32* p = raw(i, room);
        const Operand& source = inst.src[i];
        const int shift = high_half(i) ? 16 : 0;
        const u32 keep = source.abs ? 0x7fffu : 0xffffu, flip = source.neg ? 0x8000u : 0u;
        for (int l = 0; l < kLanes; ++l) room.lane[l] = (p[l] >> shift & keep) ^ flip;
        return room.lane;
    }

    const u64* b64(unsigned i, Longs& room) const {
        const Operand& source = inst.src[i];
        if (source.kind == OperandKind::vgpr) {
            const u32* low = wave.v[source.index];
            const u32* high = wave.v[(source.index + 1) & 255];
            for (int l = 0; l < kLanes; ++l) room.lane[l] = low[l] | static_cast<u64>(high[l]) << 32;
        } else {
            const u64 value = scalar_pair(wave, source);
            for (int l = 0; l < kLanes; ++l) room.lane[l] = value;
        }
        return room.lane;
    }

    const u64* f64(unsigned i, Longs& room) const {
        b64(i, room);
        const Operand& source = inst.src[i];
        if (source.neg || source.abs) {
            const u64 keep = source.abs ? ~kSign64 : ~0ull, flip = source.neg ? kSign64 : 0ull;
            for (int l = 0; l < kLanes; ++l) room.lane[l] = (room.lane[l] & keep) ^ flip;
        }
        return room.lane;
    }

    /// One bit a lane from a scalar source (a selector or carry in), or VCC where the text leaves it out.
    u32 mask(unsigned i) const { return i < inst.sources ? scalar_word(wave, inst.src[i]) : wave.s[kVccLo]; }

    /// Stores 32-bit results in the active lanes of destination register `word`.
    void store(const Words& result, unsigned word = 0) const { store_register(inst.dst[0].index + word, result); }
    void store_register(unsigned r, const Words& result) const {
        u32* to = wave.v[r & 255];
        if (active == ~0u) [[likely]] {
#if defined(__AVX2__)
            // Compilers copy in pieces of 16 bytes.
            for (int l = 0; l < kLanes; l += 8) {
                _mm256_store_si256(reinterpret_cast<__m256i*>(to + l), _mm256_load_si256(reinterpret_cast<const __m256i*>(result.lane + l)));
            }
#else
            for (int l = 0; l < kLanes; ++l) to[l] = result.lane[l];
#endif
        } else {
            for (int l = 0; l < kLanes; ++l) to[l] = (active >> l & 1) ? result.lane[l] : to[l];
        }
    }
    void store(const Longs& result) const {
        Words low, high;
        for (int l = 0; l < kLanes; ++l) low.lane[l] = static_cast<u32>(result.lane[l]);
        for (int l = 0; l < kLanes; ++l) high.lane[l] = static_cast<u32>(result.lane[l] >> 32);
        store(low, 0);
        store(high, 1);
    }

    bool destination_high() const { return inst.dst[0].half == Half::high; }

    /// Stores 16-bit results; the other half of the register keeps its value.
    void store16(Words& result) const {
        const u32* old = wave.v[inst.dst[0].index];
        if (destination_high()) {
            for (int l = 0; l < kLanes; ++l) result.lane[l] = (old[l] & 0xffffu) | result.lane[l] << 16;
        } else {
            for (int l = 0; l < kLanes; ++l) result.lane[l] = (old[l] & 0xffff0000u) | (result.lane[l] & 0xffffu);
        }
        store(result);
    }

    /// Stores one bit a lane to scalar destination i: lanes that are not active get 0.
    void store_mask(unsigned i, u32 bits) const { set_scalar_word(wave, inst.dst[i], bits & active); }
};

/// Bit l of the result is the top bit of lane l.
inline u32 sign_bits(const Words& from) {
#if defined(__AVX2__)
    u32 bits = 0;
    for (int v = 0; v < 4; ++v) {
        const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(from.lane + 8 * v));
        bits |= static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(x))) << (8 * v);
    }
    return bits;
#else
    u32 bits = 0;
    for (int l = 0; l < kLanes; ++l) bits |= (from.lane[l] >> 31) << l;
    return bits;
#endif
}

/// All ones or all zeros a lane, from one bit a lane.
inline void spread(u32 bits, Words& to) {
    for (int l = 0; l < kLanes; ++l) to.lane[l] = (bits >> l & 1) ? ~0u : 0u;
}

// Float results. An operation's NaN result is the first NaN among its sources, made quiet, and 0xffc00000 where no source is one: the
// value v_div_fixup gives for 0/0 in AMD's own description. Host processors choose among two NaNs by operand order, which a compiler
// may swap, so it is settled here, in the rare case that a lane has one.
inline constexpr u32 kDefaultNan32 = 0xffc00000u;
inline constexpr u64 kDefaultNan64 = 0xfff8000000000000ull;
inline bool is_nan32(u32 x) { return (x & ~kSign32) > 0x7f800000u; }
inline bool is_nan64(u64 x) { return (x & ~kSign64) > 0x7ff0000000000000ull; }
void settle_nans(Words& result, const u32* a, const u32* b, const u32* c);
void settle_nans(Longs& result, const u64* a, const u64* b, const u64* c);

/// What becomes of 32-bit float results: denormals are flushed where MODE does not allow them, then the clamp modifier: to [0, 1], NaN
/// becomes 0 (every kernel descriptor sets DX10_CLAMP). Output multipliers are ignored: the hardware ignores them while IEEE mode is on
/// or denormals are kept, and no gfx11 kernel of the compiler has it otherwise.
inline void finish_f32(const Wave& wave, const Inst& inst, Words& result) {
    if ((wave.mode & kDenormalOutputs32) == 0) [[unlikely]] flush_denormals(result.lane, result);
    if (!inst.has_modifiers || !inst.mod.clamp) [[likely]] return;
    for (int l = 0; l < kLanes; ++l) {
        const float x = as_f32(result.lane[l]);
        result.lane[l] = x > 0.0f ? (x < 1.0f ? result.lane[l] : 0x3f800000u) : 0u;
    }
}

}  // namespace hipemu::HIPEMU_LANES
