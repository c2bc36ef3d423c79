#include "emulator/device.hpp"

#include <algorithm>

namespace hipemu {

Device::Device(int number, const Chip& model, const Config& settings)
    : ordinal(number), chip(&model), queue(settings),
      memory_bytes(settings.memory_mib ? std::min(settings.memory_mib << 20, model.memory_bytes) : model.memory_bytes) {}

std::uint32_t groups_per_multiprocessor(const Chip& chip, const OccupancyRequest& request) {
    constexpr std::uint32_t kSimds = 4;             // of a WGP
    const std::uint32_t waves = (request.block_threads + 31) / 32;
    if (waves == 0) return 0;
    const std::uint32_t registers = std::max(1u, (request.vgprs + chip.vgpr_granule - 1) / chip.vgpr_granule) * chip.vgpr_granule;
    const std::uint32_t waves_per_simd = std::min(chip.max_waves_per_simd, chip.vgprs_per_simd / registers);
    // A group's waves are spread evenly over the four SIMDs.
    const std::uint32_t per_simd = (waves + kSimds - 1) / kSimds;
    std::uint32_t groups = waves >= kSimds ? waves_per_simd / per_simd : waves_per_simd * kSimds / waves;
    if (waves > 1) groups = std::min(groups, chip.max_groups_per_wgp);
    if (request.lds_bytes > 0) {
        const std::uint32_t lds = (request.lds_bytes + chip.lds_granule - 1) / chip.lds_granule * chip.lds_granule;
        groups = lds > chip.lds_per_group ? 0 : std::min(groups, chip.lds_per_wgp / lds);
    }
    return groups;
}

}  // namespace hipemu
