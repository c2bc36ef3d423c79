// What a launch takes where time is not modelled (HIPEMU_TIMING=off): its instructions over the card's aggregate issue rate. Pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/timing/timing.hpp"

namespace hipemu {

struct EstimateInput {
    const Chip* chip = nullptr;
    Footprint footprint;
    std::span<const std::uint8_t> issue_cycles;  // of every instruction of the program; 0 of waits and hints
    std::span<const std::uint64_t> counts;       // likewise: times that it ran, in the groups that ran
    std::uint64_t total_groups = 0, groups_run = 0;
};

/// Every instruction takes its issue cycles of one SIMD (Inst::issue_cycles: 1 of most, 34 of a matrix product), all SIMDs of the card are busy
/// all the time, and nothing waits. Groups that did not run are taken to be as the average of those that did.
KernelTime estimate_time(const EstimateInput& input);

}  // namespace hipemu
