// v_movrel*: moves between registers whose number M0 completes. Compilers use them for arrays in registers at -O0.
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "emulator/op_tables.hpp"
#include "emulator/scalar.hpp"
#include "emulator/undefined.hpp"

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

template <Relative relative>
void taint_move(Wave& wave, const Inst& inst) {
    if (scalar_undefined_bits(wave, kM0) != 0) {
        wave.stop_with_fault(FaultKind::undefined_address, "M0, which completes a register's number, holds undefined bits");
        return;
    }
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

constexpr std::array kOps{
    row<Relative::source>("v_movrels_b32"),
    row<Relative::destination>("v_movreld_b32"),
    row<Relative::both>("v_movrelsd_b32"),
    row<Relative::both_apart>("v_movrelsd_2_b32"),
};

}  // namespace

std::span<const OpInfo> relative_move_ops() { return kOps; }

}  // namespace hipemu
