// What launches of a program look up by instruction, made once for a program and card and kept for its next launches: a tuner launches the same
// kernel again and again. Immutable once made; any thread may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/run/interpreter.hpp"
#include "emulator/timing/program.hpp"

namespace hipemu {

struct LaunchTables {
    std::shared_ptr<const TimedProgram> timed;  // nullptr where time is not modelled
    CostSums costs;
    std::vector<std::uint8_t> units;            // Inst::unit
    std::vector<std::uint8_t> issue_cycles;     // Inst::issue_cycles; 0 of waits and hints

    LaunchTables(const Program& program, std::shared_ptr<const TimedProgram> timed_program);
};

/// `made`: the program as the timing model sees it on this card, if somebody has it already.
std::shared_ptr<const LaunchTables> launch_tables(const std::shared_ptr<const Program>& program, const Chip& chip, bool is_timed,
                                                  std::shared_ptr<const TimedProgram> made = nullptr);

}  // namespace hipemu
