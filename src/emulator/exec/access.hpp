// What a memory instruction touches, told before it runs: for the checks that look on (watch.hpp) and for the timing model's trace. The
// handlers themselves do not use it.
#pragma once

#include <cstdint>

#include "emulator/isa/access_shape.hpp"
#include "emulator/isa/inst.hpp"

namespace hipemu {

struct Wave;

/// One memory instruction as it is about to run.
struct Access {
    const AccessShape* shape = nullptr;
    std::uint32_t lanes = 0;                 // that really access memory: active, and inside the descriptor of a buffer
    std::uint32_t ignored = 0;               // scalar: low bits of the addends of the address, which count as zero
    std::uint64_t bits = 0;                  // set in some lane's address, whether it accesses memory or not; not of scalar accesses
    std::uint64_t address[kLanes];           // LDS and scratch: an offset from the work-group's or the lane's own start; scalar: address[0]

    /// The memory that a lane's address means: a flat access goes to global memory, LDS or scratch. `offset` becomes the address there.
    AccessSpace space_of(int lane, std::uint64_t& offset) const;
};

/// Fills `access`; false if the instruction touches no memory this time.
bool describe_access(const Wave& wave, const Inst& inst, const AccessShape& shape, Access& access);

}  // namespace hipemu
