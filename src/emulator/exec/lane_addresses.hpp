// What the checks ask of the addresses of all lanes of an access, whether a lane is active or not. With AVX2 where the host has it.
#pragma once

#include <cstdint>

#include "emulator/isa/inst.hpp"

namespace hipemu {

/// `own` + `offset`, in 32 bits, of each lane. Returns all bits that are set in some address.
std::uint64_t add_offset(const std::uint32_t (&own)[kLanes], std::uint32_t offset, std::uint64_t (&address)[kLanes]);

/// All bits that are set in some address.
std::uint64_t any_bits(const std::uint64_t (&address)[kLanes]);

/// The low 16 bits of each, of addresses in LDS.
void narrow_addresses(const std::uint64_t (&address)[kLanes], std::uint16_t (&narrow)[kLanes]);

/// A bit for each lane whose bytes do not follow those of the lane before it; that of lane 0 is set.
std::uint32_t starts_of_runs(const std::uint64_t (&address)[kLanes], unsigned bytes);

}  // namespace hipemu
