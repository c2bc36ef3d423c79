// The environment variables of the emulated device, read once at its first use. How lanes compute is decided apart, at load: HIPEMU_PORTABLE
// (lane_build.cpp) and HIPEMU_WMMA (exec/wmma.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "emulator/settings/strictness.hpp"

namespace hipemu {

enum class Schedule : std::uint8_t {
    eager,   // work runs when it is queued
    late,    // work runs when somebody waits for it: a forgotten synchronisation fails every time
    seeded,  // streams take turns as a random sequence says
};

struct Config {
    /// HIPEMU_DEVICE: the cards that are devices 0, 1, .., by target or card name, with commas between. Default: gfx1100.
    std::string device = "gfx1100";
    /// HIPEMU_SCHEDULE: eager, late or seeded:N. Default: eager.
    Schedule schedule = Schedule::eager;
    std::uint64_t seed = 0;
    /// HIPEMU_QUIET=1: findings are not printed on stderr.
    bool quiet = false;
    /// HIPEMU_SAMPLE: run only about so many work-groups of each launch and scale its time. Default: 0, all.
    std::uint64_t sample_groups = 0;
    /// HIPEMU_TRACE: where instructions are traced to, and which (instruction_trace.hpp). Default: nowhere.
    std::string trace;
    /// HIPEMU_THREADS: host threads that run work-groups. Default: 0, all processors.
    unsigned host_threads = 0;
    /// HIPEMU_STRICT: the checks that are made (strictness.hpp). Default: all.
    Strictness strict;
    /// HIPEMU_INSTRUCTION_LIMIT: wave instructions after which a wave counts as hanging. Default: 0, a thousand million.
    std::uint64_t instruction_limit = 0;
    /// HIPEMU_MEMORY_MIB: a smaller device memory than the card has. Default: 0, the card's.
    std::uint64_t memory_mib = 0;
    /// HIPEMU_TIMING: a JSON file of constants that override the chip table's (chips.hpp). Default: none.
    std::string timing_file;
    /// HIPEMU_TIMING=off: time is not modelled, launches take a plain estimate (timing/estimate.hpp).
    bool timing = true;
    /// HIPEMU_CACHE_DIR: where listings of code objects are kept. Default: $XDG_CACHE_HOME/flashwave/listings or
    /// ~/.cache/flashwave/listings; empty: nowhere.
    std::string cache_directory;
    /// HIPEMU_FAULTS: what is made to go wrong on purpose (injection.hpp). Default: nothing.
    std::string faults;
};

/// Complains on stderr about a value that it does not understand, once, and takes the default.
const Config& config();

}  // namespace hipemu
