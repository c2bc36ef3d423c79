// How scalar instructions are written down: a function of the operands' words and SCC becomes a handler, a handler a row of the table.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/state/scalar.hpp"

namespace hipemu {

// The parts of salu_ops().
std::span<const OpInfo> salu_logic_ops();     // and, or, .. and their _saveexec and _wrexec forms
std::span<const OpInfo> salu_constant_ops();  // SOPC and SOPK: comparisons, 16-bit constants, hardware registers
std::span<const OpInfo> salu_float_ops();     // of gfx11.5

template <std::uint32_t (*op)(std::uint32_t, std::uint32_t, bool&)>
void exec_binary32(Wave& wave, const Inst& inst) {
    const std::uint32_t result = op(scalar_word(wave, inst.src[0]), scalar_word(wave, inst.src[1]), wave.scc);
    set_scalar_word(wave, inst.dst[0], result);
}

template <std::uint64_t (*op)(std::uint64_t, std::uint64_t, bool&)>
void exec_binary64(Wave& wave, const Inst& inst) {
    const std::uint64_t result = op(scalar_pair(wave, inst.src[0]), scalar_pair(wave, inst.src[1]), wave.scc);
    set_scalar_pair(wave, inst.dst[0], result);
}

template <std::uint32_t (*op)(std::uint32_t, bool&)>
void exec_unary32(Wave& wave, const Inst& inst) {
    const std::uint32_t result = op(scalar_word(wave, inst.src[0]), wave.scc);
    set_scalar_word(wave, inst.dst[0], result);
}

template <std::uint64_t (*op)(std::uint64_t, bool&)>
void exec_unary64(Wave& wave, const Inst& inst) {
    const std::uint64_t result = op(scalar_pair(wave, inst.src[0]), wave.scc);
    set_scalar_pair(wave, inst.dst[0], result);
}

template <std::uint32_t (*op)(std::uint64_t, bool&)>
void exec_narrow(Wave& wave, const Inst& inst) {
    const std::uint32_t result = op(scalar_pair(wave, inst.src[0]), wave.scc);
    set_scalar_word(wave, inst.dst[0], result);
}

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

}  // namespace hipemu
