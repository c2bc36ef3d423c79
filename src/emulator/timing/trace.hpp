// What the work-groups of a launch did, as far as time depends on it: the straight-line stretches that each wave ran, and what each memory
// instruction asked of the LDS and of the caches. Recorded while a group runs (watch.hpp), replayed by the timing model afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/exec/access.hpp"

namespace hipemu {

struct Chip;

/// Instructions [first, end) of the program, waits and hints among them, run one after the other.
struct Stretch {
    std::uint32_t first = 0, end = 0;
};

/// A VMEM or SMEM instruction: its cache lines are the next `lines` of WaveTrace::lines. 0 lines: no lane was active.
struct MemoryTouch {
    std::uint16_t lines = 0;
    std::uint16_t lds_cycles = 0;   // a flat access that fell into LDS: as WaveTrace::lds_cycles
};

inline constexpr unsigned kLineBytes = 128;  // of L2, the last-level cache and, since RDNA 1, the L0

struct WaveTrace {
    std::vector<Stretch> path;
    std::vector<std::uint16_t> lds_cycles;   // of each LDS instruction run, in order: cycles of the LDS port, bank conflicts included
    std::vector<MemoryTouch> memory;         // of each VMEM and SMEM instruction run, in order
    std::vector<std::uint64_t> lines;        // line numbers: device address / kLineBytes; scratch lines have kScratchLine set
    bool full = false;                       // it ran on, but no more was recorded

    /// The wave has left a stretch. What it did in the stretch is recorded before.
    void leave(Stretch stretch, std::size_t most) {
        if (full) return;
        path.push_back(stretch);
        full = path.size() >= most || lines.size() >= most;
    }

    void clear();
};

inline constexpr std::uint64_t kScratchLine = 1ull << 63;

struct GroupTrace {
    std::uint64_t index = 0;                 // of the group in grid order
    std::size_t most = 1 << 20;              // stretches, or lines, that are recorded of a wave
    std::vector<WaveTrace> waves;
};

/// Cycles of the LDS port for one instruction: its lanes are served in phases, and lanes of one phase that want different words of one bank
/// one after the other; equal words are one read.
std::uint16_t lds_port_cycles(const Chip& chip, const Access& access);

/// Appends the touch of a VMEM or SMEM instruction.
void record_memory(WaveTrace& trace, const Chip& chip, const Access& access, std::uint32_t wave_id);

}  // namespace hipemu
