#include "emulator/runtime/device.hpp"

#include <algorithm>
#include <utility>

#include "emulator/runtime/injector.hpp"
#include "emulator/runtime/pool.hpp"

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

}  // namespace hipemu
