// Copies and fills: what lies at a pointer, whether a range may be touched, and the work itself. Under the machine's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/runtime/copy_shape.hpp"
#include "emulator/runtime/machine.hpp"

namespace hipemu {

/// One end of a copy: what a range of addresses is.
struct CopyRange {
    enum class Kind : std::uint8_t { device, pinned, pageable, invalid };
    Kind kind = Kind::invalid;
    std::byte* bytes = nullptr;   // where the host reads and writes it
    Block* block = nullptr;       // device and pinned memory
    std::uint64_t offset = 0;     // within the block
    std::string trouble = {};          // invalid: what is wrong with it, e.g. "64 bytes past the end of hipMalloc #3 (..)"

    bool on_host() const { return kind == Kind::pinned || kind == Kind::pageable; }
};

/// As of when memory is looked for, as that of graphs comes and goes.
enum class Moment : std::uint8_t {
    now,          // while work runs
    after_queue,  // what will be there once all that is queued is done
    in_replay,    // what a graph will have when it is replayed
};
CopyRange find_copy_range(Machine& machine, const void* pointer, std::size_t bytes, Moment moment);

/// What the parameters of a copy in up to three dimensions come to; arrays are refused.
struct CopyPlaces {
    void* to = nullptr;
    const void* from = nullptr;
    CopyShape shape;
};
hipError_t read_parameters(const hipMemcpy3DParms* parameters, const char* call, CopyPlaces& places);

/// hipSuccess if the copy may be done; otherwise says why not, as the call named `call`.
hipError_t check_copy(const CopyRange& to, const CopyRange& from, hipMemcpyKind kind, const char* call);

/// Copies, with what is known about defined bytes. Undefined bytes come to the host as a pattern: memory of a card holds anything.
Outcome copy_rows(const Device& device, const CopyRange& to, const CopyRange& from, const CopyShape& shape);

/// Repeats `unit` bytes of `value` over each row.
Outcome fill_rows(const Device& device, const CopyRange& to, std::uint32_t value, unsigned unit, const CopyShape& shape);

}  // namespace hipemu
