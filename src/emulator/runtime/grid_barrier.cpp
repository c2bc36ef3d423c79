#include "emulator/runtime/grid_barrier.hpp"

#include <cstddef>
#include <cstring>

#include "emulator/runtime/address_space.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/machine.hpp"

namespace hipemu {
namespace {

/// `mg_info` of ROCm's device library (ockl/src/cg.cl), as it is for one device.
struct GridBarrier {
    std::uint64_t barrier_of_devices = 0;
    std::uint32_t device = 0, devices = 0;
    std::uint64_t threads_before = 0, threads_of_all = 0;
    std::uint32_t arrived = 0, unused = 0;  // arrived: work-groups, and from bit 16 on how often all have met
    std::uint32_t groups = 0, padding = 0;
};
static_assert(offsetof(GridBarrier, arrived) == 32 && offsetof(GridBarrier, groups) == 40 && sizeof(GridBarrier) == 48);

}  // namespace

std::uint64_t grid_barrier_of(Machine& machine, Device& device) {
    if (!device.grid_barrier) {
        device.grid_barrier = machine.memory.allocate(BlockKind::image, sizeof(GridBarrier), device.ordinal, "the barrier of a cooperative launch");
        if (!device.grid_barrier) return 0;
        device.grid_barrier->parts = {device.grid_barrier->whole};
        machine.memory.changed();
    }
    return device.grid_barrier->whole.base;
}

void reset_grid_barrier(Device& device, std::uint32_t groups) {
    const GridBarrier ready{.groups = groups};
    std::memcpy(device.grid_barrier->whole.host, &ready, sizeof ready);
}

}  // namespace hipemu
