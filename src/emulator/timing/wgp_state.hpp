// A simulated WGP: the class whose way of time is timing/wgp.cpp (work-groups come, meet at barriers and go) and whose SIMDs are timing/issue.cpp
// (instructions). Only these two use it. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/timing/wave.hpp"

namespace hipemu {

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
    bool next_instruction(WaveReplay& wave, Cycle now);
    void count_work(const Stretch& done, Cycle now);
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

    // When each kMarks-th part of all work was done, and how many were done when a place first stayed empty.
    static constexpr unsigned kMarks = 16;
    std::uint64_t all_work_ = 0, work_done_ = 0, next_mark_ = 0;
    std::array<Cycle, kMarks + 1> marks_{};
    unsigned marked_ = 0, full_marks_ = kMarks;
    WgpResult result_;
};

}  // namespace hipemu
