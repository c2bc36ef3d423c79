// The timing model, first version: per SIMD the sum of issue cycles of its waves, bounded below by the LDS port, by memory bandwidth and by
// what the resident waves, as many as occupancy allows, take by themselves; work-groups are placed over the chip one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/chips.hpp"
#include "emulator/inst.hpp"

namespace hipemu {

struct Program;

struct KernelTime {
    double seconds = 0;                // of the device, launch overhead excluded
    double cycles = 0;                 // of the busiest SIMD
    double matrix_share = 0;           // of those cycles, what the matrix pipe was busy
    std::uint32_t waves_per_simd = 0;  // occupancy
    std::string limiter;               // "issue", "lds port", "memory"
};

/// Cycles are summed as integers of 1/kCycleUnits, so that no order of summation changes a time.
inline constexpr std::uint32_t kCycleUnits = 16;

/// What one wave32 instruction occupies.
struct InstCost {
    std::uint32_t issue = 0;     // of its SIMD
    std::uint32_t matrix = 0;    // of that, the matrix pipe
    std::uint32_t lds_port = 0;  // of the SIMD's quarter of the LDS port
};
InstCost cost_of(const Inst& inst, const Chip& chip);

/// What a wave waits at each instruction of a program, in the same units: at a wait for what it waits for, unless enough was issued since, at
/// a barrier, a branch, and where the compiler's s_delay_alu says that a result is needed at once. Code is read in address order.
std::vector<std::uint32_t> stalls_of(const Program& program, const Chip& chip);

inline constexpr int kWgpSimds = 4;  // of a WGP

/// What one work-group occupied, its wave i on SIMD i % 4.
struct GroupCost {
    std::array<std::uint64_t, kWgpSimds> issue{}, matrix{}, lds_port{};
    std::uint64_t memory_bytes = 0;
    std::uint64_t longest_wave = 0;   // issue and stalls of the wave that takes longest by itself
};

/// What decides how many waves fit.
struct Footprint {
    std::uint32_t vgprs = 0;       // a lane
    std::uint32_t lds_bytes = 0;   // a work-group
    std::uint32_t waves = 1;       // a work-group
    bool wgp_mode = true;          // a work-group may use both halves of a WGP
};

/// Waves that can be resident on one SIMD; 0 if not even one work-group fits.
std::uint32_t occupancy(const Chip& chip, const Footprint& footprint);

/// The time of `total_groups`, of which `groups` are an even sample in grid order (or all). `touched_bytes`: how much memory they used at least.
KernelTime model_time(const Chip& chip, const Footprint& footprint, std::span<const GroupCost> groups, std::uint64_t total_groups,
                      std::uint64_t touched_bytes);

}  // namespace hipemu
