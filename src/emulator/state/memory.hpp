// What a kernel may touch of device memory: the allocations of one moment. Immutable once made, read by every host thread.
//
// A device pointer is an address that the host cannot read (address_space.hpp); `host` is the emulator's own view of the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hipemu {

/// One live allocation, or a range that the device reads for itself (kernel arguments, code).
struct Allocation {
    std::uint64_t base = 0;            // device address of the first byte
    std::uint64_t size = 0;            // bytes as asked for; everything beyond is a guard zone
    std::byte* host = nullptr;         // the emulator's view of the first byte
    std::uint8_t* defined = nullptr;   // one bit a byte: has it ever been written? nullptr: all of it
    bool writable = true;              // kernels may store here
    std::string label;                 // "hipMalloc #12", "kernel arguments", for findings
};

/// The allocations as they were when a launch started: immutable, sorted by address.
class MemoryMap {
public:
    /// `freed`: recently freed ranges, so that a use after free can be called by its name. `unreachable`: memory of other devices.
    explicit MemoryMap(std::vector<Allocation> sorted, std::vector<Allocation> freed = {}, std::vector<Allocation> unreachable = {})
        : allocations_(std::move(sorted)), freed_(std::move(freed)), unreachable_(std::move(unreachable)) {}

    /// The allocation that holds all of [address, address + bytes), or nullptr.
    const Allocation* find(std::uint64_t address, std::uint64_t bytes) const;

    /// "64 bytes past the end of hipMalloc #3 (4096 bytes at 0x7f..)" or "near nothing that is allocated".
    std::string describe(std::uint64_t address) const;

    const std::vector<Allocation>& allocations() const { return allocations_; }

private:
    std::vector<Allocation> allocations_;
    std::vector<Allocation> freed_;
    std::vector<Allocation> unreachable_;
};

}  // namespace hipemu
