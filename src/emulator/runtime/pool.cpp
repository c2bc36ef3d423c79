#include "emulator/runtime/pool.hpp"

#include <algorithm>

#include "emulator/runtime/device.hpp"

namespace hipemu {

bool Pool::take(std::uint64_t bytes) {
    const std::uint64_t kept = reserved - used;
    const std::uint64_t fresh = bytes > kept ? bytes - kept : 0;
    if (!has_room(*device, fresh)) return false;
    device->memory_used += fresh;
    reserved += fresh;
    used += bytes;
    used_high = std::max(used_high, used);
    reserved_high = std::max(reserved_high, reserved);
    return true;
}

void Pool::give_back(std::uint64_t bytes) {
    used -= bytes;
    trim(destroyed ? 0 : threshold);
}

void Pool::trim(std::uint64_t bytes_to_hold) {
    const std::uint64_t hold = std::max(bytes_to_hold, used);
    if (reserved <= hold) return;
    device->memory_used -= reserved - hold;
    reserved = hold;
}

}  // namespace hipemu
