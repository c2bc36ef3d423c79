#include "emulator/timing/chips.hpp"

#include <array>
#include <bit>

#include "base/hash.hpp"

namespace hipemu {
namespace {

/// Counts the answers of the model itself: a change of its rules that moves times adds one.
constexpr std::string_view kModel = "hipemu timing model 4";
constexpr std::string_view kEstimate = "hipemu estimate 1";  // HIPEMU_TIMING=off

struct Card {
    std::string_view name, target, marketing_name;
};
// The first card of a target is what the target's name stands for.
constexpr std::array kCards{
    Card{"rx7900xtx", "gfx1100", "AMD Radeon RX 7900 XTX"},
    Card{"rx7900xt", "gfx1100", "AMD Radeon RX 7900 XT"},
    Card{"w7900", "gfx1100", "AMD Radeon PRO W7900"},
    Card{"rx7800xt", "gfx1101", "AMD Radeon RX 7800 XT"},
    Card{"rx7700xt", "gfx1101", "AMD Radeon RX 7700 XT"},
    Card{"rx7600", "gfx1102", "AMD Radeon RX 7600"},
    Card{"radeon780m", "gfx1103", "AMD Radeon 780M"},
    Card{"radeon890m", "gfx1150", "AMD Radeon 890M"},
    Card{"strixhalo", "gfx1151", "AMD Radeon 8060S"},
};

constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

// Where values come from.
constexpr std::string_view
    kProduct = "AMD's product page, as reviews quote it",
    kSpecifications = "AMD's GPU specifications in ROCm's documentation",
    kIsa = "AMD's RDNA 3 ISA guide",
    kLlvm = "LLVM's AMDGPU target description",
    kWhitePaper = "AMD's RDNA presentations",
    kTraces = "published instruction traces (SQTT) of gfx1100",
    kStudy = "published WMMA issue study on gfx1151",
    kStudyFit = "published WMMA issue study on gfx1151, a line through its widths",
    kChase = "published pointer chase on an RX 7900 XTX",
    kChaseCache = "published pointer chase and cache latencies of an RX 7900 XTX",
    kSameNs = "as on gfx1100, in ns",
    kDense = "sustained under dense matrix load: published fp16 GEMMs reach 95 to 105 TFLOP/s of 108 at 2.2 GHz",
    kClockScaled = "boost clock x 0.88, as an RX 7900 XTX sustains it under dense matrix load",
    kMemoryScaled = "90 % of the peak, as a streaming decode reaches on an RX 7900 XTX",
    kShared = "assumed: half of 64 GiB of system memory",
    kAssumed = "assumed";

std::vector<ChipConstant> make_constants() {
    std::vector<ChipConstant> rows{
        // The card.
        {"compute_units", "", "compute units; two make one WGP with four SIMDs", &Chip::compute_units,
         {{"rx7900xtx", 96, kSpecifications}, {"rx7900xt", 84, kSpecifications}, {"w7900", 96, kSpecifications}, {"rx7800xt", 60, kSpecifications},
          {"rx7700xt", 54, kSpecifications}, {"rx7600", 32, kSpecifications}, {"radeon780m", 12, kSpecifications}, {"radeon890m", 16, kSpecifications},
          {"strixhalo", 40, kSpecifications}}},
        {"wgps_per_array", "", "WGPs that share one GL1 cache", &Chip::wgps_per_array,
         {{"", 4, kWhitePaper}, {"gfx1101", 5, kWhitePaper}, {"radeon780m", 3, kAssumed}, {"strixhalo", 5, kAssumed}}},
        {"clock_ghz", "GHz", "shader clock", &Chip::clock_ghz,
         {{"", 2.2, kDense}, {"rx7900xt", 2.1, kClockScaled}, {"rx7800xt", 2.15, kClockScaled}, {"rx7700xt", 2.25, kClockScaled},
          {"rx7600", 2.35, kClockScaled}, {"radeon780m", 2.4, kClockScaled}, {"radeon890m", 2.55, kClockScaled},
          {"strixhalo", 2.4, "published attention study on gfx1151: 2.4 GHz, falling to 1.6 as it heats up"}}},
        {"boost_mhz", "MHz", "highest clock, as HIP tells it", &Chip::boost_mhz,
         {{"rx7900xtx", 2482, "ROCm on the card"}, {"rx7900xt", 2400, kProduct}, {"w7900", 2495, kProduct}, {"rx7800xt", 2430, kProduct},
          {"rx7700xt", 2544, kProduct}, {"rx7600", 2655, kProduct}, {"radeon780m", 2700, kProduct}, {"radeon890m", 2900, kProduct},
          {"strixhalo", 2900, kProduct}}},
        {"memory_mhz", "MHz", "memory clock, as HIP tells it", &Chip::memory_mhz,
         {{"rx7900xtx", 1249, "ROCm on the card"}, {"rx7900xt", 1249, kProduct}, {"w7900", 1124, kProduct}, {"rx7800xt", 1218, kProduct},
          {"rx7700xt", 1124, kProduct}, {"rx7600", 1124, kProduct}, {"radeon780m", 2800, kProduct}, {"radeon890m", 937, kProduct},
          {"strixhalo", 1000, kProduct}}},
        {"memory_bus_bits", "bits", "width of the memory bus", &Chip::memory_bus_bits,
         {{"rx7900xtx", 384, kProduct}, {"rx7900xt", 320, kProduct}, {"w7900", 384, kProduct}, {"rx7800xt", 256, kProduct},
          {"rx7700xt", 192, kProduct}, {"rx7600", 128, kProduct}, {"radeon780m", 128, kProduct}, {"radeon890m", 128, kProduct},
          {"strixhalo", 256, kProduct}}},
        {"integrated", "", "1: shares memory with the processor", &Chip::integrated,
         {{"", 0, kProduct}, {"radeon780m", 1, kProduct}, {"radeon890m", 1, kProduct}, {"strixhalo", 1, kProduct}}},
        {"memory_bytes", "bytes", "device memory", &Chip::memory_bytes,
         {{"rx7900xtx", 24 * kGiB, kSpecifications}, {"rx7900xt", 20 * kGiB, kSpecifications}, {"w7900", 48 * kGiB, kSpecifications},
          {"rx7800xt", 16 * kGiB, kSpecifications}, {"rx7700xt", 12 * kGiB, kSpecifications}, {"rx7600", 8 * kGiB, kSpecifications},
          {"radeon780m", 32 * kGiB, kShared}, {"radeon890m", 32 * kGiB, kShared},
          {"strixhalo", 96 * kGiB, "the largest share of 128 GiB that its firmware gives the GPU"}}},
        {"launch_overhead_us", "us", "from one kernel of a stream to the next, beside its own time", &Chip::launch_overhead_us,
         {{"", 4, "published dependent dispatch gap on gfx1151"}}},

        // What a WGP holds.
        {"vgprs_per_simd", "", "vector registers a lane of one SIMD, wave32", &Chip::vgprs_per_simd,
         {{"", 1536, kLlvm}, {"gfx1102", 1024, kLlvm}, {"gfx1103", 1024, kLlvm}, {"gfx1150", 1024, kLlvm}}},
        {"vgpr_granule", "", "vector registers are given to waves in multiples of this", &Chip::vgpr_granule,
         {{"", 24, kLlvm}, {"gfx1102", 16, kLlvm}, {"gfx1103", 16, kLlvm}, {"gfx1150", 16, kLlvm}}},
        {"max_waves_per_simd", "", "wave slots", &Chip::max_waves_per_simd, {{"", 16, kIsa}}},
        {"max_groups_per_wgp", "", "work-groups of more than one wave", &Chip::max_groups_per_wgp, {{"", 32, kLlvm}}},
        {"lds_per_wgp", "bytes", "LDS of a WGP; a CU has half", &Chip::lds_per_wgp, {{"", 128 * kKiB, kIsa}}},
        {"lds_per_group", "bytes", "most LDS of one work-group", &Chip::lds_per_group, {{"", 64 * kKiB, kIsa}}},
        {"lds_granule", "bytes", "LDS is given to work-groups in multiples of this", &Chip::lds_granule, {{"", 512, kIsa}}},
        {"wave_launch_latency", "cycles", "from a free slot to a wave's first instruction", &Chip::wave_launch_latency, {{"", 40, kAssumed}}},
        {"wave_launch_cycles", "cycles", "between two waves launched on one WGP", &Chip::wave_launch_cycles,
         {{"", 8, "assumed: a wave a cycle a shader engine of eight WGPs"}}},

        // Vector and matrix instructions.
        {"valu_cycles", "cycles", "issue of a simple vector instruction", &Chip::valu_cycles, {{"", 1, kTraces}}},
        {"valu_latency", "cycles", "from issue to a dependent vector instruction; longer issue adds to it", &Chip::valu_latency,
         {{"", 5, kTraces}}},
        {"shift64_cycles", "cycles", "issue of a 64-bit shift", &Chip::shift64_cycles, {{"", 2, kTraces}}},
        {"mul32_cycles", "cycles", "issue of a 32-bit integer multiplication", &Chip::mul32_cycles, {{"", 4, kStudy}}},
        {"mad64_cycles", "cycles", "issue of v_mad_u64_u32", &Chip::mad64_cycles, {{"", 4, kTraces}}},
        {"f64_cycles", "cycles", "issue of a double precision instruction", &Chip::f64_cycles, {{"", 16, kTraces}}},
        {"vopd_cycles", "cycles", "issue of a pair of vector instructions", &Chip::vopd_cycles, {{"", 1, kIsa}}},
        {"vopd_matrix_cycles", "cycles", "the same where matrix instructions are being issued", &Chip::vopd_matrix_cycles,
         {{"", 1.92, kStudy}}},
        {"trans_cycles", "cycles", "of the transcendental unit", &Chip::trans_cycles, {{"", 4, kTraces}}},
        {"trans_valu_cycles", "cycles", "of that, what keeps other vector instructions from issue", &Chip::trans_valu_cycles,
         {{"", 1, "RDNA 3 ISA guide: the unit runs beside the VALU"}}},
        {"trans_latency", "cycles", "from issue of a transcendental to a dependent instruction", &Chip::trans_latency, {{"", 10, kTraces}}},
        {"wmma_cycles", "cycles", "issue of a 16x16x16 matrix instruction whose A, B and C start in one register bank or two",
         &Chip::wmma_cycles, {{"", 34, kStudy}}},
        {"wmma_spread_cycles", "cycles", "the same where A, B and C start in three banks (register number modulo 4)",
         &Chip::wmma_spread_cycles, {{"", 32, kStudy}}},
        {"wmma_iu4_cycles", "cycles", "as wmma_cycles, 4-bit integers", &Chip::wmma_iu4_cycles, {{"", 17, kStudy}}},
        {"wmma_iu4_spread_cycles", "cycles", "as wmma_spread_cycles, 4-bit integers", &Chip::wmma_iu4_spread_cycles,
         {{"", 16, "AMD matrix instruction calculator"}}},
        {"matrix_switch_cycles", "cycles", "more for the first vector instruction behind a matrix instruction", &Chip::matrix_switch_cycles,
         {{"", 1, kStudy}}},
        {"valu_to_memory_latency", "cycles", "from issue to an LDS or memory instruction that takes the result", &Chip::valu_to_memory_latency,
         {{"", 17, kTraces}}},
        {"valu_to_salu_latency", "cycles", "from issue to a scalar instruction or branch that takes the result",
         &Chip::valu_to_salu_latency, {{"", 17, kTraces}}},

        // Scalar instructions, branches, barriers.
        {"salu_latency", "cycles", "from issue to a dependent scalar instruction", &Chip::salu_latency, {{"", 2, kTraces}}},
        {"salu_to_branch_latency", "cycles", "from a scalar comparison to the branch on it", &Chip::salu_to_branch_latency, {{"", 10, kTraces}}},
        {"branch_taken_cycles", "cycles", "from a taken branch to the instruction it leads to", &Chip::branch_taken_cycles, {{"", 9, kTraces}}},
        {"branch_not_taken_cycles", "cycles", "from a branch not taken to the next instruction", &Chip::branch_not_taken_cycles,
         {{"", 4, kTraces}}},
        {"barrier_cycles", "cycles", "from the last arrival at a barrier to the next instruction", &Chip::barrier_cycles, {{"", 15, kTraces}}},

        // LDS.
        {"lds_latency", "cycles", "of an access, beside the cycles of the port: 33 for a 32-bit load", &Chip::lds_latency, {{"", 32, kTraces}}},
        {"lds_bytes_per_cycle", "bytes", "of the port of a WGP", &Chip::lds_bytes_per_cycle, {{"", 128, kStudy}}},
        {"lds_store_bytes_per_cycle", "bytes", "the same for stores without conflicts", &Chip::lds_store_bytes_per_cycle,
         {{"", 148, "published WMMA issue study on gfx1151: 5.3 cycles more for each of 4 128-bit stores a matrix instruction"}}},
        {"lds_banks", "", "banks of four bytes that 64-bit and wider accesses conflict in", &Chip::lds_banks, {{"", 32, kStudy}}},
        {"lds_banks_b32", "", "the same for accesses of up to 32 bits", &Chip::lds_banks_b32,
         {{"", 64, "published: 17.9 cycles for 32 lanes at a stride of 32 dwords"}}},
        {"lds_read_issue_cycles", "cycles", "issue of an LDS load", &Chip::lds_read_issue_cycles, {{"", 1, kTraces}}},
        {"lds_write_issue_cycles", "cycles", "issue of an LDS store, and lds_write_issue_dword_cycles a dword", &Chip::lds_write_issue_cycles,
         {{"", 1, kTraces}}},
        {"lds_write_issue_dword_cycles", "cycles", "see lds_write_issue_cycles", &Chip::lds_write_issue_dword_cycles, {{"", 1, kTraces}}},
        {"lds_read_valu_cycles", "cycles", "that an LDS load takes from vector issue, and lds_read_valu_dword_cycles a dword",
         &Chip::lds_read_valu_cycles, {{"", 1, kStudyFit}}},
        {"lds_read_valu_dword_cycles", "cycles", "see lds_read_valu_cycles", &Chip::lds_read_valu_dword_cycles, {{"", 0.5, kStudyFit}}},
        {"lds_write_valu_dword_cycles", "cycles", "that an LDS store takes from vector issue, a dword", &Chip::lds_write_valu_dword_cycles,
         {{"", 0.125, kStudyFit}}},

        // Vector memory.
        {"vmem_issue_cycles", "cycles", "issue of a memory instruction", &Chip::vmem_issue_cycles, {{"", 1, kTraces}}},
        {"vmem_vaddr_issue_cycles", "cycles", "more where the address is a pair of vector registers", &Chip::vmem_vaddr_issue_cycles,
         {{"", 1, kTraces}}},
        {"vmem_flat_issue_cycles", "cycles", "more for a flat access", &Chip::vmem_flat_issue_cycles, {{"", 1, kTraces}}},
        {"vmem_store_issue_dword_cycles", "cycles", "more for a store, a dword", &Chip::vmem_store_issue_dword_cycles, {{"", 1, kTraces}}},
        {"vmem_read_valu_dword_cycles", "cycles", "that a load takes from vector issue, a dword", &Chip::vmem_read_valu_dword_cycles,
         {{"", 0.75, kStudyFit}}},
        {"store_latency", "cycles", "until a store is done", &Chip::store_latency, {{"", 320, kTraces}}},
        {"cache_invalidate_cycles", "cycles", "issue of buffer_gl0_inv and buffer_gl1_inv", &Chip::cache_invalidate_cycles,
         {{"", 2, "published: 1.2 and 3.3 on an RX 7900 XTX"}}},
        {"l0_bytes", "bytes", "vector cache of a CU", &Chip::l0_bytes, {{"", 32 * kKiB, kIsa}}},
        {"l0_latency", "cycles", "of a load that the L0 has", &Chip::l0_latency, {{"", 115, "published scalar latency and vector path of gfx1100"}}},
        {"l0_bytes_per_cycle", "bytes", "from the L0 of a CU to its registers", &Chip::l0_bytes_per_cycle, {{"", 64, kWhitePaper}}},
        {"l0_line_cycles", "cycles", "of the L0 for each 128-byte line of an instruction", &Chip::l0_line_cycles, {{"", 1, kAssumed}}},
        {"l0_fill_bytes_per_cycle", "bytes", "into the L0 of a CU", &Chip::l0_fill_bytes_per_cycle, {{"", 64, kWhitePaper}}},
        {"gl1_bytes", "bytes", "cache of a shader array", &Chip::gl1_bytes, {{"", 256 * kKiB, kIsa}}},
        {"gl1_latency", "cycles", "of a load that the GL1 has", &Chip::gl1_latency, {{"", 150, kChaseCache}}},
        {"l2_bytes", "bytes", "cache of the chip", &Chip::l2_bytes,
         {{"gfx1100", 6 * kMiB, kSpecifications}, {"gfx1101", 4 * kMiB, kSpecifications}, {"gfx1102", 2 * kMiB, kSpecifications},
          {"gfx1103", 2 * kMiB, kSpecifications}, {"gfx1150", 2 * kMiB, kSpecifications}, {"gfx1151", 2 * kMiB, kSpecifications}}},
        {"l2_latency_ns", "ns", "of a load that the L2 has", &Chip::l2_latency_ns,
         {{"", 77, kSameNs}, {"gfx1100", 77, kChaseCache}}},
        {"l2_bytes_per_cycle", "bytes", "from the L2 of the whole chip", &Chip::l2_bytes_per_cycle,
         {{"gfx1100", 2304, kWhitePaper}, {"gfx1101", 1536, "scaled from gfx1100 by its size"}, {"gfx1102", 768, "scaled from gfx1100 by its size"},
          {"gfx1103", 768, "scaled from gfx1100 by its size"}, {"gfx1150", 768, "scaled from gfx1100 by its size"},
          {"gfx1151", 1024, "assumed: eight slices of 128 bytes"}}},
        {"llc_bytes", "bytes", "last-level cache (Infinity Cache)", &Chip::llc_bytes,
         {{"", 0, kSpecifications}, {"rx7900xtx", 96 * kMiB, kSpecifications}, {"rx7900xt", 80 * kMiB, kSpecifications}, {"w7900", 96 * kMiB, kSpecifications},
          {"rx7800xt", 64 * kMiB, kSpecifications}, {"rx7700xt", 48 * kMiB, kSpecifications}, {"rx7600", 32 * kMiB, kSpecifications},
          {"strixhalo", 32 * kMiB, kSpecifications}}},
        {"llc_latency_ns", "ns", "of a load that the last-level cache has", &Chip::llc_latency_ns, {{"", 150, kSameNs}, {"gfx1100", 150, kChaseCache}}},
        {"llc_gbs", "GB/s", "achieved from the last-level cache", &Chip::llc_gbs,
         {{"rx7900xtx", 1240, "published: 64 MiB read again on an RX 7900 XTX"}, {"rx7900xt", 1030, "scaled from the RX 7900 XTX by its slices"},
          {"w7900", 1240, "as on an RX 7900 XTX"}, {"rx7800xt", 830, "scaled from the RX 7900 XTX by its slices"},
          {"rx7700xt", 620, "scaled from the RX 7900 XTX by its slices"}, {"rx7600", 413, "scaled from the RX 7900 XTX by its slices"},
          {"strixhalo", 413, "scaled from the RX 7900 XTX by its size"}}},
        {"memory_latency_ns", "ns", "of a load from memory", &Chip::memory_latency_ns,
         {{"", 240, kSameNs}, {"gfx1100", 240, kChase}}},
        {"memory_gbs", "GB/s", "achieved from memory", &Chip::memory_gbs,
         {{"rx7900xtx", 865, "published streaming attention decode: 865 of 960"}, {"rx7900xt", 720, kMemoryScaled}, {"w7900", 778, kMemoryScaled},
          {"rx7800xt", 562, kMemoryScaled}, {"rx7700xt", 389, kMemoryScaled}, {"rx7600", 259, kMemoryScaled},
          {"radeon780m", 76, "85 % of two channels of DDR5-5600, as gfx1151 reaches"}, {"radeon890m", 102, "85 % of LPDDR5X-7500, as gfx1151 reaches"},
          {"strixhalo", 217, "published streams on gfx1151: 215 to 220 of 256"}}},
        {"memory_turnaround", "", "part of the memory's time lost to turning its bus around where half of the lines are written",
         &Chip::memory_turnaround, {{"", 0.15, "published on an RX 7900 XTX: a copy at 751 GB/s where reads reach 865"}}},
        {"sharing_window", "", "part of what the work-groups that run together touch that must stay in a cache for one to find what another read",
         &Chip::sharing_window, {{"", 0.25, kAssumed}}},

        // Scalar memory and instruction fetch.
        {"scalar_cache_bytes", "bytes", "scalar cache of a WGP", &Chip::scalar_cache_bytes, {{"", 16 * kKiB, kIsa}}},
        {"scalar_latency", "cycles", "of a scalar load that the scalar cache has", &Chip::scalar_latency, {{"", 70, kChase}}},
        {"instruction_cache_bytes", "bytes", "instruction cache of a WGP", &Chip::instruction_cache_bytes, {{"", 32 * kKiB, kIsa}}},
        {"instruction_line_bytes", "bytes", "its lines", &Chip::instruction_line_bytes, {{"", 128, kIsa}}},
        {"instruction_prefetch_lines", "", "lines fetched ahead of a wave that runs straight on", &Chip::instruction_prefetch_lines,
         {{"", 2, kAssumed}}},
    };
    return rows;
}

const ChipValue* table_value(const ChipConstant& constant, const Chip& chip) {
    const ChipValue* fitting = nullptr;
    for (const ChipValue& value : constant.values)
        if (value.of.empty() || value.of == chip.target || value.of == chip.name) fitting = &value;
    return fitting;
}

}  // namespace

double ChipConstant::value_in(const Chip& chip) const {
    return std::visit([&](auto field) { return static_cast<double>(chip.*field); }, member);
}

void ChipConstant::set(Chip& chip, double value) const {
    std::visit([&]<class Value>(Value Chip::*field) { chip.*field = static_cast<Value>(value); }, member);
}

std::string_view ChipConstant::source_in(const Chip& chip) const {
    const ChipValue* value = table_value(*this, chip);
    if (value_in(chip) != (value ? value->value : 0)) return "HIPEMU_TIMING";
    return value ? value->source : std::string_view("there is none");
}

std::span<const ChipConstant> chip_constants() {
    static const std::vector<ChipConstant> constants = make_constants();
    return constants;
}

std::vector<Chip> table_chips() {
    std::vector<Chip> made;
    for (const Card& card : kCards) {
        Chip chip{.name = card.name, .target = card.target, .marketing_name = card.marketing_name};
        for (const ChipConstant& constant : chip_constants())
            if (const ChipValue* value = table_value(constant, chip)) constant.set(chip, value->value);
        made.push_back(chip);
    }
    return made;
}

const Chip* find_chip(std::string_view name) {
    name = name.substr(0, name.find(':'));
    for (const Chip& chip : chips())
        if (chip.name == name || chip.target == name) return &chip;
    return nullptr;
}

std::string timing_table_hash(const Chip& chip, bool modelled) {
    flashwave::Sha256 hash(modelled ? kModel : kEstimate);
    hash.field(chip.name).field(chip.target);
    for (const ChipConstant& constant : chip_constants())
        hash.field(constant.name).field(std::bit_cast<std::uint64_t>(constant.value_in(chip)));
    return hash.finish().hex();
}

}  // namespace hipemu
