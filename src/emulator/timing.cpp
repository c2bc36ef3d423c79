#include "emulator/timing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <queue>
#include <vector>

#include "base/hash.hpp"

namespace hipemu {
namespace {

// Sources of the numbers:
//   units, registers, LDS, caches   AMD's ISA guides and product pages; LLVM's occupancy rules for the register granule
//   clock                           what a 7900 XTX holds under dense WMMA: published fp16 GEMMs reach 95 to 105 TFLOP/s of 108 at 2.2 GHz
//   memory_gbs                      achieved by a published streaming attention decode (865 of 960)
//   wmma_cycles                     published WMMA study on gfx1151: 34 when A, B and C start in equal register banks, as compilers allocate them
//   valu, trans                     instruction traces of gfx1100: 1 and 4 issue cycles a wave32
//   lds_b128_cycles                 the same study: +2.4 to +3.3 cycles of issue a 128-bit LDS load in a WMMA loop
//   lds_port_b128_cycles            the same study: 126 bytes a cycle of a WGP, shared by four SIMDs
//   l2_bytes_per_cycle              AMD's RDNA 3 presentation
//   valu, trans, lds latency        instruction traces of gfx1100: dependent results after 5, 10 and 33 to 45 cycles (45: 128 bits under load)
//   barrier, branch                 the same traces: 14 to 16 from the last arrival, 9 to a taken branch's target
//   scalar_load_latency             a hit in the scalar cache is not published; LLVM's schedule is far too short (20), cold loads take 880
//   memory_latency                  published pointer chases, 74 to 150 ns from L2 and the last-level cache
//   launch_overhead_us              published launch-to-launch times of graphs and dependent dispatches
constexpr std::array kChips{
    Chip{.name = "rx7900xtx",
         .target = "gfx1100",
         .marketing_name = "AMD Radeon RX 7900 XTX",
         .compute_units = 96,
         .clock_ghz = 2.2,
         .memory_gbs = 865,
         .memory_bytes = 24ull << 30,
         .l2_bytes = 6u << 20,
         .llc_bytes = 96u << 20,
         .vgprs_per_simd = 1536,
         .vgpr_granule = 24,
         .max_waves_per_simd = 16,
         .lds_per_wgp = 128u << 10,
         .lds_per_group = 64u << 10,
         .lds_granule = 512,
         .wmma_cycles = 34,
         .valu_cycles = 1,
         .trans_cycles = 4,
         .lds_b128_cycles = 3,
         .lds_port_b128_cycles = 16,
         .l2_bytes_per_cycle = 2304,
         .valu_latency = 5,
         .trans_latency = 10,
         .lds_latency = 45,
         .scalar_load_latency = 200,
         .memory_latency = 300,
         .barrier_cycles = 15,
         .branch_cycles = 9,
         .launch_overhead_us = 4},
};

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

const Chip* find_chip(std::string_view name) {
    // A full architecture name may carry features: "gfx1100:xnack-".
    name = name.substr(0, name.find(':'));
    for (const Chip& chip : kChips) {
        if (chip.name == name || chip.target == name) return &chip;
    }
    return nullptr;
}

std::string timing_table_hash(const Chip& chip) {
    flashwave::Sha256 hash("hipemu timing table 2");
    hash.field(chip.name).field(chip.target).field(chip.compute_units).field(chip.memory_bytes).field(chip.l2_bytes).field(chip.llc_bytes);
    hash.field(chip.vgprs_per_simd).field(chip.vgpr_granule).field(chip.max_waves_per_simd);
    hash.field(chip.lds_per_wgp).field(chip.lds_per_group).field(chip.lds_granule);
    for (const double value : {chip.clock_ghz, chip.memory_gbs, chip.wmma_cycles, chip.valu_cycles, chip.trans_cycles, chip.lds_b128_cycles,
                               chip.lds_port_b128_cycles, chip.l2_bytes_per_cycle, chip.valu_latency, chip.trans_latency, chip.lds_latency,
                               chip.scalar_load_latency, chip.memory_latency, chip.barrier_cycles, chip.branch_cycles, chip.launch_overhead_us}) {
        hash.field(std::bit_cast<std::uint64_t>(value));
    }
    return hash.finish().hex();
}

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
            cost.issue = units(chip.lds_b128_cycles * inst.issue_cycles / 3.0);
            cost.lds_port = units(chip.lds_port_b128_cycles * lds_bytes(inst.info->mnemonic) / 16.0);
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
    if (footprint.waves > 1) groups = std::min<std::uint64_t>(groups, 32);  // barrier slots of a WGP; one wave alone needs none
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
