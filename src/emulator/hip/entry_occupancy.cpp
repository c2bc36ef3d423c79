// How many work-groups of a kernel a multiprocessor holds, and which size of them fills it best.
#include <algorithm>

#include "emulator/hip/work.hpp"
#include "emulator/runtime/loaded_module.hpp"

using namespace hipemu;

namespace {

constexpr int kLargestBlock = 1024;
constexpr int kWave = 32;
constexpr unsigned kKnownFlags = 1;  // hipOccupancyDisableCachingOverride, which means nothing to these cards

int blocks_of(const LoadedKernel& loaded, int block_size, std::size_t dynamic_bytes) {
    const Chip& chip = *loaded.device->chip;
    if (block_size > kLargestBlock || dynamic_bytes > chip.lds_per_group || loaded.kernel.group_bytes + dynamic_bytes > chip.lds_per_group) return 0;
    const Footprint footprint = loaded.kernel.footprint(static_cast<std::uint32_t>(block_size), static_cast<std::uint32_t>(dynamic_bytes));
    return static_cast<int>(occupancy_of(chip, footprint).groups_per_wgp);
}

/// Runs `work(kernel)`; flags are checked first.
template <class Work>
hipError_t kernel_entry(hipFunction_t function, unsigned flags, Work&& work, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        if (flags & ~kKnownFlags) return hipErrorInvalidValue;
        const LoadedKernel* loaded = machine.find_function(function);
        if (!loaded) return refuse(hipErrorInvalidDeviceFunction, "there is no such function; was its module unloaded?");
        return work(*loaded);
    }, call);
}

hipError_t active_blocks(int* blocks, hipFunction_t function, int block_size, std::size_t dynamic_bytes, unsigned flags = 0,
                         const char* call = __builtin_FUNCTION()) {
    return kernel_entry(function, flags, [&](const LoadedKernel& loaded) {
        if (!blocks || block_size <= 0) return hipErrorInvalidValue;
        *blocks = blocks_of(loaded, block_size, dynamic_bytes);
        return hipSuccess;
    }, call);
}

/// The block with most work-items on a multiprocessor, of several the largest; the grid that fills the card with it.
hipError_t best_block(int* grid, int* block, hipFunction_t function, std::size_t dynamic_bytes, int limit, unsigned flags = 0,
                      const char* call = __builtin_FUNCTION()) {
    return kernel_entry(function, flags, [&](const LoadedKernel& loaded) {
        if (!grid || !block) return hipErrorInvalidValue;
        int most = std::min(kLargestBlock, static_cast<int>(loaded.kernel.max_threads));
        if (limit > 0) most = std::min(most, limit);
        int best = 0, best_blocks = 0;
        const auto look_at = [&](int size) {
            const int blocks = blocks_of(loaded, size, dynamic_bytes);
            if (size * blocks > best * best_blocks) best = size, best_blocks = blocks;
        };
        look_at(most);
        for (int size = (most - 1) / kWave * kWave; size > 0; size -= kWave) look_at(size);
        *block = best;
        *grid = best_blocks * device_properties(*loaded.device).multiProcessorCount;
        return hipSuccess;
    }, call);
}

/// The same for kernels that the program names by a host function.
template <class Ask>
hipError_t of_host_function(const void* host_function, Ask&& ask, const char* call = __builtin_FUNCTION()) {
    return whole_call([&] {
        hipFunction_t function = nullptr;
        if (const hipError_t error = registered_function(host_function, function)) return error;
        return ask(function);
    }, call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function, int block_size,
                                                                            std::size_t dynamic_bytes) {
    return active_blocks(blocks, function, block_size, dynamic_bytes);
}
HIPEMU_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, hipFunction_t function, int block_size,
                                                                                     std::size_t dynamic_bytes, unsigned flags) {
    return active_blocks(blocks, function, block_size, dynamic_bytes, flags);
}
HIPEMU_EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host_function, int block_size,
                                                                      std::size_t dynamic_bytes) {
    return of_host_function(host_function, [&](hipFunction_t function) { return active_blocks(blocks, function, block_size, dynamic_bytes); });
}
HIPEMU_EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host_function, int block_size,
                                                                               std::size_t dynamic_bytes, unsigned flags) {
    return of_host_function(host_function, [&](hipFunction_t function) { return active_blocks(blocks, function, block_size, dynamic_bytes, flags); });
}

HIPEMU_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t function, std::size_t dynamic_bytes, int limit) {
    return best_block(grid, block, function, dynamic_bytes, limit);
}
HIPEMU_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, hipFunction_t function, std::size_t dynamic_bytes,
                                                                          int limit, unsigned flags) {
    return best_block(grid, block, function, dynamic_bytes, limit, flags);
}
HIPEMU_EXPORT hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* host_function, std::size_t dynamic_bytes, int limit) {
    return of_host_function(host_function, [&](hipFunction_t function) { return best_block(grid, block, function, dynamic_bytes, limit); });
}
