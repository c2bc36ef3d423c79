// The barrier of a cooperative launch, at which all its work-groups meet. Device code waits for them by atomics on a structure that the
// runtime provides; ROCm's device library says how it lies in memory. Under the machine's lock.
#pragma once

#include <cstdint>

namespace hipemu {

struct Device;
struct Machine;

/// Where the device has its barrier, for the kernel's hidden_multigrid_sync_arg; 0: no memory.
std::uint64_t grid_barrier_of(Machine& machine, Device& device);

/// Made ready for a launch of `groups` work-groups.
void reset_grid_barrier(Device& device, std::uint32_t groups);

}  // namespace hipemu
