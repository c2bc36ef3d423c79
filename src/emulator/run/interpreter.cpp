#include "emulator/run/interpreter.hpp"

#include <fmt/format.h>

#include "emulator/checks/watch.hpp"
#include "emulator/exec/control.hpp"
#include "emulator/state/undefined.hpp"

namespace hipemu {
namespace {

/// Marks what an instruction writes as defined, knowing that all it reads is.
void define_written(Wave& wave, const Inst& inst) {
    if (wave.exec() == 0xffffffffu || inst.unit == Unit::wmma) {
        wave.defined |= inst.writes;
    } else {
        const LaneBits none{};
        for (unsigned word = 0; word < 4; ++word) {
            for (std::uint64_t left = inst.writes.bits[word] & ~wave.defined.bits[word]; left != 0; left &= left - 1) {
                Operand written;
                written.kind = OperandKind::vgpr;
                written.index = static_cast<std::uint16_t>(64 * word + static_cast<unsigned>(__builtin_ctzll(left)));
                set_undefined(wave, written, 0, none);
            }
        }
    }
    wave.scalar_defined |= inst.scalar_writes;
}

/// An instruction that touches a register with undefined bits.
void run_with_rules(Wave& wave, const Inst& inst) {
    if (wave.defined.covers(inst.reads) && wave.scalar_defined.covers(inst.scalar_reads)) {
        define_written(wave, inst);
        inst.exec(wave, inst);
        return;
    }
    if (inst.second != nullptr) {
        run_halves_with_rules(wave, inst);
        return;
    }
    if (inst.info != nullptr) propagate_undefined(wave, inst);
    if (wave.state == WaveState::running) inst.exec(wave, inst);
}

}  // namespace

CostSums::CostSums(const Program& program, const TimedProgram* timed) : before(program.code.size() + 1) {
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const Inst& inst = program.code[i];
        const bool counted = inst.info != nullptr && !inst.info->no_effect;
        before[i + 1] = {.instructions = before[i].instructions + (counted ? 1 : 0), .work = timed != nullptr ? timed->work_before[i + 1] : 0};
    }
}

Flow& Flow::operator+=(const Flow& other) {
    for (std::size_t i = 0; i < entered.size(); ++i) {
        entered[i] += other.entered[i];
        left[i] += other.left[i];
    }
    return *this;
}

std::vector<std::uint64_t> Flow::counts() const {
    std::vector<std::uint64_t> result(entered.size());
    std::uint64_t running = 0;
    for (std::size_t i = 0; i < entered.size(); ++i) {
        running += entered[i] - left[i];
        result[i] = running;
    }
    return result;
}

namespace {

/// Whether everything in the sets is defined, so that instructions that touch nothing else need no rules.
template <bool undefined>
inline bool needs_no_rules(const Wave& wave, const RegSet& touched, const ScalarSet& scalar_touched) {
    return !undefined || (wave.defined.covers(touched) && wave.scalar_defined.covers(scalar_touched));
}

/// One instruction, undefined bits included.
template <bool undefined>
inline void run_instruction(Wave& wave, const Inst& inst) {
    if (needs_no_rules<undefined>(wave, inst.touched, inst.scalar_touched)) [[likely]] {
        inst.exec(wave, inst);
    } else {
        run_with_rules(wave, inst);
    }
}

/// Runs straight-line code from `inst` to its end, or to a finding. Returns the last instruction run.
template <bool undefined>
inline const Inst* run_stretch(Wave& wave, const Inst* inst, const Inst* code) {
    for (;;) {
        wave.current = inst;
        if (inst->ends_block) wave.pc = static_cast<std::uint32_t>(inst - code) + inst->skip;
        run_instruction<undefined>(wave, *inst);
        if (inst->ends_block || wave.state != WaveState::running) return inst;
        inst += inst->skip;
    }
}

/// Runs instructions that touch only defined registers, up to `end` or to a finding. Returns `end`, or the one that was stopped.
inline const Inst* run_quietly(Wave& wave, const Inst* inst, const Inst* end) {
    for (; inst < end; inst += inst->skip) {
        wave.current = inst;
        inst->exec(wave, *inst);
        if (wave.state != WaveState::running) return inst;
    }
    return end;
}

/// The same before the eyes of a watch, which sees waits and hints, too.
template <bool undefined>
const Inst* run_watched_stretch(Wave& wave, const Inst* inst, const Inst* code, Watch& watch) {
    const QuietRun* const runs = wave.program->quiet.data();
    const std::uint8_t* const marks = watch.marks(wave);
    const bool sees_all = marks != wave.program->marks.data();
    for (auto index = static_cast<std::size_t>(inst - code);; ++index) {
        const QuietRun& quiet = runs[index];
        if (index < quiet.end && !sees_all && needs_no_rules<undefined>(wave, quiet.touched, quiet.scalar_touched) && !watch.may_block(wave, quiet)) {
            const Inst* const end = code + quiet.end;
            const Inst* const last = run_quietly(wave, code + index, end);
            if (last != end) return last;
            index = quiet.end;
        }
        inst = code + index;
        wave.current = inst;
        if (inst->ends_block) wave.pc = static_cast<std::uint32_t>(index) + 1;
        if (watch.blocks(wave, *inst)) [[unlikely]] watch.stop_blocked(wave, *inst);
        const std::uint8_t mark = marks[index];
        watch.before(wave, *inst, index, mark);
        if (wave.state == WaveState::running) run_instruction<undefined>(wave, *inst);
        watch.after(wave, *inst, index, mark);
        if (inst->ends_block || wave.state != WaveState::running) return inst;
    }
}

template <bool undefined>
void run(Wave& wave, const CostSums& costs, Flow& flow, const RunOptions& options) {
    const Inst* const code = wave.program->code.data();
    const std::uint64_t pause = wave.instructions + options.slice;
    while (wave.state == WaveState::running) {
        const auto entry = wave.pc;
        const Inst* const last = options.watch != nullptr ? run_watched_stretch<undefined>(wave, code + entry, code, *options.watch)
                                                          : run_stretch<undefined>(wave, code + entry, code);
        const auto exit = static_cast<std::uint32_t>(last - code) + 1;
        if (options.watch != nullptr) options.watch->left(wave, {entry, exit});
        ++flow.entered[entry];
        ++flow.left[exit];
        const CostSums::Sum& from = costs.before[entry];
        const CostSums::Sum& to = costs.before[exit];
        wave.instructions += to.instructions - from.instructions;
        wave.issue_units += to.work - from.work;
        if (wave.state != WaveState::running) return;
        if (wave.instructions > options.limit) {
            wave.stop_with_fault(FaultKind::instruction_limit,
                                 fmt::format("the wave has run {} instructions, more than the limit: it does not seem to end", wave.instructions));
            return;
        }
        if (wave.instructions > pause) return;
    }
}

}  // namespace

void run_wave(Wave& wave, const CostSums& costs, Flow& flow, const RunOptions& options) {
    if (options.undefined) run<true>(wave, costs, flow, options);
    else run<false>(wave, costs, flow, options);
}

}  // namespace hipemu
