#include "emulator/check_alignment.hpp"

#include <fmt/format.h>

#include "emulator/wave.hpp"

namespace hipemu {

namespace {

/// What an address must be a multiple of. Accesses of more than 4 bytes hold several elements: of 16 bits where memory takes any address, so
/// that compilers gather such elements as they lie; in LDS they do so only from multiples of 4.
std::uint64_t alignment_of(const AccessShape& shape) {
    if (shape.bytes <= 4) return shape.bytes;
    return shape.space == AccessSpace::lds ? 4 : 2;
}

}  // namespace

bool check_alignment(Wave& wave, const Access& access) {
    const AccessShape& shape = *access.shape;
    if (shape.bytes < 2 || shape.space == AccessSpace::scalar) return true;  // a scalar load ignores the low bits
    const std::uint64_t mask = alignment_of(shape) - 1;
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
