// The state of one wave and of its work-group, as the instruction semantics see them. One host thread runs a work-group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/isa/fault.hpp"
#include "emulator/isa/inst.hpp"
#include "emulator/state/memory.hpp"

namespace hipemu {

struct Program;
struct Workgroup;

/// Where the dispatch and queue pointers of a wave point; no host mapping ever lies there.
inline constexpr std::uint64_t kDispatchPacketAddress = 0x0003'0000'0000'0000ull;
inline constexpr std::uint64_t kQueueAddress = 0x0004'0000'0000'0000ull;

enum class WaveState : std::uint8_t { running, at_barrier, ended, faulted };

struct alignas(64) Wave {
    std::uint32_t v[256][kLanes];       // vector registers, lane by lane
    std::uint32_t s[kScalars];          // scalar registers by the ISA's number, VCC, M0 and EXEC among them; s[kNull] reads 0
    bool scc = false;

    std::uint32_t pc = 0;               // index into program->code of the instruction to run next
    const Inst* current = nullptr;      // the instruction that is running
    WaveState state = WaveState::running;
    const Program* program = nullptr;
    Workgroup* group = nullptr;
    std::uint32_t index = 0;            // in its work-group
    std::uint32_t mode = 0;             // rounding and denormal bits as kernel descriptor rsrc1 sets them (MODE register)

    // Undefined bits. `defined` holds the vector registers without a single undefined bit in any lane; for the others
    // undefined[r][lane] has a one for each undefined bit; a register in `defined` leaves stale bits there. Likewise the scalars;
    // SCC is kSccBit. See undefined.hpp.
    RegSet defined;
    ScalarSet scalar_defined;
    std::uint32_t undefined[256][kLanes];
    std::uint32_t scalar_undefined[kScalars];

    // Statistics. Instructions are counted by stretch of straight-line code when it is left (launch.cpp), not one by one.
    std::uint64_t instructions = 0;     // with an effect
    std::uint64_t issue_units = 0;      // cycles of this wave's SIMD, in 1/kFraction

    const Allocation* last_allocation = nullptr;  // of the latest global access: the next one is most often beside it

    std::uint32_t exec() const { return s[kExecLo]; }

    /// Ends this wave and the launch with a finding at the current instruction; the place is filled in here.
    void stop_with_fault(FaultKind kind, std::string message, int lane = -1, std::uint64_t data_address = 0);
    std::unique_ptr<Fault> fault;
};

/// The part of an allocation that accesses of a work-group spanned; the timing model takes it as what must come from memory.
struct MemorySpan {
    const Allocation* allocation = nullptr;
    std::uint64_t low = 0, high = 0;   // device addresses, high is past the end
};

struct Workgroup {
    std::uint32_t id[3] = {};
    std::uint32_t size[3] = {};          // work-items
    std::uint32_t grid[3] = {};          // work-groups of the launch
    std::vector<std::unique_ptr<Wave>> waves;
    std::uint32_t lds_bytes = 0;         // static + dynamic, exactly as many bytes as the launch asked for
    std::vector<std::byte> lds;          // lds_bytes, and a few more that no access in range reaches
    std::vector<std::byte> lds_undefined;  // a one for each undefined bit of lds
    bool tracks_undefined = true;        // false: nothing is undefined to this launch, and the *_undefined below are all zero
    const MemoryMap* memory = nullptr;   // global memory as it was when the launch started
    std::vector<MemorySpan> spans;       // kept over all groups of a host thread
    Allocation dispatch_packet;          // what the dispatch pointer points at, for code that asks for it
    std::uint32_t private_bytes = 0;     // scratch a lane
    std::vector<std::byte> scratch;      // private memory: [wave][lane][private_bytes]
    std::vector<std::byte> scratch_undefined;  // a one for each undefined bit of scratch
};

}  // namespace hipemu
