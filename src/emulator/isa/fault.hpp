// What stops a launch: the first finding of a wave, with everything needed to find the line of the kernel.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace hipemu {

enum class FaultKind : std::uint8_t {
    unknown_instruction,   // a mnemonic without semantics, or a form of it that is not known
    out_of_bounds,         // global access outside every allocation, in a guard zone, or after free
    lds_out_of_bounds,
    misaligned,            // an address that is no multiple of the element
    undefined_address,     // an address computed from undefined bits
    undefined_store,       // undefined bits stored to global memory
    undefined_branch,      // a branch or EXEC decided by undefined bits
    barrier,               // a barrier that not every living wave reaches
    missing_wait,          // a register is used before the wait that says a load has filled it
    lds_race,              // two waves touch the same bytes of LDS unordered, one of them writing
    global_race,           // likewise two work-groups and global memory
    wmma_halves,           // the two halves of a WMMA operand differ
    hazard,                // an instruction too close behind another, which the hardware does not hold back
    instruction_limit,     // more instructions than the launch allows: a hang
    trap,                  // s_trap, illegal operation
    unsupported,           // something the emulator does not do, said by name
};

struct Fault {
    FaultKind kind = FaultKind::unsupported;
    std::string message;   // one sentence, without the place
    std::string kernel;
    std::array<std::uint32_t, 3> group{};
    std::uint32_t wave = 0;
    int lane = -1;         // -1: not of one lane
    std::uint64_t code_address = 0;  // byte offset in the kernel's text section
    std::string instruction;         // its text as listed
    std::uint64_t data_address = 0;  // of the access, where there is one
    std::string source;              // "kernel.hip:17" where the object has debug information

    /// "kernel fwd, group (3,0,0), wave 2, lane 7, at +0x1a4 `global_load_b128 v[0:3], v4, s[2:3]` (fwd.hip:17): ..."
    std::string to_string() const;
};

}  // namespace hipemu
