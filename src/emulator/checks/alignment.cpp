#include "emulator/checks/alignment.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "emulator/isa/element_size.hpp"
#include "emulator/isa/neighbours.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/state/undefined.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

namespace {

unsigned alignment_of(const Program& program, std::size_t index, unsigned in_lds) {
    const AccessShape& shape = program.accesses[index];
    if (shape.atomic || shape.space == AccessSpace::none || shape.space == AccessSpace::scalar || shape.bytes < 2) return 1;
    const unsigned own = shape.bytes <= 4 ? shape.bytes : shape.space == AccessSpace::lds ? 4u : 2u;
    const unsigned shown = own > 1 ? std::min(own, alignment_among_neighbours(program, index)) : own;
    return shown > 1 ? std::min(shown, element_size(program, index, in_lds)) : shown;
}

/// Then that is the finding, which the instruction's own rule makes.
bool address_is_undefined(const Wave& wave, const AccessShape& shape) {
    const Inst& inst = *wave.current;
    const unsigned scalar = shape.scalar_source();
    return any_undefined(wave, inst.src[0]) || (shape.space != AccessSpace::lds && inst.sources > scalar && any_undefined(wave, inst.src[scalar]));
}

/// `second`: of the second of two addresses.
std::string place_of(const Access& access, int lane, bool second) {
    std::uint64_t offset = 0;
    const AccessSpace space = access.space_of(lane, offset);
    if (second) offset += static_cast<std::uint64_t>(std::int64_t{access.shape->second});
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

void set_alignments(Program& program) {
    for (std::size_t first = 0, end = 0; first < program.accesses.size(); first = end) {
        end = std::min(end_of_function(program, first), program.accesses.size());
        const unsigned in_lds = element_in_lds(program, first, end);
        for (std::size_t i = first; i < end; ++i) program.accesses[i].alignment = static_cast<std::uint8_t>(alignment_of(program, i, in_lds));
    }
}

bool check_alignment(Wave& wave, const Access& access) {
    const AccessShape& shape = *access.shape;
    if (shape.space == AccessSpace::scalar) return check_scalar(wave, access);
    const std::uint64_t mask = shape.alignment - 1u;
    if (mask == 0) return true;
    std::uint64_t low_bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) low_bits |= access.lanes >> lane & 1 ? access.address[lane] : 0;
    if (((low_bits | static_cast<std::uint64_t>(std::int64_t{shape.second})) & mask) == 0 || address_is_undefined(wave, shape)) return true;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((access.lanes >> lane & 1) == 0) continue;
        for (const bool second : {false, true}) {
            const std::uint64_t address = access.address[lane] + (second ? static_cast<std::uint64_t>(std::int64_t{shape.second}) : 0);
            if ((address & mask) == 0) continue;
            wave.stop_with_fault(FaultKind::misaligned,
                                 fmt::format("accesses {} bytes at {}, which is no multiple of {}", shape.bytes, place_of(access, lane, second), mask + 1),
                                 lane, address);
            return false;
        }
    }
    return true;
}

}  // namespace hipemu
