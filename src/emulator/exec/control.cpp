// SOPP: branches, barriers, waits, the end; and the handlers that the decoder puts in place itself.
#include "emulator/exec/control.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "emulator/isa/op_tables.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/state/scalar.hpp"
#include "emulator/state/undefined.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {
namespace {

void exec_nothing(Wave&, const Inst&) {}

template <bool (*taken)(const Wave&)>
void exec_branch(Wave& wave, const Inst& inst) {
    if (taken(wave)) wave.pc = inst.target;
}

bool always(const Wave&) { return true; }
bool on_scc0(const Wave& wave) { return !wave.scc; }
bool on_scc1(const Wave& wave) { return wave.scc; }
bool on_vccz(const Wave& wave) { return wave.s[kVccLo] == 0; }
bool on_vccnz(const Wave& wave) { return wave.s[kVccLo] != 0; }
bool on_execz(const Wave& wave) { return wave.s[kExecLo] == 0; }
bool on_execnz(const Wave& wave) { return wave.s[kExecLo] != 0; }
bool never(const Wave&) { return false; }  // debugger conditions: no debugger is attached

void exec_end(Wave& wave, const Inst&) { wave.state = WaveState::ended; }

void exec_barrier(Wave& wave, const Inst&) { wave.state = WaveState::at_barrier; }

void exec_trap(Wave& wave, const Inst& inst) {
    wave.stop_with_fault(FaultKind::trap, fmt::format("the kernel traps (code {}); compilers place this where __builtin_trap or assert fails",
                                                      inst.imm & 0xffff));
}

void exec_jump(Wave& wave, const Inst&, std::uint64_t address) {
    const Program& program = *wave.program;
    const std::int32_t index = address >= program.load_address ? program.index_of(address - program.load_address) : -1;
    if (index < 0) {
        wave.stop_with_fault(FaultKind::out_of_bounds, fmt::format("jumps to {:#x}, which is no instruction of this code object", address), -1,
                             address);
        return;
    }
    wave.pc = static_cast<std::uint32_t>(index);
}

void set_return_address(Wave& wave, const Inst& inst) {
    const std::uint64_t address = wave.program->load_address + inst.address + inst.bytes;
    wave.s[inst.dst[0].index] = static_cast<std::uint32_t>(address);
    wave.s[inst.dst[0].index + 1] = static_cast<std::uint32_t>(address >> 32);
}

void exec_setpc(Wave& wave, const Inst& inst) { exec_jump(wave, inst, scalar_pair(wave, inst.src[0])); }

void exec_swappc(Wave& wave, const Inst& inst) {
    const std::uint64_t target = scalar_pair(wave, inst.src[0]);
    set_return_address(wave, inst);
    exec_jump(wave, inst, target);
}

void exec_call(Wave& wave, const Inst& inst) {
    set_return_address(wave, inst);
    wave.pc = inst.target;
}

// Rules for undefined bits: a branch must not be decided by them.

void require_scc(Wave& wave, const Inst&) {
    if (scc_undefined(wave)) wave.stop_with_fault(FaultKind::undefined_branch, "SCC, which decides this branch, comes from undefined bits");
}

void require_vcc(Wave& wave, const Inst&) {
    const std::uint32_t undefined = scalar_undefined_bits(wave, kVccLo);
    if (undefined == 0) return;
    // One defined bit that is set decides both vccz and vccnz.
    if ((wave.s[kVccLo] & ~undefined) != 0) return;
    wave.stop_with_fault(FaultKind::undefined_branch, "VCC, which decides this branch, holds undefined bits", __builtin_ctz(undefined));
}

void require_target(Wave& wave, const Inst& inst) {
    if (any_undefined(wave, inst.src[0])) {
        wave.stop_with_fault(FaultKind::undefined_branch, "the address that is jumped to holds undefined bits");
    }
    for (unsigned word = 0; inst.destinations > 0 && word < 2; ++word) set_scalar_undefined(wave, inst.dst[0].index + word, 0);
}

void define_return_address(Wave& wave, const Inst& inst) {
    for (unsigned word = 0; word < 2; ++word) set_scalar_undefined(wave, inst.dst[0].index + word, 0);
}

constexpr OpInfo branch(std::string_view mnemonic, ExecFn exec, TaintFn rule = nullptr) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::branch;
    op.destinations = 0;
    op.ends_block = true;
    op.taint = rule != nullptr ? Taint::custom : Taint::none;
    op.taint_fn = rule;
    return op;
}

constexpr OpInfo scc_branch(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = branch(mnemonic, exec, require_scc);
    op.reads_scc = true;
    return op;
}

constexpr OpInfo vcc_branch(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = branch(mnemonic, exec, require_vcc);
    op.reads_vcc = true;
    return op;
}

constexpr OpInfo jump(std::string_view mnemonic, ExecFn exec, std::uint8_t destinations, TaintFn rule) {
    OpInfo op = branch(mnemonic, exec, rule);
    op.unit = Unit::salu;  // targets are no simm16
    op.source_type = Type::b64;
    op.destinations = destinations;
    return op;
}

constexpr OpInfo call(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = branch(mnemonic, exec, define_return_address);
    op.destinations = 1;
    return op;
}

constexpr OpInfo stop(std::string_view mnemonic, ExecFn exec, Unit unit) {
    OpInfo op = branch(mnemonic, exec);
    op.unit = unit;
    return op;
}

/// Waits and hints: one flat memory and in-order execution leave them nothing to do.
constexpr OpInfo hint(std::string_view mnemonic) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec_nothing;
    op.unit = Unit::wait;
    op.issue_cycles = 0;
    op.destinations = 0;
    op.taint = Taint::none;
    op.no_effect = true;
    return op;
}

constexpr std::array kOps{
    branch("s_branch", exec_branch<always>),
    scc_branch("s_cbranch_scc0", exec_branch<on_scc0>),
    scc_branch("s_cbranch_scc1", exec_branch<on_scc1>),
    vcc_branch("s_cbranch_vccz", exec_branch<on_vccz>),
    vcc_branch("s_cbranch_vccnz", exec_branch<on_vccnz>),
    branch("s_cbranch_execz", exec_branch<on_execz>),
    branch("s_cbranch_execnz", exec_branch<on_execnz>),
    branch("s_cbranch_cdbgsys", exec_branch<never>),
    branch("s_cbranch_cdbguser", exec_branch<never>),
    branch("s_cbranch_cdbgsys_or_user", exec_branch<never>),
    branch("s_cbranch_cdbgsys_and_user", exec_branch<never>),
    jump("s_setpc_b64", exec_setpc, 0, require_target),
    jump("s_swappc_b64", exec_swappc, 1, require_target),
    call("s_call_b64", exec_call),
    stop("s_endpgm", exec_end, Unit::other),
    stop("s_endpgm_saved", exec_end, Unit::other),
    stop("s_barrier", exec_barrier, Unit::other),
    stop("s_trap", exec_trap, Unit::other),
    hint("s_waitcnt"),
    hint("s_waitcnt_vscnt"),
    hint("s_waitcnt_vmcnt"),
    hint("s_waitcnt_expcnt"),
    hint("s_waitcnt_lgkmcnt"),
    hint("s_waitcnt_depctr"),
    hint("s_wait_idle"),
    hint("s_wait_event"),
    hint("s_delay_alu"),
    hint("s_nop"),
    hint("s_clause"),
    hint("s_setprio"),
    hint("s_sleep"),
    hint("s_wakeup"),
    hint("s_sethalt"),
    hint("s_setkill"),
    hint("s_sendmsg"),
    hint("s_sendmsghalt"),
    hint("s_incperflevel"),
    hint("s_decperflevel"),
    hint("s_icache_inv"),
    hint("s_ttracedata"),
    hint("s_ttracedata_imm"),
    hint("s_set_inst_prefetch_distance"),
    hint("s_version"),
    hint("buffer_gl0_inv"),
    hint("buffer_gl1_inv"),
};

// Two halves of a VOPD.

unsigned destination(const Inst& half) { return half.dst[0].index; }

bool reads_register(const Inst& half, unsigned r) {
    if (half.info != nullptr && half.info->reads_destination && destination(half) == r) return true;
    for (unsigned i = 0; i < half.sources; ++i) {
        const Operand& source = half.src[i];
        if (source.kind == OperandKind::vgpr && r >= source.index && r < source.index + source.count) return true;
    }
    return false;
}

void exec_x_then_y(Wave& wave, const Inst& x) {
    x.first_exec(wave, x);
    x.second->exec(wave, *x.second);
}

void exec_y_then_x(Wave& wave, const Inst& x) {
    x.second->exec(wave, *x.second);
    x.first_exec(wave, x);
}

/// Each half reads what the other writes: X's result is put aside until Y has read.
template <void (*half_of)(Wave&, const Inst&, ExecFn)>
void run_crossed(Wave& wave, const Inst& x) {
    const unsigned r = destination(x);
    const std::uint64_t bit = 1ull << (r % 64);
    std::uint32_t old_value[kLanes], old_undefined[kLanes], new_value[kLanes], new_undefined[kLanes];
    const std::uint64_t old_defined = wave.defined.bits[r / 64] & bit;
    std::memcpy(old_value, wave.v[r], sizeof(old_value));
    std::memcpy(old_undefined, wave.undefined[r], sizeof(old_undefined));
    half_of(wave, x, x.first_exec);
    const std::uint64_t new_defined = wave.defined.bits[r / 64] & bit;
    std::memcpy(new_value, wave.v[r], sizeof(new_value));
    std::memcpy(new_undefined, wave.undefined[r], sizeof(new_undefined));
    std::memcpy(wave.v[r], old_value, sizeof(old_value));
    std::memcpy(wave.undefined[r], old_undefined, sizeof(old_undefined));
    wave.defined.bits[r / 64] = (wave.defined.bits[r / 64] & ~bit) | old_defined;
    half_of(wave, *x.second, x.second->exec);
    std::memcpy(wave.v[r], new_value, sizeof(new_value));
    std::memcpy(wave.undefined[r], new_undefined, sizeof(new_undefined));
    wave.defined.bits[r / 64] = (wave.defined.bits[r / 64] & ~bit) | new_defined;
}

void run_plain(Wave& wave, const Inst& half, ExecFn exec) { exec(wave, half); }

void run_with_rule(Wave& wave, const Inst& half, ExecFn exec) {
    if (half.info != nullptr) propagate_undefined(wave, half);
    exec(wave, half);
}

void exec_crossed(Wave& wave, const Inst& x) { run_crossed<run_plain>(wave, x); }

}  // namespace

std::span<const OpInfo> control_ops() { return kOps; }

void exec_unknown(Wave& wave, const Inst& inst) {
    const std::int32_t index = wave.program->index_of(inst.address);
    const std::string& text = wave.program->text[static_cast<std::size_t>(index < 0 ? 0 : index)];
    wave.stop_with_fault(FaultKind::unknown_instruction,
                         fmt::format("the emulator has no semantics for `{}`", text.substr(0, text.find(' '))));
}

void exec_not_understood(Wave& wave, const Inst&) {
    wave.stop_with_fault(FaultKind::unknown_instruction, "the emulator does not know this form of the instruction");
}

void join_halves(Inst& x) {
    const Inst& y = *x.second;
    x.first_exec = x.exec;
    x.unit = Unit::vopd;
    if (x.info == nullptr || y.info == nullptr) {
        x.exec = exec_unknown;
        return;
    }
    const bool y_needs_old = reads_register(y, destination(x));
    const bool x_needs_old = reads_register(x, destination(y));
    x.exec = !y_needs_old ? exec_x_then_y : !x_needs_old ? exec_y_then_x : exec_crossed;
    x.reads |= y.reads;
    x.writes |= y.writes;
    x.scalar_reads |= y.scalar_reads;
    x.scalar_writes |= y.scalar_writes;
}

void run_halves_with_rules(Wave& wave, const Inst& x) {
    if (x.exec == exec_x_then_y) {
        run_with_rule(wave, x, x.first_exec);
        run_with_rule(wave, *x.second, x.second->exec);
    } else if (x.exec == exec_y_then_x) {
        run_with_rule(wave, *x.second, x.second->exec);
        run_with_rule(wave, x, x.first_exec);
    } else if (x.exec == exec_crossed) {
        run_crossed<run_with_rule>(wave, x);
    } else {
        x.exec(wave, x);
    }
}

}  // namespace hipemu
