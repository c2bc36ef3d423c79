// What looks on while a work-group runs: the strict checks, and the recorder of what the timing model needs. The interpreter calls it at the
// instructions that Program::marks names, before and after they run. One a host thread; it serves one work-group after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/checks/global_races.hpp"
#include "emulator/checks/hazards.hpp"
#include "emulator/checks/in_flight.hpp"
#include "emulator/checks/instruction_trace.hpp"
#include "emulator/checks/lds_races.hpp"
#include "emulator/checks/warnings.hpp"
#include "emulator/checks/wave_races.hpp"
#include "emulator/exec/access.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/settings/strictness.hpp"
#include "emulator/state/wave.hpp"
#include "emulator/timing/trace.hpp"

namespace hipemu {

struct LaunchRequest;

/// Why the watch wants to see an instruction.
enum Mark : std::uint8_t {
    kMarkAccess = 1,   // loads, stores, atomics, and the LDS crossbar
    kMarkWait = 2,     // retires loads or stores
    kMarkMatrix = 4,   // WMMA
    kMarkInvalidate = 8,  // buffer_gl1_inv: what follows sees what other work-groups have released
    kMarkHazard = 16,  // on some path it follows another instruction too closely
    kMarkBarrier = 32,
    kMarkTrace = 64,   // every instruction, for waves that HIPEMU_TRACE asks for
};

/// The marks of all instructions of a program. One an instruction, beside Program::code.
std::vector<std::uint8_t> watch_marks(const Program& program);

/// The runs of instructions without marks that begin at each. One an instruction.
std::vector<QuietRun> quiet_runs(const Program& program);

class Watch {
public:
    /// `request` outlives the watch, and so does `global_races`; nullptr: these are not looked for.
    explicit Watch(const LaunchRequest& request, GlobalRaces* global_races = nullptr);

    /// False if there is nothing to look at: then the interpreter need not call.
    bool is_needed(bool traced) const { return checks_ || traced || instruction_trace_; }

    /// A work-group is about to start. `trace`: where to record it; nullptr: it is not timed.
    void start(Workgroup& group, GroupTrace* trace);

    /// What was warned of in the groups that it has seen.
    Warnings& warnings() { return warnings_; }

    // Calls of the interpreter, of the wave that runs.

    bool blocks(const Wave& wave, const Inst& inst) const { return strict_.waits && in_flight_[wave.index].blocks(inst); }
    bool may_block(const Wave& wave, const QuietRun& run) const {
        return strict_.waits && in_flight_[wave.index].may_block(run.touched, run.scalar_touched);
    }
    void stop_blocked(Wave& wave, const Inst& inst) const;
    /// The marks that count for a wave: those of its program, or all instructions where it is traced.
    const std::uint8_t* marks(const Wave& wave) const;
    /// An instruction is about to run; it may be stopped by a finding. `mark`: its marks, which count for the wave.
    void before(Wave& wave, const Inst& inst, std::size_t index, std::uint8_t mark) {
        if (mark == kMarkAccess) {
            if (before_access(wave, inst, index)) begin_access(wave, inst, index);
        } else if (mark & ~(kMarkWait | kMarkInvalidate)) {
            look_before(wave, inst, index, mark);
        }
    }
    /// It has run.
    void after(Wave& wave, const Inst& inst, std::size_t index, std::uint8_t mark) {
        if (mark & kMarkAccess) after_access(wave, inst, index);
        if (mark & (kMarkTrace | kMarkWait | kMarkInvalidate)) look_after(wave, inst, index, mark);
    }
    /// The wave has left a stretch of straight-line code.
    void left(const Wave& wave, Stretch stretch) {
        if (trace_ != nullptr) trace_->waves[wave.index].leave(stretch, trace_->most);
        if (hazards_) paths_[wave.index].add(stretch);
    }

    // Calls of the work-group's runner. False: a finding, put into one of the group's waves.

    /// Every living wave has arrived at a barrier.
    bool barrier(Workgroup& group);
    /// Every wave has ended.
    bool finish(Workgroup& group);

private:
    void look_before(Wave& wave, const Inst& inst, std::size_t index, std::uint8_t mark);
    void look_after(Wave& wave, const Inst& inst, std::size_t index, std::uint8_t mark);
    bool before_access(Wave& wave, const Inst& inst, std::size_t index);
    void begin_access(const Wave& wave, const Inst& inst, std::size_t index) {
        if (accesses_ && touches_global_) accesses_->begin(wave, inst, index, access_);
    }
    void after_access(const Wave& wave, const Inst& inst, std::size_t index);
    void record(const Wave& wave, const Inst& inst, bool touches);
    void check_barrier_lanes(Wave& wave);
    void check_barrier_waves(Workgroup& group);

    const Chip& chip_;
    const Strictness strict_;
    bool checks_ = false;
    Warnings warnings_;
    bool hazards_ = false;              // the program has instructions with kMarkHazard, and they are to be found
    std::vector<InFlight> in_flight_;   // of each wave
    LdsRaces lds_races_;
    WaveRaces wave_races_;              // likewise, if accesses_
    std::optional<GroupAccesses> accesses_;  // if races of the groups are to be found
    std::vector<RecentPath> paths_;     // likewise, if hazards_
    GroupTrace* trace_ = nullptr;
    Access access_;                     // of the instruction that is running
    bool touches_ = false;              // it touches memory: access_ is filled
    bool touches_global_ = false;       // and that may be global memory
    std::optional<InstructionTrace> instruction_trace_;
    std::vector<std::uint8_t> traced_marks_;
};

}  // namespace hipemu
