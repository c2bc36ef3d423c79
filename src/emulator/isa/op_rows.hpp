// Short ways to write the rows of the vector operation tables.
#pragma once

#include "emulator/isa/inst.hpp"

namespace hipemu {

/// Issue cycles of one SIMD for one wave32, by kind; measured on gfx1100 by instruction traces (1, 2, 4 and 16).
inline constexpr std::uint8_t kQuarterRate = 4, kShift64Cycles = 2, kMad64Cycles = 4, kDoubleCycles = 16, kTransCycles = 4;

constexpr OpInfo vector_op(std::string_view mnemonic, ExecFn exec, Type type, std::uint8_t cycles = 1) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.source_type = type;
    op.issue_cycles = cycles;
    return op;
}

constexpr OpInfo with_taint(OpInfo op, Taint taint, TaintFn rule = nullptr) {
    op.taint = taint;
    op.taint_fn = rule;
    return op;
}

constexpr OpInfo with_sources(OpInfo op, Type a, Type b = Type::none, Type c = Type::none) {
    op.source_types = {a, b, c, Type::none};
    return op;
}

constexpr OpInfo with_accumulator(OpInfo op) {
    op.reads_destination = true;
    return op;
}

/// The result is 16 bits of the destination register; the other half keeps its value.
constexpr OpInfo with_half_result(OpInfo op) {
    op.half_result = true;
    return op;
}

constexpr OpInfo with_destinations(OpInfo op, std::uint8_t count) {
    op.destinations = count;
    return op;
}

constexpr OpInfo transcendental(OpInfo op) {
    op.unit = Unit::trans;
    op.issue_cycles = kTransCycles;
    return op;
}

}  // namespace hipemu
