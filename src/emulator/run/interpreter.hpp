// Runs a wave over its program until it ends, meets a barrier, is stopped, or its time slice is over.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/program.hpp"
#include "emulator/state/wave.hpp"
#include "emulator/timing/program.hpp"

namespace hipemu {

class Watch;

/// Costs of the instructions before each one, so that a stretch of straight-line code costs two look-ups. Made once a launch.
struct CostSums {
    struct Sum {
        std::uint64_t instructions = 0;  // with an effect
        std::uint64_t work = 0;          // as TimedProgram::work_before; 0 where time is not modelled
    };
    std::vector<Sum> before;  // one entry more than the program has instructions

    /// `timed`: nullptr where time is not modelled.
    explicit CostSums(const Program& program, const TimedProgram* timed = nullptr);
};

/// How often each stretch was entered and left; gives the count of every instruction afterwards. One a host thread.
struct Flow {
    std::vector<std::uint64_t> entered, left;

    explicit Flow(const Program& program) : entered(program.code.size() + 1), left(program.code.size() + 1) {}
    Flow& operator+=(const Flow& other);

    /// Times that each instruction ran, waits and hints among them.
    std::vector<std::uint64_t> counts() const;
};

/// How a wave is run.
struct RunOptions {
    bool undefined = true;     // undefined bits are tracked, and are findings where they matter
    Watch* watch = nullptr;    // looks on; nullptr: nobody does
    std::uint64_t slice = 0;   // wave instructions after which another wave gets its turn
    std::uint64_t limit = 0;   // after which the wave counts as hanging
};

void run_wave(Wave& wave, const CostSums& costs, Flow& flow, const RunOptions& options);

}  // namespace hipemu
