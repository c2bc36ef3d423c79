// The state of a simulated WGP: its waves, the places of its work-groups, its SIMDs. Only timing/wgp_state.hpp uses it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulator/timing/wgp.hpp"

namespace hipemu {

inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
inline constexpr std::uint64_t kNeverKey = std::numeric_limits<std::uint64_t>::max();
inline constexpr unsigned kWavesPerSimd = 32;  // more than any card of the table has

/// When the operations of a counter are done, the last 64 of them; they are done in order.
struct Completions {
    std::array<Cycle, 64> done{};
    std::uint32_t issued = 0;

    Cycle last() const { return issued == 0 ? 0 : done[(issued - 1) & 63]; }
    void add(Cycle at) {
        done[issued & 63] = std::max(at, last());
        ++issued;
    }
    /// When at most `allowed` are on their way.
    Cycle until(std::uint32_t allowed) const { return issued <= allowed ? 0 : done[(issued - allowed - 1) & 63]; }
    /// When there is room for one more.
    Cycle room() const { return issued < 63 ? 0 : done[(issued - 63) & 63]; }
};

/// From when on instructions may take the value of a scalar register.
struct ScalarReady {
    Cycle vector = 0, scalar = 0, branch = 0;
};

struct WaveReplay {
    // The trace, and how far it is replayed.
    const TimedInst* inst = nullptr;  // the next to issue
    const Stretch *stretch = nullptr, *stretch_end = nullptr;
    std::uint32_t pc = 0, end = 0;
    const std::uint16_t* lds_cycles = nullptr;
    const MemoryTouch* touch = nullptr;
    const std::uint64_t* line = nullptr;

    std::uint32_t group = 0;          // index of its place
    unsigned simd = 0, slot = 0;      // where it runs, and its place among the waves there
    std::uint32_t fetched_line = kNever;
    Cycle base = 0;                   // from when on it might have issued, had nothing been missing
    Cycle arrived = 0;                // at a barrier
    std::uint8_t priority = 0;
    bool at_barrier = false, frees_registers = false;
    Cycle vector_horizon = 0, scalar_horizon = 0;  // the latest entries of what follows
    Cycle scalar_memory = 0;          // when the last scalar load is done
    Completions loads, stores, lds_scalar;
    std::array<std::uint32_t, kWheres> why{};  // what it spent its time with since its last vector instruction
    std::array<Cycle, 256> vector_ready{};
    std::array<ScalarReady, 132> scalar_ready{};
};

struct GroupPlace {
    const TimedGroup* group = nullptr;
    std::uint32_t living = 0, waiting = 0, waves = 0;
    Cycle stores_done = 0;   // of waves that have ended
    Cycle free_at = 0;
    std::uint64_t salt = 0;
};

struct Simd {
    // Waves, oldest first.
    unsigned count = 0;
    std::array<Cycle, kWavesPerSimd> ready{};
    std::array<std::uint8_t, kWavesPerSimd> port{}, rank{};
    std::array<WaveReplay*, kWavesPerSimd> wave{};

    std::array<Cycle, kPorts> free{};  // of each port; those of valu, trans and matrix follow from the three below
    Cycle valu_free = 0, trans_free = 0;
    std::uint32_t valu_fraction = 0;
    Cycle accounted = 0;               // until when its cycles stand in the sums
    Cycle last_matrix = 0;
    bool matrix_seen = false, after_matrix = false;

    std::uint64_t next = kNeverKey;    // when it may issue next, and the wave that does
    unsigned chosen = 0;

    void choose() {
        std::uint64_t best = kNeverKey;
        unsigned at = 0;
        for (unsigned i = 0; i < count; ++i) {
            const std::uint64_t key = std::uint64_t{std::max(ready[i], free[port[i]])} << 2 | rank[i];
            if (key < best) {
                best = key;
                at = i;
            }
        }
        next = best;
        chosen = at;
    }
    void update_ports() {
        free[static_cast<unsigned>(Port::valu)] = valu_free;
        free[static_cast<unsigned>(Port::trans)] = free[static_cast<unsigned>(Port::matrix)] = std::max(valu_free, trans_free);
    }
};

/// Latencies of the card in whole cycles.
struct Latencies {
    explicit Latencies(const Chip& chip)
        : valu(whole(chip.valu_latency)), memory_operand(whole(std::max(chip.valu_to_memory_latency - chip.valu_latency, 0.0))),
          valu_to_salu(whole(chip.valu_to_salu_latency)), salu(whole(chip.salu_latency)), salu_to_branch(whole(chip.salu_to_branch_latency)),
          branch_taken(whole(chip.branch_taken_cycles)), branch_not_taken(whole(chip.branch_not_taken_cycles)), barrier(whole(chip.barrier_cycles)),
          lds(whole(chip.lds_latency)), launch(whole(chip.wave_launch_latency)), launch_interval(whole(chip.wave_launch_cycles)),
          trans_valu(static_cast<std::uint32_t>(std::lround(chip.trans_valu_cycles * kFraction))),
          matrix_switch(static_cast<std::uint32_t>(std::lround(chip.matrix_switch_cycles * kFraction))),
          lds_store(static_cast<std::uint64_t>(std::lround(static_cast<double>(Server::kUnit * chip.lds_bytes_per_cycle) /
                                                           std::max(chip.lds_store_bytes_per_cycle, 1u)))) {}

    Cycle valu, memory_operand, valu_to_salu, salu, salu_to_branch, branch_taken, branch_not_taken, barrier, lds, launch, launch_interval;
    std::uint32_t trans_valu, matrix_switch;  // in 1/kFraction cycles
    std::uint64_t lds_store;                  // of the LDS port for a cycle's worth of lanes, in 1/Server::kUnit cycles

private:
    static Cycle whole(double cycles) { return static_cast<Cycle>(std::lround(cycles)); }
};

}  // namespace hipemu
