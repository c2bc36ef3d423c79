#include "emulator/state/memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/state/absent_service.hpp"

namespace hipemu {
namespace {

/// Farther away than this from everything, an address is not an overrun of something but simply wrong.
constexpr std::uint64_t kNear = 1 << 20;

std::string named(const Allocation& allocation) {
    return fmt::format("{} ({} bytes at {:#x})", allocation.label, allocation.size, allocation.base);
}

std::string count_of_bytes(std::uint64_t bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

}  // namespace

const Allocation* MemoryMap::find(std::uint64_t address, std::uint64_t bytes) const {
    auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                  [](std::uint64_t value, const Allocation& one) { return value < one.base; });
    if (after == allocations_.begin()) return nullptr;
    const Allocation& candidate = *(after - 1);
    const std::uint64_t offset = address - candidate.base;
    return offset <= candidate.size && bytes <= candidate.size - offset ? &candidate : nullptr;
}

std::string MemoryMap::describe(std::uint64_t address) const {
    auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                  [](std::uint64_t value, const Allocation& one) { return value < one.base; });
    if (after != allocations_.begin()) {
        const Allocation& before = *(after - 1);
        if (address - before.base < before.size) return fmt::format("byte {} of {}", address - before.base, named(before));
    }
    for (const Allocation& one : unreachable_)
        if (address >= one.base && address - one.base < one.size)
            return fmt::format("byte {} of {}, memory of another device to which there is no peer access", address - one.base, named(one));
    for (const Allocation& one : freed_)
        if (address >= one.base && address - one.base < one.size)
            return fmt::format("byte {} of {}, which was freed", address - one.base, named(one));

    const Allocation* below = after != allocations_.begin() ? &*(after - 1) : nullptr;
    const Allocation* above = after != allocations_.end() ? &*after : nullptr;
    const std::uint64_t past = below ? address - below->base - below->size : kNear;
    const std::uint64_t ahead = above ? above->base - address : kNear;
    if (past >= kNear && ahead >= kNear) {
        if (const std::string_view absent = absent_service_at(address); !absent.empty()) return std::string(absent);
        if (address < 4096) return fmt::format("address {:#x}, a null pointer or an offset from one", address);
        return fmt::format("address {:#x}, near nothing that is allocated", address);
    }
    if (past <= ahead) return fmt::format("{} past the end of {}", count_of_bytes(past), named(*below));
    return fmt::format("{} before the start of {}", count_of_bytes(ahead), named(*above));
}

}  // namespace hipemu
