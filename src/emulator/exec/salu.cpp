// SOP1 and SOP2: arithmetic, shifts, bit fields, moves. SCC as the hardware sets it: carry or overflow of additions, "not zero" of shifts and
// fields, untouched by moves and multiplications.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "emulator/exec/scalar_rows.hpp"
#include "emulator/isa/op_tables.hpp"
#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Arithmetic

u32 add_u32(u32 a, u32 b, bool& scc) {
    const u64 sum = u64{a} + b;
    scc = sum >> 32 != 0;
    return static_cast<u32>(sum);
}

u32 sub_u32(u32 a, u32 b, bool& scc) {
    scc = b > a;
    return a - b;
}

u32 addc_u32(u32 a, u32 b, bool& scc) {
    const u64 sum = u64{a} + b + (scc ? 1 : 0);
    scc = sum >> 32 != 0;
    return static_cast<u32>(sum);
}

u32 subb_u32(u32 a, u32 b, bool& scc) {
    const u64 taken = u64{b} + (scc ? 1 : 0);
    scc = taken > a;
    return static_cast<u32>(a - taken);
}

u32 add_i32(u32 a, u32 b, bool& scc) {
    const u32 sum = a + b;
    scc = (~(a ^ b) & (a ^ sum)) >> 31 != 0;
    return sum;
}

u32 sub_i32(u32 a, u32 b, bool& scc) {
    const u32 difference = a - b;
    scc = ((a ^ b) & (a ^ difference)) >> 31 != 0;
    return difference;
}

u32 absdiff_i32(u32 a, u32 b, bool& scc) {
    u32 difference = a - b;
    if (static_cast<i32>(difference) < 0) difference = 0 - difference;
    scc = difference != 0;
    return difference;
}

u32 mul_i32(u32 a, u32 b, bool&) { return a * b; }
u32 mul_hi_u32(u32 a, u32 b, bool&) { return static_cast<u32>(u64{a} * b >> 32); }
u32 mul_hi_i32(u32 a, u32 b, bool&) {
    return static_cast<u32>(static_cast<u64>(i64{static_cast<i32>(a)} * static_cast<i32>(b)) >> 32);
}

template <int shift>
u32 shift_add(u32 a, u32 b, bool& scc) {
    const u64 sum = (u64{a} << shift) + b;
    scc = sum >> 32 != 0;
    return static_cast<u32>(sum);
}

u32 min_i32(u32 a, u32 b, bool& scc) { return scc = static_cast<i32>(a) < static_cast<i32>(b), scc ? a : b; }
u32 min_u32(u32 a, u32 b, bool& scc) { return scc = a < b, scc ? a : b; }
// The documents say "not less"; the hardware sets SCC only if the first is greater.
u32 max_i32(u32 a, u32 b, bool& scc) { return scc = static_cast<i32>(a) > static_cast<i32>(b), scc ? a : b; }
u32 max_u32(u32 a, u32 b, bool& scc) { return scc = a > b, scc ? a : b; }

u32 abs_i32(u32 a, bool& scc) {
    const u32 result = static_cast<i32>(a) < 0 ? 0 - a : a;
    scc = result != 0;
    return result;
}

// Shifts and fields

u32 lshl_b32(u32 a, u32 b, bool& scc) { return a <<= b & 31, scc = a != 0, a; }
u32 lshr_b32(u32 a, u32 b, bool& scc) { return a >>= b & 31, scc = a != 0, a; }
u32 ashr_i32(u32 a, u32 b, bool& scc) { return a = static_cast<u32>(static_cast<i32>(a) >> (b & 31)), scc = a != 0, a; }
u64 lshl_b64(u64 a, u64 b, bool& scc) { return a <<= b & 63, scc = a != 0, a; }
u64 lshr_b64(u64 a, u64 b, bool& scc) { return a >>= b & 63, scc = a != 0, a; }
u64 ashr_i64(u64 a, u64 b, bool& scc) { return a = static_cast<u64>(static_cast<i64>(a) >> (b & 63)), scc = a != 0, a; }

// Fields are given as offset in bits 4:0 (5:0) and width in bits 22:16 of the second source.
u32 bfe_u32(u32 a, u32 b, bool& scc) {
    const u32 offset = b & 31, width = b >> 16 & 0x7f;
    const u32 result = width == 0 ? 0 : width >= 32 ? a >> offset : (a >> offset) & ((1u << width) - 1);
    return scc = result != 0, result;
}

u64 bfe_u64(u64 a, u64 b, bool& scc) {
    const u64 offset = b & 63, width = b >> 16 & 0x7f;
    const u64 result = width == 0 ? 0 : width >= 64 ? a >> offset : (a >> offset) & ((1ull << width) - 1);
    return scc = result != 0, result;
}

u32 bfe_i32(u32 a, u32 b, bool& scc) {
    const u32 offset = b & 31, width = b >> 16 & 0x7f;
    u32 result = bfe_u32(a, b, scc);
    // A field that reaches beyond the register has its sign bit there.
    if (width > 0 && offset + width < 32 && (result >> (width - 1) & 1) != 0) result |= ~0u << width;
    if (offset + width >= 32 && width > 0) result = static_cast<u32>(static_cast<i32>(a) >> offset);
    return scc = result != 0, result;
}

u64 bfe_i64(u64 a, u64 b, bool& scc) {
    const u64 offset = b & 63, width = b >> 16 & 0x7f;
    u64 result = bfe_u64(a, b, scc);
    if (width > 0 && offset + width < 64 && (result >> (width - 1) & 1) != 0) result |= ~0ull << width;
    if (offset + width >= 64 && width > 0) result = static_cast<u64>(static_cast<i64>(a) >> offset);
    return scc = result != 0, result;
}

u32 bfm_b32(u32 a, u32 b, bool&) { return ((1u << (a & 31)) - 1) << (b & 31); }
u64 bfm_b64(u64 a, u64 b, bool&) { return ((1ull << (a & 63)) - 1) << (b & 63); }

u32 pack_ll(u32 a, u32 b, bool&) { return (a & 0xffff) | b << 16; }
u32 pack_lh(u32 a, u32 b, bool&) { return (a & 0xffff) | (b & 0xffff0000u); }
u32 pack_hh(u32 a, u32 b, bool&) { return a >> 16 | (b & 0xffff0000u); }
u32 pack_hl(u32 a, u32 b, bool&) { return a >> 16 | b << 16; }

u32 cselect_b32(u32 a, u32 b, bool& scc) { return scc ? a : b; }
u64 cselect_b64(u64 a, u64 b, bool& scc) { return scc ? a : b; }

// One source

template <class Word>
Word mov(Word a, bool&) { return a; }

u32 brev_b32(u32 a, bool&) {
    u32 result = 0;
    for (int i = 0; i < 32; ++i) result |= (a >> i & 1) << (31 - i);
    return result;
}
u64 brev_b64(u64 a, bool& scc) {
    return u64{brev_b32(static_cast<u32>(a), scc)} << 32 | brev_b32(static_cast<u32>(a >> 32), scc);
}

constexpr u32 kNone = 0xffffffffu;  // what the bit searches give if there is no such bit
u32 ctz_b32(u32 a, bool&) { return a == 0 ? kNone : static_cast<u32>(std::countr_zero(a)); }
u32 ctz_b64(u64 a, bool&) { return a == 0 ? kNone : static_cast<u32>(std::countr_zero(a)); }
u32 clz_u32(u32 a, bool&) { return a == 0 ? kNone : static_cast<u32>(std::countl_zero(a)); }
u32 clz_u64(u64 a, bool&) { return a == 0 ? kNone : static_cast<u32>(std::countl_zero(a)); }
u32 cls_i32(u32 a, bool&) {
    const u32 folded = static_cast<i32>(a) < 0 ? ~a : a;
    return folded == 0 ? kNone : static_cast<u32>(std::countl_zero(folded));
}
u32 cls_i64(u64 a, bool&) {
    const u64 folded = static_cast<i64>(a) < 0 ? ~a : a;
    return folded == 0 ? kNone : static_cast<u32>(std::countl_zero(folded));
}

template <class Word, bool ones>
u32 bcnt(Word a, bool& scc) {
    const u32 result = static_cast<u32>(std::popcount(ones ? a : static_cast<Word>(~a)));
    return scc = result != 0, result;
}

u32 sext_i8(u32 a, bool&) { return static_cast<u32>(i32{static_cast<std::int8_t>(a)}); }
u32 sext_i16(u32 a, bool&) { return static_cast<u32>(i32{static_cast<std::int16_t>(a)}); }

template <class Word>
Word wqm(Word a, bool& scc) {
    Word result = 0;
    for (unsigned i = 0; i < sizeof(Word) * 8; i += 4) {
        if ((a >> i & 15) != 0) result |= Word{15} << i;
    }
    return scc = result != 0, result;
}

template <class Word>
Word quadmask(Word a, bool& scc) {
    Word result = 0;
    for (unsigned i = 0; i < sizeof(Word) * 8; i += 4) {
        if ((a >> i & 15) != 0) result |= Word{1} << (i / 4);
    }
    return scc = result != 0, result;
}

void exec_bitreplicate(Wave& wave, const Inst& inst) {
    const u32 source = scalar_word(wave, inst.src[0]);
    u64 result = 0;
    for (int i = 0; i < 32; ++i) result |= (source >> i & 1 ? 3ull : 0ull) << (2 * i);
    set_scalar_pair(wave, inst.dst[0], result);
}

template <bool to>
void exec_bitset32(Wave& wave, const Inst& inst) {
    const u32 bit = 1u << (scalar_word(wave, inst.src[0]) & 31);
    const u32 old = scalar_word(wave, inst.dst[0]);
    set_scalar_word(wave, inst.dst[0], to ? old | bit : old & ~bit);
}

template <bool to>
void exec_bitset64(Wave& wave, const Inst& inst) {
    const u64 bit = 1ull << (scalar_word(wave, inst.src[0]) & 63);
    const u64 old = scalar_pair(wave, inst.dst[0]);
    set_scalar_pair(wave, inst.dst[0], to ? old | bit : old & ~bit);
}

void exec_cmov32(Wave& wave, const Inst& inst) {
    if (wave.scc) set_scalar_word(wave, inst.dst[0], scalar_word(wave, inst.src[0]));
}
void exec_cmov64(Wave& wave, const Inst& inst) {
    if (wave.scc) set_scalar_pair(wave, inst.dst[0], scalar_pair(wave, inst.src[0]));
}

void exec_getpc(Wave& wave, const Inst& inst) {
    set_scalar_pair(wave, inst.dst[0], wave.program->load_address + inst.address + inst.bytes);
}

constexpr std::array kOps{
    arithmetic("s_add_u32", exec_binary32<add_u32>),
    arithmetic("s_sub_u32", exec_binary32<sub_u32>),
    arithmetic("s_add_i32", exec_binary32<add_i32>),
    arithmetic("s_sub_i32", exec_binary32<sub_i32>),
    with_scc(arithmetic("s_addc_u32", exec_binary32<addc_u32>)),
    with_scc(arithmetic("s_subb_u32", exec_binary32<subb_u32>)),
    arithmetic("s_absdiff_i32", exec_binary32<absdiff_i32>),
    arithmetic("s_mul_i32", exec_binary32<mul_i32>, false),
    arithmetic("s_mul_hi_u32", exec_binary32<mul_hi_u32>, false),
    arithmetic("s_mul_hi_i32", exec_binary32<mul_hi_i32>, false),
    arithmetic("s_lshl1_add_u32", exec_binary32<shift_add<1>>),
    arithmetic("s_lshl2_add_u32", exec_binary32<shift_add<2>>),
    arithmetic("s_lshl3_add_u32", exec_binary32<shift_add<3>>),
    arithmetic("s_lshl4_add_u32", exec_binary32<shift_add<4>>),
    arithmetic("s_min_i32", exec_binary32<min_i32>),
    arithmetic("s_min_u32", exec_binary32<min_u32>),
    arithmetic("s_max_i32", exec_binary32<max_i32>),
    arithmetic("s_max_u32", exec_binary32<max_u32>),
    arithmetic("s_abs_i32", exec_unary32<abs_i32>),

    bits("s_lshl_b32", exec_binary32<lshl_b32>),
    bits("s_lshr_b32", exec_binary32<lshr_b32>),
    bits("s_ashr_i32", exec_binary32<ashr_i32>),
    shift64("s_lshl_b64", exec_binary64<lshl_b64>),
    shift64("s_lshr_b64", exec_binary64<lshr_b64>),
    shift64("s_ashr_i64", exec_binary64<ashr_i64>),
    bits("s_bfe_u32", exec_binary32<bfe_u32>),
    bits("s_bfe_i32", exec_binary32<bfe_i32>),
    shift64("s_bfe_u64", exec_binary64<bfe_u64>),
    shift64("s_bfe_i64", exec_binary64<bfe_i64>),
    bits("s_bfm_b32", exec_binary32<bfm_b32>, false),
    scalar_op("s_bfm_b64", exec_binary64<bfm_b64>, taint_scalar_whole, false),
    bits("s_pack_ll_b32_b16", exec_binary32<pack_ll>, false),
    bits("s_pack_lh_b32_b16", exec_binary32<pack_lh>, false),
    bits("s_pack_hh_b32_b16", exec_binary32<pack_hh>, false),
    bits("s_pack_hl_b32_b16", exec_binary32<pack_hl>, false),
    with_scc(bits("s_cselect_b32", exec_binary32<cselect_b32>, false)),
    with_scc(bits64("s_cselect_b64", exec_binary64<cselect_b64>, false)),

    bits("s_mov_b32", exec_unary32<mov<u32>>, false),
    bits64("s_mov_b64", exec_unary64<mov<u64>>, false),
    with_old(with_scc(bits("s_cmov_b32", exec_cmov32, false))),
    with_old(with_scc(bits64("s_cmov_b64", exec_cmov64, false))),
    bits("s_brev_b32", exec_unary32<brev_b32>, false),
    bits64("s_brev_b64", exec_unary64<brev_b64>, false),
    arithmetic("s_ctz_i32_b32", exec_unary32<ctz_b32>, false),
    arithmetic("s_ctz_i32_b64", exec_narrow<ctz_b64>, false, Type::b64),
    arithmetic("s_clz_i32_u32", exec_unary32<clz_u32>, false),
    arithmetic("s_clz_i32_u64", exec_narrow<clz_u64>, false, Type::b64),
    arithmetic("s_cls_i32", exec_unary32<cls_i32>, false),
    arithmetic("s_cls_i32_i64", exec_narrow<cls_i64>, false, Type::b64),
    arithmetic("s_bcnt0_i32_b32", exec_unary32<bcnt<u32, false>>),
    arithmetic("s_bcnt0_i32_b64", exec_narrow<bcnt<u64, false>>, true, Type::b64),
    arithmetic("s_bcnt1_i32_b32", exec_unary32<bcnt<u32, true>>),
    arithmetic("s_bcnt1_i32_b64", exec_narrow<bcnt<u64, true>>, true, Type::b64),
    bits("s_sext_i32_i8", exec_unary32<sext_i8>, false),
    bits("s_sext_i32_i16", exec_unary32<sext_i16>, false),
    bits("s_wqm_b32", exec_unary32<wqm<u32>>),
    bits64("s_wqm_b64", exec_unary64<wqm<u64>>),
    bits("s_quadmask_b32", exec_unary32<quadmask<u32>>),
    bits64("s_quadmask_b64", exec_unary64<quadmask<u64>>),
    bits("s_bitreplicate_b64_b32", exec_bitreplicate, false),
    with_old(bits("s_bitset0_b32", exec_bitset32<false>, false)),
    with_old(bits("s_bitset1_b32", exec_bitset32<true>, false)),
    with_old(bits("s_bitset0_b64", exec_bitset64<false>, false)),
    with_old(bits("s_bitset1_b64", exec_bitset64<true>, false)),
    always_defined("s_getpc_b64", exec_getpc),
};

}  // namespace

std::span<const OpInfo> salu_ops() {
    static const std::vector<OpInfo> all = [] {
        std::vector<OpInfo> rows(kOps.begin(), kOps.end());
        for (const std::span<const OpInfo> more : {salu_logic_ops(), salu_constant_ops(), salu_float_ops()}) rows.insert(rows.end(), more.begin(), more.end());
        return rows;
    }();
    return all;
}

}  // namespace hipemu
