// One kernel of a loaded object, and the wish to run it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "emulator/code/source_lines.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/settings/strictness.hpp"
#include "emulator/state/memory.hpp"

namespace hipemu {

struct Chip;
struct Footprint;
struct TimedProgram;

/// What the kernel descriptor and the metadata of a code object say of one kernel.
struct Kernel {
    std::string name;
    std::shared_ptr<const Program> program;
    std::uint64_t entry_offset = 0;      // of its first instruction in the text section
    std::uint32_t group_bytes = 0;       // static LDS
    std::uint32_t private_bytes = 0;     // scratch a lane
    std::uint32_t kernarg_bytes = 0;
    std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
    std::uint16_t properties = 0;
    std::uint32_t vgprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0;
    std::uint32_t max_threads = 1024;
    bool wgp_mode = true;
    std::shared_ptr<const SourceLines> source_lines = {};  // where the object has them
    std::shared_ptr<const TimedProgram> timed = {};        // of the program, for the card that it was loaded for; else made by each launch

    /// What decides how many work-groups of so many work-items fit at once.
    Footprint footprint(std::uint32_t threads, std::uint32_t dynamic_lds) const;
};

struct LaunchRequest {
    const Kernel* kernel = nullptr;
    std::array<std::uint32_t, 3> grid{1, 1, 1};    // work-groups
    std::array<std::uint32_t, 3> block{1, 1, 1};   // work-items
    std::uint32_t dynamic_lds = 0;                 // bytes
    std::uint64_t kernarg_address = 0;             // device address of the kernel arguments
    std::shared_ptr<const MemoryMap> memory;
    const Chip* chip = nullptr;                    // the card that is modelled
    bool timed = true;                             // false: its time is not modelled but estimated (timing/estimate.hpp)
    std::uint64_t sample_groups = 0;               // 0 = run all; otherwise run about so many, spread evenly, and scale the time
    std::uint64_t instruction_limit = 0;           // wave instructions a wave may run; 0 = the default of launch.cpp
    unsigned host_threads = 0;                     // 0 = all
    Strictness strict;                             // which findings stop it
};

}  // namespace hipemu
