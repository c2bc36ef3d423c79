// What a memory instruction touches, told before it runs: for the checks that look on (watch.hpp) and for the timing model's trace. The
// handlers themselves do not use it.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/inst.hpp"

namespace hipemu {

struct Program;
struct Wave;

enum class AccessSpace : std::uint8_t {
    none,     // not a memory instruction, or one without an address (cache hints, the LDS crossbar)
    global,   // global_*, buffer_*
    flat,     // decided lane by lane: see Access::space_of
    scratch,  // private memory
    lds,
    scalar,   // s_load_*: one address for the wave
};

/// What an instruction does to memory, known from its text. One an instruction, beside Program::code.
struct AccessShape {
    AccessSpace space = AccessSpace::none;
    bool reads = false, writes = false;
    bool atomic = false;         // reads, computes and writes in one step
    bool acquires = false;       // a load that an acquire or an atomic load is compiled to: glc, or an LDS load before a cache invalidation
    bool buffer = false;         // through a descriptor of four scalar registers
    std::uint8_t bytes = 0;      // a lane, at one address
    std::uint8_t alignment = 1;  // of loads and stores: what an address has to be a multiple of (check_alignment.hpp)
    std::int32_t offset = 0;     // LDS: bytes added to every lane's address
    std::int32_t second = 0;     // ds_*_2addr: how far the second address is from the first; 0: there is none
};

/// The shapes of all instructions of a program.
std::vector<AccessShape> access_shapes(const Program& program);

/// One memory instruction as it is about to run.
struct Access {
    const AccessShape* shape = nullptr;
    std::uint32_t lanes = 0;                 // that really access memory: active, and inside the descriptor of a buffer
    std::uint32_t ignored = 0;               // scalar: low bits of the addends of the address, which count as zero
    std::uint64_t address[kLanes];           // LDS and scratch: an offset from the work-group's or the lane's own start; scalar: address[0]

    /// The memory that a lane's address means: a flat access goes to global memory, LDS or scratch. `offset` becomes the address there.
    AccessSpace space_of(int lane, std::uint64_t& offset) const;
};

/// Fills `access`; false if the instruction touches no memory this time.
bool describe_access(const Wave& wave, const Inst& inst, const AccessShape& shape, Access& access);

}  // namespace hipemu
