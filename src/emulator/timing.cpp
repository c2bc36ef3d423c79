#include "emulator/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <vector>

namespace hipemu {
namespace {

// Cycles of issue and of the port for a 128-bit LDS access of one SIMD.
constexpr double kLdsB128Cycles = 3, kLdsPortB128Cycles = 16;

std::uint32_t units(double cycles) { return static_cast<std::uint32_t>(std::lround(cycles * kCycleUnits)); }

bool is_half_rate_wmma(const Inst& inst) { return inst.info->mnemonic.find("iu4") != std::string_view::npos; }

/// Bytes a lane that an LDS instruction moves, 0 for those that move none through the port.
unsigned lds_bytes(std::string_view mnemonic) {
    const unsigned twice = mnemonic.find("2addr") != std::string_view::npos ? 2 : 1;
    if (mnemonic.ends_with("b128")) return 16;
    if (mnemonic.ends_with("b96")) return 12;
    if (mnemonic.ends_with("64")) return 8 * twice;
    return 4 * twice;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) { return (value + granule - 1) / granule * granule; }

}  // namespace

InstCost cost_of(const Inst& inst, const Chip& chip) {
    InstCost cost;
    if (inst.info == nullptr || inst.info->no_effect) return cost;
    switch (inst.unit) {
        case Unit::wmma:
            cost.matrix = units(is_half_rate_wmma(inst) ? chip.wmma_cycles / 2 : chip.wmma_cycles);
            cost.issue = cost.matrix;
            break;
        case Unit::trans: cost.issue = units(chip.trans_cycles); break;
        case Unit::valu:
        case Unit::vopd: cost.issue = units(chip.valu_cycles * inst.issue_cycles); break;
        case Unit::lds:
            cost.issue = units(kLdsB128Cycles * inst.issue_cycles / 3.0);
            cost.lds_port = units(kLdsPortB128Cycles * lds_bytes(inst.info->mnemonic) / 16.0);
            break;
        case Unit::vmem: cost.issue = units(inst.issue_cycles); break;
        default: break;  // scalar instructions, branches and waits issue beside those of other waves
    }
    return cost;
}

std::uint32_t occupancy(const Chip& chip, const Footprint& footprint) {
    const std::uint64_t vgprs = round_up(std::max(footprint.vgprs, 1u), chip.vgpr_granule);
    const std::uint64_t waves_by_vgprs = std::min<std::uint64_t>(chip.max_waves_per_simd, chip.vgprs_per_simd / vgprs);
    // Work-groups of a WGP, or of a CU (half a WGP) in CU mode.
    const std::uint64_t simds = footprint.wgp_mode ? kWgpSimds : kWgpSimds / 2;
    const std::uint64_t lds = footprint.wgp_mode ? chip.lds_per_wgp : chip.lds_per_wgp / 2;
    std::uint64_t groups = waves_by_vgprs * simds / std::max(footprint.waves, 1u);
    if (footprint.lds_bytes > 0) groups = std::min(groups, lds / round_up(footprint.lds_bytes, chip.lds_granule));
    if (footprint.waves > 1) groups = std::min<std::uint64_t>(groups, chip.max_groups_per_wgp);  // barrier slots of a WGP; one wave alone needs none
    const std::uint64_t waves = groups * footprint.waves;
    return static_cast<std::uint32_t>(std::min(waves_by_vgprs, (waves + simds - 1) / simds));
}

KernelTime model_time(const Chip& chip, const Footprint& footprint, std::span<const GroupCost> groups, std::uint64_t total_groups,
                      std::uint64_t touched_bytes) {
    KernelTime time;
    time.waves_per_simd = occupancy(chip, footprint);
    if (groups.empty() || total_groups == 0) return time;

    // Each WGP takes the next group when it is the one with the least work; a wave goes to a SIMD of its own or shares one.
    struct Processor {
        std::array<std::uint64_t, kWgpSimds> issue{}, matrix{}, lds_port{};
        std::uint64_t longest = 0;  // work-group
        std::uint64_t waiting = 0;  // what its work-groups take by themselves, as many at a time as fit
        std::uint64_t load = 0;
        std::uint32_t index = 0, first_simd = 0;
    };
    const std::uint32_t count = std::max(chip.compute_units / 2, 1u);
    std::vector<Processor> processors(count);
    const auto later = [&](std::uint32_t a, std::uint32_t b) {
        return processors[a].load != processors[b].load ? processors[a].load > processors[b].load : a > b;
    };
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> free_next(later);
    for (std::uint32_t i = 0; i < count; ++i) free_next.push(processors[i].index = i);

    const std::uint64_t resident = std::max(time.waves_per_simd * kWgpSimds / std::max(footprint.waves, 1u), 1u);
    std::uint64_t sampled_bytes = 0;
    for (const GroupCost& group : groups) sampled_bytes += group.memory_bytes;
    for (std::uint64_t g = 0; g < total_groups; ++g) {
        const GroupCost& group = groups[static_cast<std::size_t>(g * groups.size() / total_groups)];
        Processor& processor = processors[free_next.top()];
        free_next.pop();
        for (std::uint32_t i = 0; i < kWgpSimds; ++i) {
            const std::uint32_t simd = (processor.first_simd + i) % kWgpSimds;
            processor.issue[simd] += group.issue[i];
            processor.matrix[simd] += group.matrix[i];
            processor.lds_port[simd] += group.lds_port[i];
            processor.load = std::max({processor.load, processor.issue[simd], processor.lds_port[simd]});
        }
        processor.waiting += group.longest_wave / resident;
        processor.longest = std::max(processor.longest, group.longest_wave);
        processor.load = std::max(processor.load, processor.waiting);
        processor.first_simd = (processor.first_simd + footprint.waves) % kWgpSimds;
        free_next.push(processor.index);
    }

    std::uint64_t issue = 0, lds_port = 0, matrix = 0, waiting = 0;
    for (const Processor& processor : processors) {
        waiting = std::max({waiting, processor.waiting, processor.longest});
        for (int simd = 0; simd < kWgpSimds; ++simd) {
            const auto i = static_cast<std::size_t>(simd);
            issue = std::max(issue, processor.issue[i]);
            lds_port = std::max(lds_port, processor.lds_port[i]);
            matrix = std::max(matrix, processor.matrix[i]);
        }
    }
    const double clock = chip.clock_ghz * 1e9;
    const double bytes = static_cast<double>(sampled_bytes) * static_cast<double>(total_groups) / static_cast<double>(groups.size());
    // Memory is read once if all that is touched stays in the last-level cache; the rest of the traffic is L2's.
    const double from_memory = touched_bytes <= chip.llc_bytes ? std::min(bytes, static_cast<double>(touched_bytes)) : bytes;
    const double memory_cycles = std::max(from_memory / (chip.memory_gbs * 1e9) * clock, bytes / chip.l2_bytes_per_cycle);
    const double issue_cycles = static_cast<double>(issue) / kCycleUnits;
    const double port_cycles = static_cast<double>(lds_port) / kCycleUnits;
    const double waiting_cycles = static_cast<double>(waiting) / kCycleUnits;

    time.cycles = std::max({issue_cycles, port_cycles, memory_cycles, waiting_cycles});
    time.limiter = time.cycles == issue_cycles  ? "issue"
                   : time.cycles == port_cycles ? "lds port"
                   : time.cycles == memory_cycles ? "memory"
                                                  : "latency";
    time.seconds = time.cycles / clock;
    time.matrix_share = time.cycles > 0 ? static_cast<double>(matrix) / kCycleUnits / time.cycles : 0;
    return time;
}

}  // namespace hipemu
