// v_movrel*, v_swaprel, s_movrel*: moves between registers whose number M0 completes. Compilers use them for arrays in registers at -O0.
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "emulator/isa/op_tables.hpp"
#include "emulator/state/scalar.hpp"
#include "emulator/state/undefined.hpp"

namespace hipemu {
namespace {

enum class Relative { source, destination, both, both_apart };

struct Move {
    Operand from, to;
    bool valid = false;
};

template <Relative relative>
Move move_of(Wave& wave, const Inst& inst) {
    const std::uint32_t m0 = wave.s[kM0];
    // v_movrelsd_2 takes two offsets from M0: bits 9:0 for the source, 25:16 for the destination.
    const std::uint32_t source_offset = relative == Relative::destination ? 0 : relative == Relative::both_apart ? m0 & 0x3ff : m0;
    const std::uint32_t target_offset = relative == Relative::source ? 0 : relative == Relative::both_apart ? m0 >> 16 & 0x3ff : m0;
    Move move{inst.src[0], inst.dst[0], true};
    const std::uint64_t source = std::uint64_t{move.from.index} + source_offset;
    const std::uint64_t target = std::uint64_t{move.to.index} + target_offset;
    if ((move.from.kind == OperandKind::vgpr && source > 255) || target > 255) {
        wave.stop_with_fault(FaultKind::out_of_bounds, fmt::format("M0 = {} leads past the last vector register", m0));
        move.valid = false;
        return move;
    }
    if (move.from.kind == OperandKind::vgpr) move.from.index = static_cast<std::uint16_t>(source);
    move.to.index = static_cast<std::uint16_t>(target);
    return move;
}

template <Relative relative>
void exec_move(Wave& wave, const Inst& inst) {
    const Move move = move_of<relative>(wave, inst);
    if (!move.valid) return;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        wave.v[move.to.index][lane] = move.from.kind == OperandKind::vgpr ? wave.v[move.from.index][lane] : scalar_word(wave, move.from);
    }
}

bool require_defined_offset(Wave& wave) {
    if (scalar_undefined_bits(wave, kM0) == 0) return true;
    wave.stop_with_fault(FaultKind::undefined_address, "M0, which completes a register's number, holds undefined bits");
    return false;
}

template <Relative relative>
void taint_move(Wave& wave, const Inst& inst) {
    if (!require_defined_offset(wave)) return;
    const Move move = move_of<relative>(wave, inst);
    if (!move.valid) return;
    LaneBits bits;
    undefined_bits(wave, move.from, 0, bits);
    set_undefined(wave, move.to, 0, bits);
}

template <Relative relative>
constexpr OpInfo row(std::string_view mnemonic) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec_move<relative>;
    op.unit = Unit::valu;
    op.reads_m0 = true;
    op.any_register = true;
    op.taint = Taint::custom;
    op.taint_fn = taint_move<relative>;
    return op;
}

/// The registers change places in the active lanes; offsets as those of v_movrelsd_2.
void exec_swap(Wave& wave, const Inst& inst) {
    const Move move = move_of<Relative::both_apart>(wave, inst);
    if (!move.valid) return;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) != 0) std::swap(wave.v[move.from.index][lane], wave.v[move.to.index][lane]);
    }
}

void taint_swap(Wave& wave, const Inst& inst) {
    if (!require_defined_offset(wave)) return;
    const Move move = move_of<Relative::both_apart>(wave, inst);
    if (!move.valid) return;
    LaneBits from, to;
    undefined_bits(wave, move.from, 0, from);
    undefined_bits(wave, move.to, 0, to);
    set_undefined(wave, move.from, 0, to);
    set_undefined(wave, move.to, 0, from);
}

// Of scalar registers, one or two.

constexpr std::uint64_t kGeneralRegisters = 106;  // s0..s105; pairs may not reach beyond

template <Relative relative, unsigned words>
Move scalar_move_of(Wave& wave, const Inst& inst) {
    const std::uint32_t m0 = wave.s[kM0];
    Move move{inst.src[0], inst.dst[0], true};
    std::uint64_t from = move.from.index, to = move.to.index;
    if (relative == Relative::both_apart) from += m0 & 0x3ff, to += m0 >> 16 & 0x3ff;
    if (relative == Relative::source) from += m0;
    if (relative == Relative::destination) to += m0;
    const bool from_inside = relative == Relative::destination || (move.from.kind == OperandKind::sgpr && from + words <= kGeneralRegisters);
    const bool to_inside = relative == Relative::source || to + words <= kGeneralRegisters;
    if (!from_inside || !to_inside) {
        wave.stop_with_fault(FaultKind::out_of_bounds, fmt::format("M0 = {} leads past the last scalar register", m0));
        move.valid = false;
        return move;
    }
    if (relative != Relative::destination) move.from.index = static_cast<std::uint16_t>(from);
    if (relative != Relative::source) move.to.index = static_cast<std::uint16_t>(to);
    return move;
}

template <Relative relative, unsigned words>
void exec_scalar_move(Wave& wave, const Inst& inst) {
    const Move move = scalar_move_of<relative, words>(wave, inst);
    if (!move.valid) return;
    std::uint32_t values[words];
    for (unsigned word = 0; word < words; ++word) values[word] = scalar_word(wave, move.from, word);
    for (unsigned word = 0; word < words; ++word) set_scalar_word(wave, move.to, values[word], word);
}

template <Relative relative, unsigned words>
void taint_scalar_move(Wave& wave, const Inst& inst) {
    if (!require_defined_offset(wave)) return;
    const Move move = scalar_move_of<relative, words>(wave, inst);
    if (!move.valid) return;
    std::uint32_t bits[words];
    for (unsigned word = 0; word < words; ++word) {
        bits[word] = move.from.kind == OperandKind::sgpr ? scalar_undefined_bits(wave, move.from.index + word) : 0;
    }
    for (unsigned word = 0; word < words; ++word) set_scalar_undefined(wave, move.to.index + word, bits[word]);
}

template <Relative relative, unsigned words>
constexpr OpInfo scalar_row(std::string_view mnemonic) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec_scalar_move<relative, words>;
    op.unit = Unit::salu;
    op.issue_cycles = 0;
    op.source_type = words == 2 ? Type::b64 : Type::b32;
    op.reads_m0 = true;
    op.any_register = true;
    op.taint = Taint::custom;
    op.taint_fn = taint_scalar_move<relative, words>;
    return op;
}

constexpr OpInfo swap_row() {
    OpInfo op = row<Relative::both_apart>("v_swaprel_b32");
    op.exec = exec_swap;
    op.taint_fn = taint_swap;
    return op;
}

constexpr std::array kOps{
    scalar_row<Relative::source, 1>("s_movrels_b32"),
    scalar_row<Relative::source, 2>("s_movrels_b64"),
    scalar_row<Relative::destination, 1>("s_movreld_b32"),
    scalar_row<Relative::destination, 2>("s_movreld_b64"),
    scalar_row<Relative::both_apart, 1>("s_movrelsd_2_b32"),
    swap_row(),
    row<Relative::source>("v_movrels_b32"),
    row<Relative::destination>("v_movreld_b32"),
    row<Relative::both>("v_movrelsd_b32"),
    row<Relative::both_apart>("v_movrelsd_2_b32"),
};

}  // namespace

std::span<const OpInfo> relative_move_ops() { return kOps; }

}  // namespace hipemu
