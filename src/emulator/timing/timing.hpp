// The timing model: how long a launch takes on a card, and what its cycles went into. A sample of the launch's work-groups is traced while they
// run; a few WGPs that replay them cycle by cycle (timing/wgp.hpp) tell how fast a WGP is; all work-groups are then placed over the chip
// (timing/chip.hpp). All constants stand in the table of chips.cpp. Pure functions: the result does not depend on the number of host threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/timing/chips.hpp"
#include "emulator/timing/program.hpp"
#include "emulator/timing/trace.hpp"
#include "emulator/timing/wgp.hpp"

namespace hipemu {

/// How much fits at once.
struct Occupancy {
    std::uint32_t waves_per_simd = 0;  // 0: not even one work-group fits
    std::uint32_t groups_per_wgp = 0;
    std::string_view limit;            // what keeps more from fitting: "registers", "lds", "wave slots", "group slots"
};

struct KernelTime {
    double seconds = 0;                // of the device, launch overhead excluded
    double cycles = 0;
    double matrix_share = 0;           // of the chip's cycles, what the matrix pipes were busy
    Occupancy occupancy;
    std::string limiter;               // what most cycles went into: a name of Where
    WhereCycles where{};               // parts of all SIMD cycles of the chip; they add up to 1
    std::uint64_t groups_timed = 0;    // work-groups that were traced
    std::uint64_t groups_simulated = 0;  // replayed cycle by cycle, some of those more than once where they are few
    std::vector<InstTime> instructions;  // of the program, in those
};

/// What decides how many waves fit.
struct Footprint {
    std::uint32_t vgprs = 0;       // a lane
    std::uint32_t lds_bytes = 0;   // a work-group
    std::uint32_t waves = 1;       // a work-group
    bool wgp_mode = true;          // a work-group may use both halves of a WGP
};

Occupancy occupancy_of(const Chip& chip, const Footprint& footprint);

/// Waves that can be resident on one SIMD; 0 if not even one work-group fits.
std::uint32_t occupancy(const Chip& chip, const Footprint& footprint);

/// Which work-groups, as indices in grid order, ascending, are to be traced. `sample` != 0: about so many, and only these run.
std::vector<std::uint64_t> groups_to_time(const Chip& chip, const Footprint& footprint, std::uint64_t total_groups, std::uint64_t sample);

/// How much a work-group that ran, timed or not, had to do: TimedProgram::work_before, summed over what its waves ran.
struct GroupWork {
    std::uint64_t index = 0;
    std::uint64_t work = 0;
};

struct TimingInput {
    const Chip* chip = nullptr;
    Footprint footprint;
    const TimedProgram* program = nullptr;
    std::uint64_t total_groups = 0;
    std::span<const GroupTrace> traces;
    std::span<const GroupWork> work;                                        // of the groups that ran, ascending
    std::span<const std::pair<std::uint64_t, std::uint64_t>> spans;         // device memory that they used, bytes [first, second)
    unsigned host_threads = 1;
};
KernelTime model_time(const TimingInput& input);

}  // namespace hipemu
