// The timing model, first version: per SIMD the sum of issue cycles of its waves, bounded below by the LDS port and by memory bandwidth, and
// the placement of work-groups over the chip by what occupancy allows. All constants stand in the Chip table with their source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hipemu {

/// One card as the model sees it.
struct Chip {
    std::string_view name;             // "rx7900xtx"
    std::string_view target;           // "gfx1100"
    std::string_view marketing_name;   // "AMD Radeon RX 7900 XTX"
    std::uint32_t compute_units;       // two make one WGP with four SIMDs
    double clock_ghz;                  // under dense matrix load
    double memory_gbs;                 // achieved, not peak
    std::uint64_t memory_bytes;
    std::uint32_t l2_bytes, llc_bytes;
    std::uint32_t vgprs_per_simd;      // per lane slot, wave32
    std::uint32_t vgpr_granule;
    std::uint32_t max_waves_per_simd;
    std::uint32_t lds_per_wgp, lds_per_group, lds_granule;
    // Issue cycles of one SIMD for one wave32 instruction.
    double wmma_cycles, valu_cycles, trans_cycles, lds_b128_cycles;
    double lds_port_b128_cycles;       // of the port, for one SIMD's 128-bit access
    double launch_overhead_us;
};

/// nullptr if no such card is modelled. Accepts a gfx target ("gfx1100") or a card name ("rx7900xtx").
const Chip* find_chip(std::string_view name);

/// SHA-256 (hex) over every constant of a chip: a part of the emulated device's identity.
std::string timing_table_hash(const Chip& chip);

struct KernelTime {
    double seconds = 0;                // of the device, launch overhead excluded
    double cycles = 0;                 // of the busiest SIMD
    double matrix_share = 0;           // of those cycles, what the matrix pipe was busy
    std::uint32_t waves_per_simd = 0;  // occupancy
    std::string limiter;               // "issue", "lds port", "memory"
};

}  // namespace hipemu
