#include "emulator/timing/estimate.hpp"

#include <algorithm>

namespace hipemu {
namespace {

constexpr double kSimdsPerComputeUnit = 2;

}  // namespace

KernelTime estimate_time(const EstimateInput& input) {
    const Chip& chip = *input.chip;
    KernelTime time;
    time.occupancy = occupancy_of(chip, input.footprint);
    time.instructions.resize(input.issue_cycles.size());
    // Whole numbers: the sum does not depend on an order.
    std::uint64_t issued = 0;
    for (std::size_t i = 0; i < std::min(input.counts.size(), input.issue_cycles.size()); ++i) issued += input.counts[i] * input.issue_cycles[i];
    const double all = static_cast<double>(issued) * static_cast<double>(input.total_groups) /
                       static_cast<double>(std::max<std::uint64_t>(input.groups_run, 1));
    time.cycles = all / (std::max(chip.compute_units, 1u) * kSimdsPerComputeUnit);
    time.seconds = time.cycles / (chip.clock_ghz * 1e9);
    return time;
}

}  // namespace hipemu
