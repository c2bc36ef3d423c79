// The cards of the gfx11 family as the emulator models them. Each constant has a name, a unit, a meaning, a value a card and the source of
// that value in one table (chips.cpp); struct Chip, the file of HIPEMU_TIMING, the hash and every listing derive from it. Immutable once made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flashwave/status.hpp"

namespace hipemu {

/// One card. What the members mean stands in the table of constants, under the same names.
struct Chip {
    std::string_view name;             // "rx7900xtx"
    std::string_view target;           // "gfx1100"
    std::string_view marketing_name;   // "AMD Radeon RX 7900 XTX"

    // The card.
    std::uint32_t compute_units = 0, wgps_per_array = 0;
    double clock_ghz = 0, boost_mhz = 0;
    std::uint32_t memory_mhz = 0, memory_bus_bits = 0, integrated = 0;
    std::uint64_t memory_bytes = 0;
    double launch_overhead_us = 0;

    // What a WGP holds.
    std::uint32_t vgprs_per_simd = 0, vgpr_granule = 0, max_waves_per_simd = 0, max_groups_per_wgp = 0;
    std::uint32_t lds_per_wgp = 0, lds_per_group = 0, lds_granule = 0;
    double wave_launch_latency = 0, wave_launch_cycles = 0;

    // Vector and matrix instructions.
    double valu_cycles = 0, valu_latency = 0, shift64_cycles = 0, mul32_cycles = 0, mad64_cycles = 0, f64_cycles = 0;
    double vopd_cycles = 0, vopd_matrix_cycles = 0;
    double trans_cycles = 0, trans_valu_cycles = 0, trans_latency = 0;
    double wmma_cycles = 0, wmma_spread_cycles = 0, wmma_iu4_cycles = 0, wmma_iu4_spread_cycles = 0, matrix_switch_cycles = 0;
    double valu_to_memory_latency = 0, valu_to_salu_latency = 0;

    // Scalar instructions, branches, barriers.
    double salu_latency = 0, salu_to_branch_latency = 0, branch_taken_cycles = 0, branch_not_taken_cycles = 0, barrier_cycles = 0;

    // LDS.
    double lds_latency = 0;
    std::uint32_t lds_bytes_per_cycle = 0, lds_store_bytes_per_cycle = 0, lds_banks = 0, lds_banks_b32 = 0;
    double lds_read_issue_cycles = 0, lds_write_issue_cycles = 0, lds_write_issue_dword_cycles = 0;
    double lds_read_valu_cycles = 0, lds_read_valu_dword_cycles = 0, lds_write_valu_dword_cycles = 0;

    // Vector memory.
    double vmem_issue_cycles = 0, vmem_vaddr_issue_cycles = 0, vmem_flat_issue_cycles = 0, vmem_store_issue_dword_cycles = 0;
    double vmem_read_valu_dword_cycles = 0, store_latency = 0, cache_invalidate_cycles = 0;
    std::uint32_t l0_bytes = 0, gl1_bytes = 0, l2_bytes = 0, llc_bytes = 0;
    double l0_latency = 0, l0_bytes_per_cycle = 0, l0_line_cycles = 0, l0_fill_bytes_per_cycle = 0;
    double gl1_latency = 0, l2_latency_ns = 0, l2_bytes_per_cycle = 0, llc_latency_ns = 0, llc_gbs = 0, memory_latency_ns = 0, memory_gbs = 0, memory_turnaround = 0;
    double sharing_window = 0;

    // Scalar memory and instruction fetch.
    std::uint32_t scalar_cache_bytes = 0, instruction_cache_bytes = 0, instruction_line_bytes = 0, instruction_prefetch_lines = 0;
    double scalar_latency = 0;
};

/// A value and where it is from. The last one of a constant that fits a card counts.
struct ChipValue {
    std::string_view of;       // a card, a target, or "" for all
    double value = 0;
    std::string_view source;
};

struct ChipConstant {
    std::string_view name, unit, meaning;
    std::variant<double Chip::*, std::uint32_t Chip::*, std::uint64_t Chip::*> member;
    std::vector<ChipValue> values;

    double value_in(const Chip& chip) const;
    void set(Chip& chip, double value) const;
    /// Of the value that the chip has: the table's, or the file of HIPEMU_TIMING where that differs.
    std::string_view source_in(const Chip& chip) const;
};

/// In the order of their listing.
std::span<const ChipConstant> chip_constants();

/// The cards as the table has them.
std::vector<Chip> table_chips();

/// The cards with the constants in force: the table's, overridden by the file that HIPEMU_TIMING names.
std::span<const Chip> chips();

/// nullptr if no such card is modelled, or the file of HIPEMU_TIMING is not understood. Accepts a card name ("rx7900xtx") or a gfx target
/// ("gfx1100", features after ':' allowed), whose first card it gives.
const Chip* find_chip(std::string_view name);

/// What is wrong with the file of HIPEMU_TIMING; ok if there is none.
const flashwave::Status& timing_file_status();

/// The cards of the table with constants from JSON: {"rx7900xtx": {"wmma_cycles": 32}}. `what` names the text in messages.
flashwave::Result<std::vector<Chip>> override_chips(std::string_view json, std::string_view what);

/// SHA-256 (hex) over the names and values of every constant of a chip: a part of the emulated device's identity. `modelled`: times come from
/// the model of these constants; false: from the plain estimate of HIPEMU_TIMING=off.
std::string timing_table_hash(const Chip& chip, bool modelled = true);

}  // namespace hipemu
