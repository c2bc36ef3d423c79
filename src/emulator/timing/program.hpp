// A program as the timing model sees it: one small record an instruction, made once for a loaded object, so that replaying a trace looks at no
// text and no operand. Immutable once made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/isa/wait_counts.hpp"
#include "emulator/timing/chips.hpp"

namespace hipemu {

struct Program;

/// What an instruction occupies on its SIMD; one instruction of each a cycle.
enum class Port : std::uint8_t { valu, trans, matrix, salu, vmem, lds, smem, branch };
inline constexpr int kPorts = 8;

enum class TimedKind : std::uint8_t {
    vector,   // simple vector instructions, and pairs of them
    trans,
    matrix,
    scalar,
    lds,
    vmem,
    smem,
    branch,
    barrier,
    end,
    wait,     // for counters, or for the vector unit
    hint,     // takes the wave's time only
};

/// Consecutive registers.
struct RegisterRange {
    std::uint8_t first = 0, count = 0;
};

struct alignas(64) TimedInst {
    TimedKind kind = TimedKind::hint;
    Port port = Port::branch;
    std::uint8_t slots = 1;          // cycles until the wave may issue its next instruction, those of `step` - 1 plain hints behind it included
    std::uint8_t step = 1;           // how far that is
    std::uint16_t busy = 0;          // of the port, in 1/kFraction cycles
    std::uint16_t busy_matrix = 0;   // the same where matrix instructions are being issued
    std::uint16_t steals = 0;        // of vector issue, taken by what a memory instruction moves into or out of registers
    std::uint16_t latency = 0;       // cycles until a vector instruction may take the result
    std::uint8_t reads = 0, writes = 0;                // used entries of what follows
    std::uint8_t scalar_reads = 0, scalar_writes = 0;
    std::array<RegisterRange, 6> read{};               // vector registers; of a matrix instruction the last range is the accumulator
    std::array<RegisterRange, 3> written{};
    std::array<std::uint8_t, 6> scalar_read{};         // by the ISA's numbers
    std::array<std::uint8_t, 4> scalar_written{};
    bool has_accumulator = false;
    bool traced = false;             // has an entry in WaveTrace::lds_cycles or WaveTrace::memory
    bool stores = false;             // nothing comes back
    bool atomic = false;             // done in the L2
    bool waits_for_vector = false;   // s_waitcnt_depctr
    bool frees_registers = false;    // s_sendmsg: the wave's place is free when it ends, though its stores are under way
    bool invalidates_l0 = false, invalidates_gl1 = false;
    std::uint8_t priority = 0xff;    // s_setprio: the wave's from now on
    Counter counter = Counter::none;
    WaitCounts wait;
    std::uint16_t transfer = 0;      // cycles of the L0 to move a wave's data
    std::uint32_t line = 0;          // of the instruction cache
};

static_assert(sizeof(TimedInst) == 64, "one cache line of the host: it is what a simulation reads most");

struct TimedProgram {
    const Chip* chip;
    std::vector<TimedInst> code;
    std::vector<std::uint64_t> work_before;  // of the instructions before each one: about how long a SIMD is occupied, in 1/kFraction cycles
    std::uint32_t lines = 0;                 // of the instruction cache

    TimedProgram(const Program& program, const Chip& card);
};

}  // namespace hipemu
