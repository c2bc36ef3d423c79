// Runs one kernel launch: all its work-groups, or a sample of them, on the host's threads. Deterministic: results, counts and the modelled
// time do not depend on the number of host threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/isa/fault.hpp"
#include "emulator/isa/inst.hpp"
#include "emulator/state/launch_request.hpp"
#include "emulator/timing/timing.hpp"

namespace hipemu {

struct LaunchResult {
    std::optional<Fault> fault;                    // of the first group in grid order that has one
    std::array<std::uint64_t, kUnits> instructions{};  // of the groups that ran
    std::uint64_t groups_run = 0;
    std::vector<std::uint64_t> counts;             // of every instruction of the program: times that it ran in those groups
    KernelTime time;                               // modelled, or estimated
    std::vector<Fault> warnings;                   // what the hardware allows and is wrong all the same, each place once
};

/// Throws if the host has no memory for it, and only then.
LaunchResult run(const LaunchRequest& request);

}  // namespace hipemu
