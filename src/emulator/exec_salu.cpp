// SOP1, SOP2, SOPC and SOPK. SCC as the ISA documents say: carry or overflow of additions, "not zero" of logic, untouched by moves.
#include <array>
#include <bit>
#include <cstdint>

#include "emulator/op_tables.hpp"
#include "emulator/program.hpp"
#include "emulator/scalar.hpp"

namespace hipemu {
namespace {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <u32 (*op)(u32, u32, bool&)>
void exec_binary32(Wave& wave, const Inst& inst) {
    const u32 result = op(scalar_word(wave, inst.src[0]), scalar_word(wave, inst.src[1]), wave.scc);
    set_scalar_word(wave, inst.dst[0], result);
}

template <u64 (*op)(u64, u64, bool&)>
void exec_binary64(Wave& wave, const Inst& inst) {
    const u64 result = op(scalar_pair(wave, inst.src[0]), scalar_pair(wave, inst.src[1]), wave.scc);
    set_scalar_pair(wave, inst.dst[0], result);
}

template <u32 (*op)(u32, bool&)>
void exec_unary32(Wave& wave, const Inst& inst) {
    const u32 result = op(scalar_word(wave, inst.src[0]), wave.scc);
    set_scalar_word(wave, inst.dst[0], result);
}

template <u64 (*op)(u64, bool&)>
void exec_unary64(Wave& wave, const Inst& inst) {
    const u64 result = op(scalar_pair(wave, inst.src[0]), wave.scc);
    set_scalar_pair(wave, inst.dst[0], result);
}

template <u32 (*op)(u64, bool&)>
void exec_narrow(Wave& wave, const Inst& inst) {
    const u32 result = op(scalar_pair(wave, inst.src[0]), wave.scc);
    set_scalar_word(wave, inst.dst[0], result);
}

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

// Logic

enum class Logic { and_, or_, xor_, nand, nor, xnor, and_not1, or_not1, and_not0, or_not0 };

template <Logic logic, class Word>
Word combine(Word a, Word b) {
    switch (logic) {
        case Logic::and_: return a & b;
        case Logic::or_: return a | b;
        case Logic::xor_: return a ^ b;
        case Logic::nand: return ~(a & b);
        case Logic::nor: return ~(a | b);
        case Logic::xnor: return ~(a ^ b);
        case Logic::and_not1: return a & ~b;
        case Logic::or_not1: return a | ~b;
        case Logic::and_not0: return ~a & b;
        case Logic::or_not0: return ~a | b;
    }
    return 0;
}

template <Logic logic, class Word>
Word logic_op(Word a, Word b, bool& scc) {
    const Word result = combine<logic>(a, b);
    scc = result != 0;
    return result;
}

template <class Word>
Word not_op(Word a, bool& scc) {
    const Word result = ~a;
    scc = result != 0;
    return result;
}

/// D = EXEC; EXEC = S0 op EXEC; SCC = EXEC is not 0.
template <Logic logic>
void exec_saveexec32(Wave& wave, const Inst& inst) {
    const u32 source = scalar_word(wave, inst.src[0]);
    const u32 saved = wave.s[kExecLo];
    set_scalar_word(wave, inst.dst[0], saved);
    wave.s[kExecLo] = combine<logic>(source, saved);
    wave.scc = wave.s[kExecLo] != 0;
}

template <Logic logic>
void exec_saveexec64(Wave& wave, const Inst& inst) {
    const u64 source = scalar_pair(wave, inst.src[0]);
    const u64 saved = wave.s[kExecLo] | u64{wave.s[kExecHi]} << 32;
    const u64 exec = combine<logic>(source, saved);
    set_scalar_pair(wave, inst.dst[0], saved);
    wave.s[kExecLo] = static_cast<u32>(exec);
    wave.s[kExecHi] = static_cast<u32>(exec >> 32);
    wave.scc = exec != 0;
}

/// EXEC = S0 op EXEC; D = EXEC.
template <Logic logic>
void exec_wrexec32(Wave& wave, const Inst& inst) {
    const u32 exec = combine<logic>(scalar_word(wave, inst.src[0]), wave.s[kExecLo]);
    wave.s[kExecLo] = exec;
    set_scalar_word(wave, inst.dst[0], exec);
    wave.scc = exec != 0;
}

template <Logic logic>
void exec_wrexec64(Wave& wave, const Inst& inst) {
    const u64 exec = combine<logic>(scalar_pair(wave, inst.src[0]), wave.s[kExecLo] | u64{wave.s[kExecHi]} << 32);
    wave.s[kExecLo] = static_cast<u32>(exec);
    wave.s[kExecHi] = static_cast<u32>(exec >> 32);
    set_scalar_pair(wave, inst.dst[0], exec);
    wave.scc = exec != 0;
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
    const u32 width = b >> 16 & 0x7f;
    u32 result = bfe_u32(a, b, scc);
    if (width > 0 && width < 32 && (result >> (width - 1) & 1) != 0) result |= ~0u << width;
    if (width >= 32) result = static_cast<u32>(static_cast<i32>(a) >> (b & 31));
    return scc = result != 0, result;
}

u64 bfe_i64(u64 a, u64 b, bool& scc) {
    const u64 width = b >> 16 & 0x7f;
    u64 result = bfe_u64(a, b, scc);
    if (width > 0 && width < 64 && (result >> (width - 1) & 1) != 0) result |= ~0ull << width;
    if (width >= 64) result = static_cast<u64>(static_cast<i64>(a) >> (b & 63));
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

// Comparisons

template <bool (*compare)(u32, u32)>
void exec_compare(Wave& wave, const Inst& inst) {
    wave.scc = compare(scalar_word(wave, inst.src[0]), scalar_word(wave, inst.src[1]));
}
template <bool equal>
void exec_compare64(Wave& wave, const Inst& inst) {
    wave.scc = (scalar_pair(wave, inst.src[0]) == scalar_pair(wave, inst.src[1])) == equal;
}

bool eq(u32 a, u32 b) { return a == b; }
bool lg(u32 a, u32 b) { return a != b; }
bool gt_i32(u32 a, u32 b) { return static_cast<i32>(a) > static_cast<i32>(b); }
bool ge_i32(u32 a, u32 b) { return static_cast<i32>(a) >= static_cast<i32>(b); }
bool lt_i32(u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b); }
bool le_i32(u32 a, u32 b) { return static_cast<i32>(a) <= static_cast<i32>(b); }
bool gt_u32(u32 a, u32 b) { return a > b; }
bool ge_u32(u32 a, u32 b) { return a >= b; }
bool lt_u32(u32 a, u32 b) { return a < b; }
bool le_u32(u32 a, u32 b) { return a <= b; }
bool bit_clear32(u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; }
bool bit_set32(u32 a, u32 b) { return (a >> (b & 31) & 1) != 0; }

template <bool set>
void exec_bitcmp64(Wave& wave, const Inst& inst) {
    wave.scc = ((scalar_pair(wave, inst.src[0]) >> (scalar_word(wave, inst.src[1]) & 63) & 1) != 0) == set;
}

// SOPK: a 16-bit constant, sign-extended except where the operation is unsigned.

u32 signed16(const Inst& inst) { return static_cast<u32>(i32{static_cast<std::int16_t>(inst.imm)}); }

template <bool (*compare)(u32, u32), bool is_signed>
void exec_compare_constant(Wave& wave, const Inst& inst) {
    wave.scc = compare(scalar_word(wave, inst.src[0]), is_signed ? signed16(inst) : static_cast<u32>(inst.imm) & 0xffff);
}

void exec_movk(Wave& wave, const Inst& inst) { set_scalar_word(wave, inst.dst[0], signed16(inst)); }
void exec_cmovk(Wave& wave, const Inst& inst) {
    if (wave.scc) exec_movk(wave, inst);
}
void exec_addk(Wave& wave, const Inst& inst) {
    set_scalar_word(wave, inst.dst[0], add_i32(scalar_word(wave, inst.dst[0]), signed16(inst), wave.scc));
}
void exec_mulk(Wave& wave, const Inst& inst) { set_scalar_word(wave, inst.dst[0], scalar_word(wave, inst.dst[0]) * signed16(inst)); }

// Hardware registers: MODE is kept; the rest reads as 0.

struct HardwareField {
    unsigned number, offset, size;
    u32 mask() const { return size >= 32 ? ~0u : (1u << size) - 1; }
};

HardwareField field_of(u32 encoded) { return {encoded & 63, encoded >> 6 & 31, (encoded >> 11 & 31) + 1}; }

constexpr unsigned kModeRegister = 1;

void exec_getreg(Wave& wave, const Inst& inst) {
    const HardwareField field = field_of(scalar_word(wave, inst.src[0]));
    const u32 value = field.number == kModeRegister ? wave.mode : 0;
    set_scalar_word(wave, inst.dst[0], value >> field.offset & field.mask());
}

void exec_setreg(Wave& wave, const Inst& inst) {
    const HardwareField field = field_of(scalar_word(wave, inst.src[0]));
    if (field.number != kModeRegister) return;
    const u32 mask = field.mask() << field.offset;
    wave.mode = (wave.mode & ~mask) | (scalar_word(wave, inst.src[1]) << field.offset & mask);
}

void exec_round_mode(Wave& wave, const Inst& inst) { wave.mode = (wave.mode & ~15u) | (static_cast<u32>(inst.imm) & 15); }
void exec_denorm_mode(Wave& wave, const Inst& inst) { wave.mode = (wave.mode & ~0xf0u) | (static_cast<u32>(inst.imm) & 15) << 4; }

/// s_sendmsg_rtn: clocks and identities of the chip; a running kernel must not depend on them, so they are zero.
void exec_message_result(Wave& wave, const Inst& inst) { set_scalar_word(wave, inst.dst[0], 0); }
void exec_message_result64(Wave& wave, const Inst& inst) { set_scalar_pair(wave, inst.dst[0], 0); }

// Table rows

constexpr OpInfo scalar_op(std::string_view mnemonic, ExecFn exec, TaintFn rule, bool writes_scc, Type type = Type::b32) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::salu;
    op.issue_cycles = 0;
    op.source_type = type;
    op.writes_scc = writes_scc;
    op.taint = Taint::custom;
    op.taint_fn = rule;
    return op;
}

constexpr OpInfo arithmetic(std::string_view mnemonic, ExecFn exec, bool writes_scc = true, Type type = Type::b32) {
    return scalar_op(mnemonic, exec, taint_scalar_whole, writes_scc, type);
}
constexpr OpInfo bits(std::string_view mnemonic, ExecFn exec, bool writes_scc = true) {
    return scalar_op(mnemonic, exec, taint_scalar_trial, writes_scc, Type::b32);
}
constexpr OpInfo bits64(std::string_view mnemonic, ExecFn exec, bool writes_scc = true) {
    return scalar_op(mnemonic, exec, taint_scalar_trial, writes_scc, Type::b64);
}
constexpr OpInfo shift64(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = bits64(mnemonic, exec);
    op.source_types = {Type::b64, Type::b32};
    return op;
}
constexpr OpInfo with_scc(OpInfo op) {
    op.reads_scc = true;
    return op;
}
constexpr OpInfo with_old(OpInfo op) {
    op.reads_destination = true;
    return op;
}
constexpr OpInfo with_exec(OpInfo op) {
    op.writes_exec = true;
    return op;
}
constexpr OpInfo compare(std::string_view mnemonic, ExecFn exec, Type type = Type::b32) {
    OpInfo op = arithmetic(mnemonic, exec, true, type);
    op.destinations = 0;
    return op;
}
constexpr OpInfo always_defined(std::string_view mnemonic, ExecFn exec, std::uint8_t destinations = 1) {
    OpInfo op = scalar_op(mnemonic, exec, taint_scalar_defined, false);
    op.destinations = destinations;
    return op;
}
constexpr OpInfo bit_compare(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = compare(mnemonic, exec);
    op.taint_fn = taint_scalar_trial;
    op.source_types = {mnemonic.ends_with("64") ? Type::b64 : Type::b32, Type::b32};
    return op;
}

#define LOGIC_ROWS(name, logic)                                                \
    bits("s_" name "_b32", exec_binary32<logic_op<Logic::logic, u32>>),        \
        bits64("s_" name "_b64", exec_binary64<logic_op<Logic::logic, u64>>),  \
        with_exec(bits("s_" name "_saveexec_b32", exec_saveexec32<Logic::logic>)), \
        with_exec(bits64("s_" name "_saveexec_b64", exec_saveexec64<Logic::logic>))

#define COMPARE_ROWS(name, signed_compare, unsigned_compare)                                          \
    compare("s_cmp_" name "_i32", exec_compare<signed_compare>),                                      \
        compare("s_cmp_" name "_u32", exec_compare<unsigned_compare>),                                \
        compare("s_cmpk_" name "_i32", exec_compare_constant<signed_compare, true>),                  \
        compare("s_cmpk_" name "_u32", exec_compare_constant<unsigned_compare, false>)

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

    LOGIC_ROWS("and", and_),
    LOGIC_ROWS("or", or_),
    LOGIC_ROWS("xor", xor_),
    LOGIC_ROWS("nand", nand),
    LOGIC_ROWS("nor", nor),
    LOGIC_ROWS("xnor", xnor),
    LOGIC_ROWS("and_not1", and_not1),
    LOGIC_ROWS("or_not1", or_not1),
    with_exec(bits("s_and_not0_saveexec_b32", exec_saveexec32<Logic::and_not0>)),
    with_exec(bits64("s_and_not0_saveexec_b64", exec_saveexec64<Logic::and_not0>)),
    with_exec(bits("s_or_not0_saveexec_b32", exec_saveexec32<Logic::or_not0>)),
    with_exec(bits64("s_or_not0_saveexec_b64", exec_saveexec64<Logic::or_not0>)),
    with_exec(bits("s_and_not0_wrexec_b32", exec_wrexec32<Logic::and_not0>)),
    with_exec(bits64("s_and_not0_wrexec_b64", exec_wrexec64<Logic::and_not0>)),
    with_exec(bits("s_and_not1_wrexec_b32", exec_wrexec32<Logic::and_not1>)),
    with_exec(bits64("s_and_not1_wrexec_b64", exec_wrexec64<Logic::and_not1>)),
    bits("s_not_b32", exec_unary32<not_op<u32>>),
    bits64("s_not_b64", exec_unary64<not_op<u64>>),

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

    COMPARE_ROWS("eq", eq, eq),
    COMPARE_ROWS("lg", lg, lg),
    COMPARE_ROWS("gt", gt_i32, gt_u32),
    COMPARE_ROWS("ge", ge_i32, ge_u32),
    COMPARE_ROWS("lt", lt_i32, lt_u32),
    COMPARE_ROWS("le", le_i32, le_u32),
    compare("s_cmp_eq_u64", exec_compare64<true>, Type::b64),
    compare("s_cmp_lg_u64", exec_compare64<false>, Type::b64),
    bit_compare("s_bitcmp0_b32", exec_compare<bit_clear32>),
    bit_compare("s_bitcmp1_b32", exec_compare<bit_set32>),
    bit_compare("s_bitcmp0_b64", exec_bitcmp64<false>),
    bit_compare("s_bitcmp1_b64", exec_bitcmp64<true>),

    always_defined("s_movk_i32", exec_movk),
    with_old(with_scc(bits("s_cmovk_i32", exec_cmovk, false))),
    with_old(arithmetic("s_addk_i32", exec_addk)),
    with_old(arithmetic("s_mulk_i32", exec_mulk, false)),
    always_defined("s_getreg_b32", exec_getreg),
    always_defined("s_setreg_b32", exec_setreg, 0),
    always_defined("s_setreg_imm32_b32", exec_setreg, 0),
    always_defined("s_round_mode", exec_round_mode, 0),
    always_defined("s_denorm_mode", exec_denorm_mode, 0),
    always_defined("s_sendmsg_rtn_b32", exec_message_result),
    always_defined("s_sendmsg_rtn_b64", exec_message_result64),
};

#undef LOGIC_ROWS
#undef COMPARE_ROWS

}  // namespace

std::span<const OpInfo> salu_ops() { return kOps; }

}  // namespace hipemu
