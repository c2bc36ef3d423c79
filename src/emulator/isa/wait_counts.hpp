// What a wait instruction waits for, and the counters that memory instructions of gfx11 count in.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/inst.hpp"

namespace hipemu {

struct Program;

enum class Counter : std::uint8_t {
    none,
    vector_loads,   // vmcnt: loads and atomics that return; they return in order
    vector_stores,  // vscnt: stores and atomics that do not return
    lds_scalar,     // lgkmcnt: LDS, which returns in order, and scalar loads and messages, which do not
    both,           // flat loads: vmcnt and lgkmcnt
};

/// Instructions of a counter that may still be on their way when the wait is over; kAny: it does not wait for that counter.
struct WaitCounts {
    static constexpr std::uint8_t kAny = 255;

    std::uint8_t vector_loads = kAny, vector_stores = kAny, lds_scalar = kAny;

    bool waits() const { return vector_loads != kAny || vector_stores != kAny || lds_scalar != kAny; }
};

/// The counter that an instruction counts in until it is done.
Counter counter_of(const Inst& inst);

/// What each instruction of a program waits for. One an instruction, beside Program::code.
std::vector<WaitCounts> wait_counts(const Program& program);

}  // namespace hipemu
