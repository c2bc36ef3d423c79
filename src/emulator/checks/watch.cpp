#include "emulator/checks/watch.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "emulator/checks/alignment.hpp"
#include "emulator/checks/atomic.hpp"
#include "emulator/checks/matrix.hpp"
#include "emulator/state/launch_request.hpp"

namespace hipemu {

std::vector<std::uint8_t> watch_marks(const Program& program) {
    std::vector<std::uint8_t> marks(program.code.size());
    const std::vector<bool> hazards = find_hazards(program);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const Inst& inst = program.code[i];
        if (inst.info == nullptr) continue;
        if (counter_of(inst) != Counter::none) marks[i] |= kMarkAccess;
        if (program.waits[i].waits()) marks[i] |= kMarkWait;
        if (inst.unit == Unit::wmma) marks[i] |= kMarkMatrix;
        if (hazards[i]) marks[i] |= kMarkHazard;
        if (inst.info->mnemonic == "s_barrier") marks[i] |= kMarkBarrier;
        if (inst.info->mnemonic == "buffer_gl1_inv") marks[i] |= kMarkInvalidate;
    }
    return marks;
}

std::vector<QuietRun> quiet_runs(const Program& program) {
    std::vector<QuietRun> runs(program.code.size());
    QuietRun run;
    for (std::size_t i = runs.size(); i-- > 0;) {
        const Inst& inst = program.code[i];
        if (program.marks[i] != 0 || inst.ends_block) {
            run = {.end = static_cast<std::uint32_t>(i), .touched = {}, .scalar_touched = {}};
        } else {
            run.touched |= inst.touched;
            run.scalar_touched |= inst.scalar_touched;
        }
        runs[i] = run;
    }
    return runs;
}

Watch::Watch(const LaunchRequest& request, GlobalRaces* global_races)
    : chip_(request.chip != nullptr ? *request.chip : *find_chip("gfx1100")),
      strict_(request.strict),
      lds_races_(*request.kernel->program),
      wave_races_(request.kernel->wgp_mode) {
    if (global_races != nullptr) accesses_.emplace(*global_races, *request.kernel->program, wave_races_);
    Strictness without_undefined = strict_;
    without_undefined.undefined = false;
    const Program& program = *request.kernel->program;
    const bool atomics = std::any_of(program.accesses.begin(), program.accesses.end(), [](const AccessShape& shape) { return shape.atomic; });
    checks_ = without_undefined != Strictness::none() || (strict_.undefined && atomics);
    const auto& marks = program.marks;
    hazards_ = strict_.hazards && std::any_of(marks.begin(), marks.end(), [](std::uint8_t mark) { return mark & kMarkHazard; });
    if (TraceFile* const file = TraceFile::instance()) {
        instruction_trace_.emplace(*file, request.kernel->name);
        traced_marks_ = marks;
        for (std::uint8_t& mark : traced_marks_) mark |= kMarkTrace;
    }
}

void Watch::start(Workgroup& group, GroupTrace* trace) {
    if (instruction_trace_) instruction_trace_->start(group);
    in_flight_.resize(group.waves.size());
    for (InFlight& one : in_flight_) one.clear();
    if (hazards_) paths_.assign(group.waves.size(), {});
    if (strict_.lds_races) lds_races_.start(group);
    if (accesses_) accesses_->start();
    if (accesses_) wave_races_.start(group);
    trace_ = trace;
    if (trace_ == nullptr) return;
    trace_->waves.resize(group.waves.size());
    for (WaveTrace& wave : trace_->waves) wave.clear();
}

const std::uint8_t* Watch::marks(const Wave& wave) const {
    return instruction_trace_ && instruction_trace_->wants(wave) ? traced_marks_.data() : wave.program->marks.data();
}

void Watch::stop_blocked(Wave& wave, const Inst& inst) const {
    wave.stop_with_fault(FaultKind::missing_wait,
                         fmt::format("uses {} before a wait says that the load which fills it is done", in_flight_[wave.index].register_of(inst)));
}

void Watch::look_before(Wave& wave, const Inst& inst, std::size_t index, std::uint8_t mark) {
    if (mark & kMarkTrace && instruction_trace_->wants(wave)) instruction_trace_->before(wave, inst);
    if (mark & kMarkAccess && !before_access(wave, inst, index)) return;
    if (mark & kMarkHazard && hazards_) {
        const auto hazard = hazard_of(*wave.program, chip_, index, wave.pc, paths_[wave.index]);
        if (hazard) return wave.stop_with_fault(FaultKind::hazard, *hazard);
    }
    if (mark & kMarkMatrix && strict_.wmma) check_matrix_halves(wave, inst);
    if (mark & kMarkBarrier && strict_.barriers) check_barrier_lanes(wave);
    if (mark & kMarkAccess) begin_access(wave, inst, index);
}

/// False if there is nothing more to look at.
bool Watch::before_access(Wave& wave, const Inst& inst, std::size_t index) {
    const AccessShape& shape = wave.program->accesses[index];
    touches_ = describe_access(wave, inst, shape, access_);
    touches_global_ = touches_ && shape.space != AccessSpace::lds && shape.space != AccessSpace::scratch;
    if (trace_ != nullptr && inst.unit != Unit::salu) record(wave, inst, touches_);
    if (!touches_) return false;
    if (strict_.misaligned && may_be_misaligned(access_) && !check_alignment(wave, access_)) return false;
    if (strict_.undefined && shape.atomic && !check_atomic_memory(wave, access_)) return false;
    if (accesses_ && touches_global_ && shape.writes && !shape.atomic) wave_races_.before_store(wave, access_);
    return true;
}

void Watch::look_after(Wave& wave, const Inst& inst, std::size_t index, std::uint8_t mark) {
    if (mark & kMarkTrace && instruction_trace_->wants(wave)) instruction_trace_->after(wave, inst, wave.program->text[index]);
    if (mark & kMarkWait) {
        const WaitCounts& counts = wave.program->waits[index];
        in_flight_[wave.index].wait(counts);
        if (accesses_ && counts.vector_stores == 0) {
            accesses_->wait_for_stores();
            wave_races_.wait_for_stores(wave.index);
        }
    }
    if (accesses_ && mark & kMarkInvalidate) accesses_->acquire();
}

void Watch::after_access(const Wave& wave, const Inst& inst, std::size_t index) {
    if (accesses_) accesses_->end();
    InFlight& in_flight = in_flight_[wave.index];
    in_flight.issue(inst, wave.exec() != 0 || inst.unit == Unit::smem || inst.unit == Unit::salu);
    if (!touches_ || wave.state != WaveState::running) return;
    if (lds_races_.is_watching()) lds_races_.note(wave, index, access_, in_flight.lds_issued());
    if (!accesses_) return;
    const AccessShape& shape = *access_.shape;
    if (touches_global_) {
        if (shape.writes && !shape.atomic) wave_races_.after_store(access_);
        accesses_->note(wave, index, access_);
    }
    if (shape.acquires || (shape.atomic && inst.destinations > 0)) wave_races_.acquire(wave.index);
}

void Watch::record(const Wave& wave, const Inst& inst, bool touches) {
    WaveTrace& trace = trace_->waves[wave.index];
    if (trace.full) return;
    if (inst.unit == Unit::lds) {
        trace.lds_cycles.push_back(touches ? lds_port_cycles(chip_, access_) : wave.exec() != 0 ? 1 : 0);
    } else if (touches) {
        record_memory(trace, chip_, access_, wave.index);
    } else {
        trace.memory.push_back({});
    }
}

void Watch::check_barrier_lanes(Wave& wave) {
    const std::uint32_t* const size = wave.group->size;
    const std::uint32_t left = size[0] * size[1] * size[2] - wave.index * kLanes;
    const std::uint32_t started = left >= kLanes ? ~0u : (1u << left) - 1;
    const std::uint32_t missing = started & ~wave.exec();
    if (missing == 0) return;
    warnings_.add(wave, FaultKind::barrier, fmt::format("{} of the wave's {} lanes do not reach this barrier", std::popcount(missing), std::popcount(started)),
                  std::countr_zero(missing));
}

void Watch::check_barrier_waves(Workgroup& group) {
    constexpr std::size_t kNamed = 8;
    Wave* waiting = nullptr;
    std::string ended;
    std::size_t count = 0;
    for (const auto& wave : group.waves) {
        if (wave->state == WaveState::at_barrier && waiting == nullptr) waiting = wave.get();
        if (wave->state != WaveState::ended) continue;
        if (count++ < kNamed) ended += fmt::format("{}{}", ended.empty() ? "" : ", ", wave->index);
    }
    if (count == 0 || waiting == nullptr) return;
    warnings_.add(*waiting, FaultKind::barrier, fmt::format("waits at a barrier that wave{} {}{} never reached: {} ended before it", count == 1 ? "" : "s", ended,
                                        count > kNamed ? ", ..." : "", count == 1 ? "it" : "they"));
}

bool Watch::barrier(Workgroup& group) {
    if (strict_.barriers) check_barrier_waves(group);
    return lds_races_.barrier(group, in_flight_) && (!accesses_ || wave_races_.barrier(group));
}

bool Watch::finish(Workgroup& group) {
    if (accesses_) accesses_->finish(group);
    return lds_races_.barrier(group, in_flight_) && (!accesses_ || wave_races_.barrier(group));
}

}  // namespace hipemu
