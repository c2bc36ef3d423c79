// SOPC and SOPK: comparisons, operations with a 16-bit constant, hardware registers.
#include <array>
#include <cstdint>

#include "emulator/exec/scalar_rows.hpp"

namespace hipemu {
namespace {

using i32 = std::int32_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 add_i32(u32 a, u32 b, bool& scc) {
    const u32 sum = a + b;
    scc = (~(a ^ b) & (a ^ sum)) >> 31 != 0;
    return sum;
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

// Hardware registers: MODE is kept, SHADER_CYCLES counts; the rest reads as 0.

struct HardwareField {
    unsigned number, offset, size;
    u32 mask() const { return size >= 32 ? ~0u : (1u << size) - 1; }
};

HardwareField field_of(u32 encoded) { return {encoded & 63, encoded >> 6 & 31, (encoded >> 11 & 31) + 1}; }

constexpr unsigned kModeRegister = 1, kShaderCyclesRegister = 29;
constexpr u64 kShaderCyclesMask = (1u << 20) - 1;

/// The wave's own clock: what it issued, at least a cycle an instruction. It depends on nothing but what the wave ran, so results stay the same
/// every time, and it always goes on, so that a loop that waits for time to pass ends. Statistics are added up when a stretch of code is
/// left: instructions that read the clock end theirs.
u64 cycles(const Wave& wave) { return wave.instructions + wave.issue_units / kFraction; }

/// The same as the constant clock of 100 MHz, at the 2.4 GHz or so that the cards run at.
constexpr u64 kCyclesOfATick = 24;

void exec_getreg(Wave& wave, const Inst& inst) {
    const HardwareField field = field_of(scalar_word(wave, inst.src[0]));
    const u32 value = field.number == kModeRegister           ? wave.mode
                      : field.number == kShaderCyclesRegister ? static_cast<u32>(cycles(wave) & kShaderCyclesMask)
                                                              : 0;
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

// s_sendmsg_rtn: the clock; and identities of the chip, on which a running kernel must not depend, so they are zero.
constexpr u32 kRealTimeMessage = 0x83;
u64 message_result(const Wave& wave, const Inst& inst) {
    return (static_cast<u32>(inst.imm) & 0xff) == kRealTimeMessage ? cycles(wave) / kCyclesOfATick : 0;
}
void exec_message_result(Wave& wave, const Inst& inst) { set_scalar_word(wave, inst.dst[0], static_cast<u32>(message_result(wave, inst))); }
void exec_message_result64(Wave& wave, const Inst& inst) { set_scalar_pair(wave, inst.dst[0], message_result(wave, inst)); }

constexpr OpInfo reads_clock(OpInfo op) {
    op.ends_block = true;
    return op;
}

#define COMPARE_ROWS(name, signed_compare, unsigned_compare)                                          \
    compare("s_cmp_" name "_i32", exec_compare<signed_compare>),                                      \
        compare("s_cmp_" name "_u32", exec_compare<unsigned_compare>),                                \
        compare("s_cmpk_" name "_i32", exec_compare_constant<signed_compare, true>),                  \
        compare("s_cmpk_" name "_u32", exec_compare_constant<unsigned_compare, false>)

constexpr std::array kOps{
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
    reads_clock(always_defined("s_getreg_b32", exec_getreg)),
    always_defined("s_setreg_b32", exec_setreg, 0),
    always_defined("s_setreg_imm32_b32", exec_setreg, 0),
    always_defined("s_round_mode", exec_round_mode, 0),
    always_defined("s_denorm_mode", exec_denorm_mode, 0),
    reads_clock(always_defined("s_sendmsg_rtn_b32", exec_message_result)),
    reads_clock(always_defined("s_sendmsg_rtn_b64", exec_message_result64)),
};

#undef COMPARE_ROWS

}  // namespace

std::span<const OpInfo> salu_constant_ops() { return kOps; }

}  // namespace hipemu
