#include "emulator/checks/atomic.hpp"

#include <fmt/format.h>

#include "emulator/state/lane_access.hpp"
#include "emulator/state/undefined.hpp"

namespace hipemu {

bool check_atomic_memory(Wave& wave, const Access& access) {
    const std::string_view name = wave.current->info->mnemonic;
    if (access.shape->space == AccessSpace::lds || name.find("swap") != std::string_view::npos) return true;
    if (any_undefined(wave, wave.current->src[0])) return true;  // the address is the finding
    const MemoryMap& memory = *wave.group->memory;
    const unsigned bytes = access.shape->bytes;
    const Allocation* allocation = nullptr;
    for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        std::uint64_t address = 0;
        if (access.space_of(lane, address) != AccessSpace::global) continue;
        const bool same = allocation != nullptr && address >= allocation->base && address - allocation->base + bytes <= allocation->size;
        if (!same) allocation = memory.find(address, bytes);
        if (allocation == nullptr || allocation->defined == nullptr) continue;
        if (all_defined(allocation->defined, address - allocation->base, bytes)) continue;
        wave.stop_with_fault(FaultKind::undefined_store,
                             fmt::format("changes {} bytes at {:#x}, {}, which nobody has written: the sum or counter there was never set", bytes,
                                         address, memory.describe(address)),
                             lane, address);
        return false;
    }
    return true;
}

}  // namespace hipemu
