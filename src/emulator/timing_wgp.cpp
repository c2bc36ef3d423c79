#include "emulator/timing_wgp.hpp"

#include <algorithm>
#include <memory>

#include "emulator/timing_wave.hpp"

namespace hipemu {
namespace {

constexpr Cycle kLongest = kNever - (1u << 24);  // a simulation stops here; what is left is taken to go on alike
constexpr int kMatrixNeighbourhood = 64;         // cycles behind a matrix instruction in which pairs cost what they cost beside it

constexpr std::size_t index_of(Where where) { return static_cast<std::size_t>(where); }

class Wgp {
public:
    explicit Wgp(const WgpInput& input)
        : input_(input), cycles_(*input.chip), code_(input.program->code.data()), memory_(*input.chip, *input.facts),
          times_(input.program->code.size()) {
        places_.resize(std::max(input.resident, 1u));
    }

    WgpResult run();

private:
    void dispatch(Cycle now);
    void launch_group(std::uint32_t place, Cycle now);
    unsigned pick_simd(unsigned cu) const;
    unsigned pick_cu() const;
    bool next_instruction(WaveReplay& wave);
    void advance(WaveReplay& wave, Cycle from);
    Cycle operands_ready(const WaveReplay& wave, const TimedInst& inst) const;
    void issue(Simd& simd);
    void vector_issue(Simd& simd, WaveReplay& wave, const TimedInst& inst, Cycle now);
    void take_vector_port(Simd& simd, WaveReplay& wave, std::uint32_t sixteenths, Cycle now, Where where);
    void account(Simd& simd, WaveReplay& wave, Cycle now);
    void memory_issue(Simd& simd, WaveReplay& wave, const TimedInst& inst, Cycle now);
    void lds_issue(Simd& simd, WaveReplay& wave, const TimedInst& inst, Cycle now);
    void leave_barrier(std::uint32_t place, Cycle now);
    void end_wave(Simd& simd, WaveReplay& wave, Cycle now);
    double replayed() const;
    InstTime& time_of(const WaveReplay& wave) { return times_[wave.pc]; }
    void set_ready(WaveReplay& wave, Cycle at, Port port);
    static void spend(WaveReplay& wave, Where where, Cycle cycles) { wave.why[index_of(where)] += cycles; }

    const WgpInput& input_;
    const Latencies cycles_;
    const TimedInst* const code_;
    WgpMemory memory_;
    std::vector<InstTime> times_;
    std::array<Simd, kWgpSimds> simds_;
    std::vector<GroupPlace> places_;
    std::vector<std::unique_ptr<WaveReplay>> waves_, free_waves_;
    Server lds_port_;
    Cycle launch_free_ = 0, last_end_ = 0;
    std::size_t next_group_ = 0;
    std::uint32_t living_waves_ = 0;
    WgpResult result_;
};

/// Steps to the next instruction of the trace; false at its end.
bool Wgp::next_instruction(WaveReplay& wave) {
    while (wave.pc >= wave.end) {
        if (wave.stretch == wave.stretch_end) return false;
        wave.pc = wave.stretch->first;
        wave.end = wave.stretch->end;
        ++wave.stretch;
    }
    wave.inst = code_ + wave.pc;
    return true;
}

void Wgp::set_ready(WaveReplay& wave, Cycle at, Port port) {
    Simd& simd = simds_[wave.simd];
    simd.ready[wave.slot] = at;
    simd.port[wave.slot] = static_cast<std::uint8_t>(port);
    simd.rank[wave.slot] = static_cast<std::uint8_t>(3 - wave.priority);
}

Cycle Wgp::operands_ready(const WaveReplay& wave, const TimedInst& inst) const {
    Cycle ready = 0;
    const bool memory = inst.kind == TimedKind::lds || inst.kind == TimedKind::vmem;
    for (unsigned i = 0; i < inst.reads; ++i) {
        const RegisterRange range = inst.read[i];
        Cycle latest = 0;
        for (unsigned r = range.first; r < unsigned{range.first} + range.count; ++r) latest = std::max(latest, wave.vector_ready[r]);
        // A matrix instruction hands its sum on to the next one without delay.
        if (inst.has_accumulator && i + 1u == inst.reads) latest -= std::min(latest, cycles_.valu);
        ready = std::max(ready, memory && latest != 0 ? latest + cycles_.memory_operand : latest);
    }
    for (unsigned i = 0; i < inst.scalar_reads; ++i) {
        const ScalarReady& one = wave.scalar_ready[inst.scalar_read[i]];
        ready = std::max(ready, inst.kind == TimedKind::branch ? one.branch
                                : inst.kind == TimedKind::scalar || inst.kind == TimedKind::smem ? one.scalar
                                                                                                 : one.vector);
    }
    return ready;
}

/// Finds the next instruction that needs a port and says when the wave may issue it; waits and hints on the way pass meanwhile.
void Wgp::advance(WaveReplay& wave, Cycle from) {
    for (;;) {
        if (!next_instruction(wave)) {
            // The trace ends here, as at an s_endpgm.
            wave.inst = nullptr;
            wave.base = from;
            set_ready(wave, from, Port::branch);
            return;
        }
        const TimedInst& inst = *wave.inst;
        if (inst.line != wave.fetched_line) {
            wave.fetched_line = inst.line;
            const Cycle there = memory_.instructions(inst.line, input_.program->lines, from);
            if (there > from) {
                spend(wave, Where::fetch, there - from);
                time_of(wave).stall_cycles += there - from;
                from = there;
            }
        }
        if (inst.kind == TimedKind::hint) {
            if (inst.priority != 0xff) wave.priority = inst.priority;
            wave.frees_registers |= inst.frees_registers;
            if (inst.invalidates_l0) memory_.invalidate(wave.simd / 2, inst.invalidates_gl1);
            spend(wave, Where::scalar, inst.slots);
            time_of(wave).issue_cycles += inst.slots;
            from += inst.slots;
            wave.pc += inst.step;
            continue;
        }
        if (inst.kind == TimedKind::wait) {
            Cycle until = from;
            Where where = Where::memory_wait;
            const auto wait = [&](std::uint8_t allowed, const Completions& counter, Where what) {
                if (allowed == WaitCounts::kAny) return;
                const Cycle done = counter.until(allowed);
                if (done <= until) return;
                until = done;
                where = what;
            };
            wait(inst.wait.vector_loads, wave.loads, Where::memory_wait);
            wait(inst.wait.vector_stores, wave.stores, Where::memory_wait);
            wait(inst.wait.lds_scalar, wave.lds_scalar, wave.scalar_memory == wave.lds_scalar.last() ? Where::memory_wait : Where::lds_wait);
            if (inst.waits_for_vector && wave.vector_horizon > until) {
                until = wave.vector_horizon;
                where = Where::dependency;
            }
            spend(wave, where, until - from);
            spend(wave, Where::scalar, inst.slots);
            time_of(wave).stall_cycles += until - from;
            time_of(wave).issue_cycles += inst.slots;
            from = until + inst.slots;
            wave.pc += inst.step;
            continue;
        }
        Cycle ready = from;
        const bool memory = inst.kind == TimedKind::lds || inst.kind == TimedKind::vmem;
        if (wave.vector_horizon + (memory ? cycles_.memory_operand : 0) > from || wave.scalar_horizon > from) {
            ready = std::max(ready, operands_ready(wave, inst));
            spend(wave, Where::dependency, ready - from);
        }
        if (inst.counter != Counter::none) {
            const Completions& counter = inst.counter == Counter::vector_stores ? wave.stores
                                         : inst.counter == Counter::lds_scalar  ? wave.lds_scalar
                                                                                : wave.loads;
            const Cycle room = counter.room();
            if (room > ready) {
                spend(wave, inst.counter == Counter::lds_scalar ? Where::lds_wait : Where::memory_wait, room - ready);
                ready = room;
            }
        }
        wave.base = from;
        set_ready(wave, ready, inst.port);
        return;
    }
}

/// The cycles of a SIMD until `now` in which it issued no vector instruction were spent with what kept this wave from issuing one.
void Wgp::account(Simd& simd, WaveReplay& wave, Cycle now) {
    if (now > simd.accounted) {
        const double gap = now - simd.accounted;
        double all = 0;
        for (const std::uint32_t part : wave.why) all += part;
        if (all > 0) {
            for (std::size_t i = 0; i < wave.why.size(); ++i) result_.where[i] += gap * wave.why[i] / all;
        } else {
            result_.where[index_of(Where::scalar)] += gap;
        }
        simd.accounted = now;
    }
    wave.why.fill(0);
}

void Wgp::take_vector_port(Simd& simd, WaveReplay& wave, std::uint32_t sixteenths, Cycle now, Where where) {
    const Cycle start = std::max(now, simd.valu_free);
    account(simd, wave, start);
    const std::uint32_t sum = sixteenths + simd.valu_fraction;
    const Cycle cycles = sum / kFraction;
    simd.valu_fraction = sum % kFraction;
    simd.valu_free = start + cycles;
    if (simd.valu_free > simd.accounted) {
        result_.where[index_of(where)] += simd.valu_free - simd.accounted;
        simd.accounted = simd.valu_free;
    }
}

void Wgp::vector_issue(Simd& simd, WaveReplay& wave, const TimedInst& inst, Cycle now) {
    std::uint32_t busy = inst.busy;
    Where where = Where::valu;
    if (inst.kind == TimedKind::matrix) {
        where = Where::matrix;
    } else {
        if (simd.matrix_seen && now - simd.last_matrix < kMatrixNeighbourhood) busy = inst.busy_matrix;
        if (inst.kind == TimedKind::trans) {
            where = Where::trans;
            simd.trans_free = now + inst.busy / kFraction;
            busy = cycles_.trans_valu;
        }
        if (simd.after_matrix) busy += cycles_.matrix_switch;
    }
    simd.after_matrix = inst.kind == TimedKind::matrix;
    take_vector_port(simd, wave, busy, now, where);
    if (inst.kind == TimedKind::matrix) {
        simd.last_matrix = simd.valu_free;
        simd.matrix_seen = true;
    }
    simd.update_ports();
    time_of(wave).issue_cycles += static_cast<double>(inst.kind == TimedKind::trans ? inst.busy : busy) / kFraction;

    const Cycle ready = now + inst.latency;
    for (unsigned i = 0; i < inst.writes; ++i) {
        const RegisterRange range = inst.written[i];
        for (unsigned r = range.first; r < unsigned{range.first} + range.count; ++r) wave.vector_ready[r] = ready;
    }
    if (inst.writes > 0) wave.vector_horizon = std::max(wave.vector_horizon, ready);
    if (inst.scalar_writes > 0) {
        const Cycle scalar = now + cycles_.valu_to_salu;
        for (unsigned i = 0; i < inst.scalar_writes; ++i) wave.scalar_ready[inst.scalar_written[i]] = {ready, scalar, scalar};
        wave.scalar_horizon = std::max({wave.scalar_horizon, scalar, ready});
    }
}

void Wgp::lds_issue(Simd& simd, WaveReplay& wave, const TimedInst& inst, Cycle now) {
    const std::uint32_t cycles = inst.traced ? *wave.lds_cycles++ : 1;
    const Cycle start = lds_port_.serve(now, cycles * Server::kUnit);
    wave.lds_scalar.add(start + cycles_.lds);
    if (inst.steals > 0 && cycles > 0) {
        take_vector_port(simd, wave, inst.steals, now, Where::lds);
        simd.update_ports();
    }
}

void Wgp::memory_issue(Simd& simd, WaveReplay& wave, const TimedInst& inst, Cycle now) {
    if (!inst.traced) return;
    const MemoryTouch touch = *wave.touch++;
    const std::span<const std::uint64_t> lines(wave.line, touch.lines);
    wave.line += touch.lines;
    const GroupPlace& place = places_[wave.group];
    const unsigned cu = wave.simd / 2;
    // Private memory of work-groups that run one after the other in one place lies at one place, too.
    const bool scratch = touch.lines > 0 && (lines[0] & kScratchLine);
    const std::uint64_t salt = scratch ? std::uint64_t{wave.group} << 52 : place.salt;
    if (inst.kind == TimedKind::smem) {
        const Cycle done = memory_.scalar_load(lines, salt, now);
        wave.lds_scalar.add(done);
        wave.scalar_memory = wave.lds_scalar.last();
        return;
    }
    Cycle done = now + 1;
    if (touch.lds_cycles > 0) done = lds_port_.serve(now, touch.lds_cycles * Server::kUnit) + cycles_.lds;
    if (touch.lines > 0) {
        const Cycle reached = inst.stores   ? memory_.store(cu, lines, salt, inst.transfer, now)
                              : inst.atomic ? memory_.atomic(cu, lines, salt, now)
                                            : memory_.load(cu, lines, salt, inst.transfer, now);
        done = std::max(done, reached);
    }
    if (inst.stores) wave.stores.add(done);
    else wave.loads.add(done);
    if (inst.counter == Counter::both) wave.lds_scalar.add(done);
    if (inst.steals > 0 && touch.lines > 0) {
        take_vector_port(simd, wave, inst.steals, now, Where::memory_wait);
        simd.update_ports();
    }
}

void Wgp::leave_barrier(std::uint32_t place, Cycle now) {
    GroupPlace& group = places_[place];
    group.waiting = 0;
    const Cycle from = now + cycles_.barrier;
    for (Simd& simd : simds_) {
        bool changed = false;
        for (unsigned i = 0; i < simd.count; ++i) {
            WaveReplay& wave = *simd.wave[i];
            if (wave.group != place || !wave.at_barrier) continue;
            wave.at_barrier = false;
            spend(wave, Where::barrier, from - wave.arrived);
            time_of(wave).stall_cycles += from - wave.arrived;
            wave.pc += wave.inst->step;
            advance(wave, from);
            changed = true;
        }
        if (changed) simd.choose();
    }
}

/// The part of all traces that was replayed.
double Wgp::replayed() const {
    double done = 0, all = 0;
    for (std::size_t g = 0; g < input_.groups.size(); ++g) {
        for (const WaveTrace& wave : input_.groups[g].trace->waves) {
            all += static_cast<double>(wave.path.size());
            if (g < next_group_) done += static_cast<double>(wave.path.size());
        }
    }
    for (const auto& wave : waves_) done -= static_cast<double>(wave->stretch_end - wave->stretch);
    return all > 0 ? std::max(done, 1.0) / all : 1;
}

void Wgp::end_wave(Simd& simd, WaveReplay& wave, Cycle now) {
    const Cycle stored = std::max({wave.stores.last(), wave.loads.last(), wave.lds_scalar.last()});
    last_end_ = std::max({last_end_, now, stored});
    GroupPlace& place = places_[wave.group];
    if (!wave.frees_registers) place.stores_done = std::max(place.stores_done, stored);
    const std::uint32_t index = wave.group;
    if (simd.count == 1) account(simd, wave, now);
    for (unsigned i = wave.slot; i + 1 < simd.count; ++i) {
        simd.ready[i] = simd.ready[i + 1];
        simd.port[i] = simd.port[i + 1];
        simd.rank[i] = simd.rank[i + 1];
        simd.wave[i] = simd.wave[i + 1];
        simd.wave[i]->slot = i;
    }
    --simd.count;
    const auto owned = std::find_if(waves_.begin(), waves_.end(), [&](const auto& one) { return one.get() == &wave; });
    free_waves_.push_back(std::move(*owned));
    waves_.erase(owned);
    --living_waves_;
    if (--place.living > 0) {
        if (place.waiting == place.living && place.waiting > 0) leave_barrier(index, now);
        return;
    }
    place.group = nullptr;
    place.free_at = std::max(now, place.stores_done);
    dispatch(now);
}

unsigned Wgp::pick_cu() const { return simds_[0].count + simds_[1].count <= simds_[2].count + simds_[3].count ? 0 : 1; }

unsigned Wgp::pick_simd(unsigned cu) const {
    const unsigned first = input_.wgp_mode ? 0 : 2 * cu, last = input_.wgp_mode ? 3 : 2 * cu + 1;
    unsigned best = first;
    for (unsigned i = first + 1; i <= last; ++i)
        if (simds_[i].count < simds_[best].count) best = i;
    return best;
}

void Wgp::dispatch(Cycle now) {
    for (std::uint32_t p = 0; p < places_.size() && next_group_ < input_.groups.size(); ++p)
        if (places_[p].group == nullptr) launch_group(p, std::max(now, places_[p].free_at));
}

void Wgp::launch_group(std::uint32_t index, Cycle now) {
    const TimedGroup& group = input_.groups[next_group_++];
    GroupPlace& place = places_[index];
    place = {.group = &group};
    place.salt = group.salt;
    const unsigned cu = pick_cu();
    for (const WaveTrace& trace : group.trace->waves) {
        const unsigned s = pick_simd(cu);
        Simd& simd = simds_[s];
        if (simd.count == kWavesPerSimd) continue;
        std::unique_ptr<WaveReplay> made;
        if (free_waves_.empty()) {
            made = std::make_unique<WaveReplay>();
        } else {
            made = std::move(free_waves_.back());
            free_waves_.pop_back();
            *made = WaveReplay{};
        }
        WaveReplay& wave = *made;
        wave.stretch = trace.path.data();
        wave.stretch_end = wave.stretch + trace.path.size();
        wave.lds_cycles = trace.lds_cycles.data();
        wave.touch = trace.memory.data();
        wave.line = trace.lines.data();
        wave.group = index;
        wave.simd = s;
        launch_free_ = std::max(now, launch_free_ + cycles_.launch_interval);
        const Cycle start = launch_free_ + cycles_.launch;
        if (simd.count == 0 && start > simd.accounted) {
            result_.where[index_of(Where::idle)] += start - simd.accounted;
            simd.accounted = start;
        }
        wave.slot = simd.count;
        simd.wave[simd.count++] = &wave;
        waves_.push_back(std::move(made));
        ++place.living;
        ++place.waves;
        ++living_waves_;
        advance(wave, start);
        simd.choose();
    }
    if (place.living == 0) place.group = nullptr;
}

void Wgp::issue(Simd& simd) {
    WaveReplay& wave = *simd.wave[simd.chosen];
    const auto now = static_cast<Cycle>(simd.next >> 2);
    if (wave.inst == nullptr) {
        end_wave(simd, wave, now);
        simd.choose();
        return;
    }
    const TimedInst& inst = *wave.inst;
    const Cycle ready = simd.ready[simd.chosen];
    InstTime& time = time_of(wave);
    time.stall_cycles += now - wave.base;
    Cycle next = now + inst.slots;
    const Cycle busy = inst.busy / kFraction;
    switch (inst.kind) {
        case TimedKind::vector:
        case TimedKind::trans:
        case TimedKind::matrix: vector_issue(simd, wave, inst, now); break;
        case TimedKind::scalar:
            spend(wave, Where::scalar, now - ready + inst.slots);
            simd.free[static_cast<unsigned>(Port::salu)] = now + 1;
            time.issue_cycles += 1;
            if (inst.scalar_writes > 0) {
                const Cycle soon = now + cycles_.salu;
                const Cycle branch = now + cycles_.salu_to_branch;
                for (unsigned i = 0; i < inst.scalar_writes; ++i) wave.scalar_ready[inst.scalar_written[i]] = {soon, soon, branch};
                wave.scalar_horizon = std::max(wave.scalar_horizon, branch);
            }
            break;
        case TimedKind::lds:
            spend(wave, Where::lds, now - ready + inst.slots);
            simd.free[static_cast<unsigned>(Port::lds)] = now + std::max<Cycle>(busy, 1);
            time.issue_cycles += static_cast<double>(inst.busy) / kFraction;
            lds_issue(simd, wave, inst, now);
            break;
        case TimedKind::vmem:
        case TimedKind::smem:
            spend(wave, Where::memory_wait, now - ready + inst.slots);
            simd.free[static_cast<unsigned>(inst.port)] = now + std::max<Cycle>(busy, 1);
            time.issue_cycles += static_cast<double>(inst.busy) / kFraction;
            memory_issue(simd, wave, inst, now);
            break;
        case TimedKind::branch: {
            simd.free[static_cast<unsigned>(inst.port)] = now + 1;
            time.issue_cycles += 1;
            const std::uint32_t behind = wave.pc + 1;
            const bool taken = wave.stretch != wave.stretch_end && wave.stretch->first != behind;
            next = now + (taken ? cycles_.branch_taken : cycles_.branch_not_taken);
            if (taken) wave.fetched_line = kNever;
            spend(wave, Where::scalar, next - ready);
            if (inst.scalar_writes > 0) {
                for (unsigned i = 0; i < inst.scalar_writes; ++i) wave.scalar_ready[inst.scalar_written[i]] = {next, next, next};
            }
            break;
        }
        case TimedKind::barrier: {
            simd.free[static_cast<unsigned>(Port::branch)] = now + 1;
            time.issue_cycles += 1;
            GroupPlace& place = places_[wave.group];
            wave.at_barrier = true;
            wave.arrived = now;
            simd.ready[simd.chosen] = kNever;
            // A work-group of one wave has nobody to wait for.
            if (place.waves == 1) {
                wave.at_barrier = false;
                break;
            }
            if (++place.waiting == place.living) leave_barrier(wave.group, now);
            simd.choose();
            return;
        }
        case TimedKind::end:
            simd.free[static_cast<unsigned>(Port::branch)] = now + 1;
            time.issue_cycles += 1;
            spend(wave, Where::scalar, 1);
            end_wave(simd, wave, now + 1);
            simd.choose();
            return;
        case TimedKind::wait:
        case TimedKind::hint: break;
    }
    wave.pc += inst.step;
    advance(wave, next);
    simd.choose();
}

WgpResult Wgp::run() {
    dispatch(0);
    while (living_waves_ > 0) {
        Simd* first = simds_.data();
        for (Simd& simd : simds_)
            if (simd.next < first->next) first = &simd;
        if (first->next == kNeverKey || first->next >> 2 >= kLongest) break;
        issue(*first);
    }
    Cycle end = std::max<Cycle>(last_end_, 1);
    if (living_waves_ > 0)
        for (const Simd& simd : simds_) end = std::max(end, simd.accounted);
    for (const Simd& simd : simds_)
        if (end > simd.accounted) result_.where[index_of(Where::idle)] += end - simd.accounted;
    // A simulation that was too long for its clock is taken to go on as it began.
    result_.cycles = end / (living_waves_ > 0 ? replayed() : 1.0);
    result_.instructions = std::move(times_);
    return std::move(result_);
}

}  // namespace

std::string_view name_of(Where where) {
    constexpr std::array<std::string_view, kWheres> kNames{"matrix",  "valu",   "trans",      "lds",   "memory wait", "lds wait",
                                                           "barrier", "scalar", "dependency", "fetch", "idle"};
    return kNames[index_of(where)];
}

WgpResult simulate_wgp(const WgpInput& input) {
    return Wgp(input).run();
}

}  // namespace hipemu
