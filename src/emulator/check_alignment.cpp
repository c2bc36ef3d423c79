#include "emulator/check_alignment.hpp"

#include <string>

#include <fmt/format.h>

#include "emulator/undefined.hpp"
#include "emulator/wave.hpp"

namespace hipemu {

namespace {

/// Then that is the finding, which the instruction's own rule makes.
bool address_is_undefined(const Wave& wave, const AccessShape& shape) {
    const Inst& inst = *wave.current;
    const unsigned scalar = shape.space == AccessSpace::scalar || !shape.writes ? 1 : 2;
    return any_undefined(wave, inst.src[0]) || (shape.space != AccessSpace::lds && inst.sources > scalar && any_undefined(wave, inst.src[scalar]));
}

std::string place_of(const Access& access, int lane) {
    std::uint64_t offset = 0;
    const AccessSpace space = access.space_of(lane, offset);
    if (space == AccessSpace::lds) return fmt::format("byte {} of LDS", offset);
    if (space == AccessSpace::scratch) return fmt::format("byte {} of private memory", offset);
    return fmt::format("{:#x}", offset);
}

bool check_scalar(Wave& wave, const Access& access) {
    if (access.ignored == 0 || address_is_undefined(wave, *access.shape)) return true;
    wave.stop_with_fault(FaultKind::misaligned,
                         fmt::format("a scalar load's base or offset is no multiple of 4: the hardware ignores the low bits, and reads at {:#x}",
                                     access.address[0]),
                         -1, access.address[0]);
    return false;
}

}  // namespace

bool check_alignment(Wave& wave, const Access& access, Warnings& warnings) {
    const AccessShape& shape = *access.shape;
    if (shape.space == AccessSpace::scalar) return check_scalar(wave, access);
    if (shape.bytes < 2 || shape.atomic) return true;
    const std::uint64_t mask = (shape.bytes <= 4 ? shape.bytes : 2u) - 1u;
    std::uint64_t low_bits = 0;
    if (access.lanes == 0xffffffffu) {
        for (const std::uint64_t address : access.address) low_bits |= address;
    } else {
        for (int lane = 0; lane < kLanes; ++lane) low_bits |= access.lanes >> lane & 1 ? access.address[lane] : 0;
    }
    if ((low_bits & mask) == 0 || warnings.knows_lane(wave) || address_is_undefined(wave, shape)) return true;
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t address = access.address[lane];
        if ((access.lanes >> lane & 1) == 0 || (address & mask) == 0) continue;
        warnings.add(wave, FaultKind::misaligned,
                     fmt::format("accesses {} bytes at {}, which is no multiple of {}", shape.bytes, place_of(access, lane), mask + 1), lane, address);
        return true;
    }
    return true;
}

}  // namespace hipemu
