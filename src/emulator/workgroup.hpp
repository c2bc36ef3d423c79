// The state with which the hardware starts a work-group, and its run to the end. One host thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/interpreter.hpp"
#include "emulator/launch.hpp"
#include "emulator/watch.hpp"
#include "emulator/wave.hpp"

namespace hipemu {

class WorkgroupRunner {
public:
    /// All of them outlive the runner. `global_races`: nullptr where they are not looked for.
    WorkgroupRunner(const LaunchRequest& request, const CostSums& costs, GlobalRaces* global_races = nullptr);

    /// Runs one work-group and records it in `trace`, if that is not nullptr. False if it was stopped by a finding, which take_fault gives.
    bool run(std::array<std::uint32_t, 3> id, GroupTrace* trace = nullptr);

    Fault take_fault();
    /// Of the group that ran last: TimedProgram::work_before, summed over what its waves ran.
    std::uint64_t work() const;
    const Flow& flow() const { return flow_; }
    const std::vector<MemorySpan>& spans() const { return group_.spans; }
    Warnings& warnings() { return watch_.warnings(); }

private:
    void start_wave(Wave& wave, std::uint32_t index);
    void start_group(std::array<std::uint32_t, 3> id);
    bool find_stopped();
    void look_for_cause(const RunOptions& options);

    const LaunchRequest& request_;
    const CostSums& costs_;
    Flow flow_;
    Watch watch_;
    Workgroup group_;
    std::uint32_t threads_ = 0;
    std::uint32_t entry_ = 0;
    std::uint64_t limit_ = 0;
    std::array<std::byte, 64> dispatch_packet_{};
    Wave* stopped_ = nullptr;
};

}  // namespace hipemu
