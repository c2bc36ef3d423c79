// The state with which the hardware starts a work-group, and its run to the end. One host thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/checks/watch.hpp"
#include "emulator/run/interpreter.hpp"
#include "emulator/run/launch.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

/// Where a turn of a work-group has ended.
enum class GroupState : std::uint8_t {
    ended,
    stopped,   // by a finding
    polling,   // its waves ask memory for something again and again, which perhaps another work-group is to write
};

class WorkgroupRunner {
public:
    /// All of them outlive the runner. `global_races`: nullptr where they are not looked for.
    WorkgroupRunner(const LaunchRequest& request, const CostSums& costs, GlobalRaces* global_races = nullptr);

    /// Begins a work-group and records it in `trace`, if that is not nullptr.
    void start(std::array<std::uint32_t, 3> id, GroupTrace* trace = nullptr);
    /// Lets it run on. Its waves take turns of `slice` instructions.
    GroupState go_on(std::uint64_t slice = kSlice);
    /// Of one that polls: nothing that it waits for will come.
    void give_up(std::string message);

    Fault take_fault();
    /// Wave instructions of the group so far.
    std::uint64_t instructions() const;
    /// How many a wave may run.
    std::uint64_t limit() const { return limit_; }
    /// Of the group that ran last: TimedProgram::work_before, summed over what its waves ran.
    std::uint64_t work() const;
    const Flow& flow() const { return flow_; }
    const std::vector<MemorySpan>& spans() const { return group_.spans; }
    Warnings& warnings() { return watch_.warnings(); }

private:
    /// A wave that waits for another of its group by polling must not keep it from running.
    static constexpr std::uint64_t kSlice = 200'000;

    void start_wave(Wave& wave, std::uint32_t index);
    bool has_only_polled(const Flow& before) const;
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
    bool watched_ = false;
    std::uint64_t limit_ = 0;
    std::vector<bool> polls_;  // of each instruction: an atomic or a load that passes the caches by
    std::array<std::byte, 64> dispatch_packet_{};
    Wave* stopped_ = nullptr;
};

}  // namespace hipemu
