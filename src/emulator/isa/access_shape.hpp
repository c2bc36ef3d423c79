// What the memory instructions of a program do to memory, known from their text.
#pragma once

#include <cstdint>
#include <vector>

namespace hipemu {

struct Program;

enum class AccessSpace : std::uint8_t {
    none,     // not a memory instruction, or one without an address (cache hints, the LDS crossbar)
    global,   // global_*, buffer_*
    flat,     // decided lane by lane: see Access::space_of (access.hpp)
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
    std::uint8_t alignment = 1;  // of loads and stores: what an address has to be a multiple of (checks/alignment.hpp)
    std::int32_t offset = 0;     // LDS: bytes added to every lane's address
    std::int32_t second = 0;     // ds_*_2addr: how far the second address is from the first; 0: there is none

    /// Which source is the scalar part of an address, where there is one: behind the vector part, and in what stores, behind the data.
    unsigned scalar_source() const { return space == AccessSpace::scalar || !writes ? 1 : 2; }
};

/// The shapes of all instructions of a program.
std::vector<AccessShape> access_shapes(const Program& program);

}  // namespace hipemu
