#include "emulator/device.hpp"

#include <algorithm>
#include <utility>

#include "emulator/injector.hpp"
#include "emulator/pool.hpp"

namespace hipemu {

Device::Device(int number, const Chip& model, const Config& settings, std::mutex* lock, std::shared_ptr<Picoseconds> host_time)
    : ordinal(number), chip(&model), queue(settings, lock, std::move(host_time)),
      memory_bytes(settings.memory_mib ? std::min(settings.memory_mib << 20, model.memory_bytes) : model.memory_bytes),
      default_pool(std::make_shared<Pool>(Pool{.device = this})), pool(default_pool) {}

bool has_room(Device& device, std::uint64_t bytes) {
    std::uint64_t limit = device.memory_bytes;
    if (const auto injected = Injector::instance().memory_limit()) limit = std::min(limit, *injected);
    const auto fits = [&] { return bytes <= limit && device.memory_used <= limit - bytes; };
    if (!fits()) device.pool->trim(0);
    if (!fits()) device.default_pool->trim(0);
    return fits();
}

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
