// A pool that hipMallocAsync takes device memory from. Addresses are not used again, so that a use after free is found; what a pool holds on
// to is its budget: memory that was freed into it stays the pool's, up to its threshold.
// Not thread-safe: the machine's lock protects it.
#pragma once

#include <cstdint>
#include <map>

#include "hip/hip_abi.hpp"

namespace hipemu {

struct Device;

struct Pool {
    Device* device = nullptr;
    std::uint64_t threshold = 0;   // hipMemPoolAttrReleaseThreshold
    std::uint64_t used = 0, used_high = 0;
    std::uint64_t reserved = 0, reserved_high = 0;  // used, and free but kept
    int reuse[3] = {1, 1, 1};      // hipMemPoolReuse...: kept, of no effect here
    std::map<int, hipMemAccessFlags> access;  // of other devices, where the program set it
    bool destroyed = false;        // its memory goes back as it is freed

    /// Takes `bytes`; false where the device has no room for them.
    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);
    /// Lets go of what is free beyond so many bytes in all.
    void trim(std::uint64_t bytes_to_hold);
};

}  // namespace hipemu
