#include "emulator/check_alignment.hpp"

#include <fmt/format.h>

#include "emulator/wave.hpp"

namespace hipemu {

bool check_alignment(Wave& wave, const Access& access) {
    const AccessShape& shape = *access.shape;
    if (shape.bytes < 2 || shape.space == AccessSpace::scalar) return true;  // a scalar load ignores the low bits
    const std::uint64_t mask = (shape.bytes < 4 ? shape.bytes : 4u) - 1u;
    std::uint64_t low_bits = 0;
    if (access.lanes == 0xffffffffu) {
        for (const std::uint64_t address : access.address) low_bits |= address;
    } else {
        for (int lane = 0; lane < kLanes; ++lane) low_bits |= access.lanes >> lane & 1 ? access.address[lane] : 0;
    }
    if (((low_bits | static_cast<std::uint64_t>(std::int64_t{shape.second})) & mask) == 0) return true;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((access.lanes >> lane & 1) == 0 || (access.address[lane] & mask) == 0) continue;
        wave.stop_with_fault(FaultKind::misaligned,
                             fmt::format("accesses {} bytes at {:#x}, which is no multiple of {}", shape.bytes, access.address[lane], mask + 1), lane,
                             access.address[lane]);
        return false;
    }
    return true;
}

}  // namespace hipemu
