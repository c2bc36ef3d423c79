// One WGP of the card, cycle by cycle: it replays the traces of work-groups, as many at a time as are resident, one after the other. One
// thread; the result depends on the input alone.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/timing/chips.hpp"
#include "emulator/timing/memory.hpp"
#include "emulator/timing/program.hpp"
#include "emulator/timing/trace.hpp"

namespace hipemu {

inline constexpr int kWgpSimds = 4;

/// What a SIMD did in a cycle, or why it issued no vector instruction.
enum class Where : std::uint8_t {
    matrix,       // matrix instructions
    valu,         // other vector instructions
    trans,        // transcendental ones
    lds,          // the LDS port was taken, or moved data into registers
    memory_wait,  // a wave waited for global or scalar memory
    lds_wait,     // for LDS
    barrier,      // for other waves of its work-group
    scalar,       // scalar instructions, branches, hints
    dependency,   // an operand was not ready yet
    fetch,        // the instruction was not there yet
    idle,         // no wave was there
};
inline constexpr int kWheres = 11;

/// "matrix", "valu", ... "idle".
std::string_view name_of(Where where);

using WhereCycles = std::array<double, kWheres>;

/// What an instruction took in all waves of a simulation.
struct InstTime {
    double issue_cycles = 0;  // of its SIMD's port
    double stall_cycles = 0;  // that waves waited at it
};

/// A work-group to be replayed.
struct TimedGroup {
    const GroupTrace* trace = nullptr;
    std::uint64_t salt = 0;    // changes its line numbers, where a trace stands for another group, too
    double work = 0;           // TimedProgram::work_before, summed over what its waves run
};

struct WgpInput {
    const TimedProgram* program = nullptr;
    const Chip* chip = nullptr;
    const MemoryFacts* facts = nullptr;
    std::vector<TimedGroup> groups;  // in the order of dispatch
    std::uint32_t resident = 1;      // at a time
    bool wgp_mode = true;            // a work-group's waves may run on all four SIMDs
};

/// How far a simulation was at some time.
struct Progress {
    double cycles = 0, work = 0;
};

struct WgpResult {
    double cycles = 0;           // until the last group and its stores are done
    Progress steady_from, steady_to;  // half of all its work, or what was done while all places were taken where that is less
    WhereCycles where{};         // of all four SIMDs until the end
    std::vector<InstTime> instructions;
};

WgpResult simulate_wgp(const WgpInput& input);

}  // namespace hipemu
