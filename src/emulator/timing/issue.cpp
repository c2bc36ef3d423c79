// How the SIMDs of a simulated WGP issue instructions: when an instruction may go, what it occupies, when its results are there.
#include "emulator/timing/wgp_state.hpp"

#include <algorithm>
#include <numeric>

namespace hipemu {
namespace {

constexpr int kMatrixNeighbourhood = 64;  // cycles behind a matrix instruction in which pairs cost what they cost beside it

}  // namespace

/// A wave has left a stretch behind.
void Wgp::count_work(const Stretch& done, Cycle now) {
    const auto& before = input_.program->work_before;
    work_done_ += before[done.end] - before[done.first];
    while (work_done_ >= next_mark_ && marked_ < kMarks) {
        marks_[++marked_] = now;
        next_mark_ = all_work_ * (marked_ + 1) / kMarks;
    }
}

/// Steps to the next instruction of the trace; false at its end.
bool Wgp::next_instruction(WaveReplay& wave, Cycle now) {
    while (wave.pc >= wave.end) {
        if (wave.end != 0) count_work(wave.stretch[-1], now);
        if (wave.stretch == wave.stretch_end) {
            wave.end = 0;
            return false;
        }
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
        if (!next_instruction(wave, from)) {
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
        const std::uint32_t all = std::accumulate(wave.why.begin(), wave.why.end(), 0u);
        if (all > 0) {
            const double scale = gap / all;
            for (std::size_t i = 0; i < wave.why.size(); ++i) result_.where[i] += scale * wave.why[i];
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
    const Cycle start = lds_port_.serve(now, cycles * (inst.stores ? cycles_.lds_store : Server::kUnit));
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
            count_work(wave.stretch[-1], now);
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

}  // namespace hipemu
