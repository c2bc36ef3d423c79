#include "emulator/timing/wgp.hpp"

#include <algorithm>
#include <memory>

#include "emulator/timing/wgp_state.hpp"

namespace hipemu {
namespace {

constexpr Cycle kLongest = kNever - (1u << 24);  // a simulation stops here; what is left is taken to go on alike

}  // namespace

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
    if (next_group_ == input_.groups.size()) full_marks_ = std::min(full_marks_, marked_);
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

WgpResult Wgp::run() {
    for (const TimedGroup& group : input_.groups) all_work_ += static_cast<std::uint64_t>(group.work);
    next_mark_ = all_work_ / kMarks;
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
    // Half of the work is as much as one filling of the places: a whole period, where work-groups advance in step.
    const auto progress_at = [&](unsigned mark) {
        return Progress{.cycles = static_cast<double>(marks_[mark]), .work = static_cast<double>(all_work_) * mark / kMarks};
    };
    const unsigned last = std::min(full_marks_, kMarks * 3 / 4);
    result_.steady_to = progress_at(last);
    result_.steady_from = progress_at(last > kMarks / 2 ? last - kMarks / 2 : 0);
    result_.instructions = std::move(times_);
    return std::move(result_);
}

std::string_view name_of(Where where) {
    constexpr std::array<std::string_view, kWheres> kNames{"matrix",  "valu",   "trans",      "lds",   "memory wait", "lds wait",
                                                           "barrier", "scalar", "dependency", "fetch", "idle"};
    return kNames[index_of(where)];
}

WgpResult simulate_wgp(const WgpInput& input) {
    return Wgp(input).run();
}

}  // namespace hipemu
