// One emulated card: its model, its memory budget, its streams, and what HIP says of its properties.
// Not thread-safe: the machine's lock protects it; the property functions are pure.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "emulator/runtime/queue.hpp"
#include "emulator/timing/timing.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

struct Block;
struct Pool;

struct Device {
    Device(int ordinal, const Chip& chip, const Config& config, std::mutex* lock = nullptr, std::shared_ptr<Picoseconds> host_time = nullptr);

    int ordinal;
    const Chip* chip;
    Queue queue;
    std::uint64_t memory_bytes;     // that programs may allocate
    std::uint64_t memory_used = 0;  // as allocated, each block in whole pages, what pools hold on to included
    std::set<int> peers;            // devices whose memory its kernels may touch
    std::shared_ptr<Pool> default_pool, pool;  // of hipMallocAsync; pool: the one that is current
    Block* arguments = nullptr;     // where kernel arguments lie while a kernel runs
    Block* grid_barrier = nullptr;  // of the cooperative launch that runs
};

/// Can the device give `bytes` more? Memory that pools keep for later is taken back first, from the current and the default one.
bool has_room(Device& device, std::uint64_t bytes);

/// "AMD Radeon RX 7900 XTX (emulated)".
std::string device_name(const Chip& chip);

/// What the emulator's HIP answers; the figures are those a card of that model gives on Linux, where known.
hipDeviceProp_tR0600 device_properties(const Device& device);
/// The same in the layout of HIP before 6.
hipDeviceProp_tR0000 old_device_properties(const Device& device);
/// False: no such attribute is known.
bool device_attribute(const Device& device, hipDeviceAttribute_t attribute, int& value);

}  // namespace hipemu
