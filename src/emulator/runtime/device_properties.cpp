#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "emulator/runtime/device.hpp"

namespace hipemu {
namespace {

constexpr int kFirstPciBus = 3;
constexpr int kWaveSize = 32;
constexpr int kMaxThreadsPerBlock = 1024;
// Work-items that ROCm says fit one multiprocessor of RDNA: 64 waves of 32.
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kRegistersPerBlock = 65536;
constexpr int kTextureSide = 16384;
constexpr int kWallClockKhz = 100'000;  // of s_memrealtime on gfx10 and later

/// "gfx1100" -> 11, 0; "gfx1151" -> 11, 5: HIP drops the stepping.
std::pair<int, int> capability(std::string_view target) {
    const std::string_view digits = target.substr(std::min<std::size_t>(3, target.size()));
    if (digits.size() < 3) return {0, 0};
    int major = 0;
    for (char c : digits.substr(0, digits.size() - 2)) major = major * 10 + (c - '0');
    return {major, digits[digits.size() - 2] - '0'};
}

template <std::size_t N>
void put_text(char (&field)[N], std::string_view text) {
    std::memset(field, 0, N);
    std::memcpy(field, text.data(), std::min(text.size(), N - 1));
}

hipDeviceArch_t features() {
    hipDeviceArch_t arch{};
    arch.hasGlobalInt32Atomics = arch.hasGlobalFloatAtomicExch = arch.hasSharedInt32Atomics = arch.hasSharedFloatAtomicExch = 1;
    arch.hasFloatAtomicAdd = arch.hasGlobalInt64Atomics = arch.hasSharedInt64Atomics = arch.hasDoubles = 1;
    arch.hasWarpVote = arch.hasWarpBallot = arch.hasWarpShuffle = arch.hasThreadFenceSystem = arch.has3dGrid = 1;
    return arch;
}

/// The fields that both layouts have under the same name.
template <class Properties>
void fill_common(const Device& device, Properties& p) {
    const Chip& chip = *device.chip;
    put_text(p.name, device_name(chip));
    put_text(p.gcnArchName, chip.target);
    p.totalGlobalMem = device.memory_bytes;
    p.sharedMemPerBlock = chip.lds_per_group;
    p.regsPerBlock = kRegistersPerBlock;
    p.warpSize = kWaveSize;
    p.maxThreadsPerBlock = kMaxThreadsPerBlock;
    std::fill(std::begin(p.maxThreadsDim), std::end(p.maxThreadsDim), kMaxThreadsPerBlock);
    p.maxGridSize[0] = INT_MAX;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.clockRate = static_cast<int>(chip.boost_mhz * 1000);
    p.memoryClockRate = static_cast<int>(chip.memory_mhz * 1000);
    p.memoryBusWidth = static_cast<int>(chip.memory_bus_bits);
    p.totalConstMem = INT_MAX;
    std::tie(p.major, p.minor) = capability(chip.target);
    p.multiProcessorCount = static_cast<int>(chip.compute_units / 2);  // a WGP is one multiprocessor
    p.l2CacheSize = static_cast<int>(chip.l2_bytes);
    p.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
    p.clockInstructionRate = kWallClockKhz;
    p.arch = features();
    p.concurrentKernels = 1;
    p.cooperativeLaunch = 1;
    p.pciBusID = kFirstPciBus + device.ordinal;
    p.maxSharedMemoryPerMultiProcessor = chip.lds_per_group;
    p.canMapHostMemory = 1;
    p.integrated = chip.integrated != 0;
    p.maxTexture1D = p.maxTexture1DLinear = kTextureSide;
    p.maxTexture2D[0] = p.maxTexture2D[1] = kTextureSide;
    p.maxTexture3D[0] = p.maxTexture3D[1] = kTextureSide;
    p.maxTexture3D[2] = kTextureSide / 2;
    p.memPitch = INT_MAX;
    p.textureAlignment = p.texturePitchAlignment = 256;
    p.isLargeBar = 0;  // device memory is not accessible to the host
}

}  // namespace

std::string device_name(const Chip& chip) { return fmt::format("{} (emulated)", chip.marketing_name); }

hipDeviceProp_tR0600 device_properties(const Device& device) {
    hipDeviceProp_tR0600 p{};
    fill_common(device, p);
    put_text(p.uuid.bytes, fmt::format("emulated-{:06}", device.ordinal));
    p.asyncEngineCount = 1;
    p.unifiedAddressing = 1;
    p.streamPrioritiesSupported = 1;
    p.memoryPoolsSupported = 1;
    p.managedMemory = 1;
    p.hostRegisterSupported = 1;
    p.canUseHostPointerForRegisteredMem = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.sharedMemPerMultiprocessor = device.chip->lds_per_group;
    p.sharedMemPerBlockOptin = device.chip->lds_per_group;
    p.regsPerMultiprocessor = kRegistersPerBlock;
    p.singleToDoublePrecisionPerfRatio = 32;
    p.maxBlocksPerMultiProcessor = kThreadsPerMultiprocessor / kWaveSize;
    p.surfaceAlignment = 256;
    return p;
}

hipDeviceProp_tR0000 old_device_properties(const Device& device) {
    hipDeviceProp_tR0000 p{};
    fill_common(device, p);
    p.gcnArch = p.major * 100 + p.minor * 10;
    return p;
}

bool device_attribute(const Device& device, hipDeviceAttribute_t attribute, int& value) {
    const hipDeviceProp_tR0600 p = device_properties(device);
    const auto limited = [](std::size_t bytes) { return static_cast<int>(std::min<std::size_t>(bytes, INT_MAX)); };
    switch (attribute) {
        case hipDeviceAttributeEccEnabled: value = p.ECCEnabled; return true;
        case hipDeviceAttributeAsyncEngineCount: value = p.asyncEngineCount; return true;
        case hipDeviceAttributeCanMapHostMemory: value = p.canMapHostMemory; return true;
        case hipDeviceAttributeClockRate: value = p.clockRate; return true;
        case hipDeviceAttributeComputeMode: value = p.computeMode; return true;
        case hipDeviceAttributeConcurrentKernels: value = p.concurrentKernels; return true;
        case hipDeviceAttributeConcurrentManagedAccess: value = p.concurrentManagedAccess; return true;
        case hipDeviceAttributeCooperativeLaunch: value = p.cooperativeLaunch; return true;
        case hipDeviceAttributeIntegrated: value = p.integrated; return true;
        case hipDeviceAttributeKernelExecTimeout: value = p.kernelExecTimeoutEnabled; return true;
        case hipDeviceAttributeL2CacheSize: value = p.l2CacheSize; return true;
        case hipDeviceAttributeComputeCapabilityMajor: value = p.major; return true;
        case hipDeviceAttributeComputeCapabilityMinor: value = p.minor; return true;
        case hipDeviceAttributeManagedMemory: value = p.managedMemory; return true;
        case hipDeviceAttributeMaxBlocksPerMultiProcessor: value = p.maxBlocksPerMultiProcessor; return true;
        case hipDeviceAttributeMaxBlockDimX: value = p.maxThreadsDim[0]; return true;
        case hipDeviceAttributeMaxBlockDimY: value = p.maxThreadsDim[1]; return true;
        case hipDeviceAttributeMaxBlockDimZ: value = p.maxThreadsDim[2]; return true;
        case hipDeviceAttributeMaxGridDimX: value = p.maxGridSize[0]; return true;
        case hipDeviceAttributeMaxGridDimY: value = p.maxGridSize[1]; return true;
        case hipDeviceAttributeMaxGridDimZ: value = p.maxGridSize[2]; return true;
        case hipDeviceAttributeMaxThreadsPerBlock: value = p.maxThreadsPerBlock; return true;
        case hipDeviceAttributeMaxThreadsPerMultiProcessor: value = p.maxThreadsPerMultiProcessor; return true;
        case hipDeviceAttributeMaxPitch: value = limited(p.memPitch); return true;
        case hipDeviceAttributeMemoryBusWidth: value = p.memoryBusWidth; return true;
        case hipDeviceAttributeMemoryClockRate: value = p.memoryClockRate; return true;
        case hipDeviceAttributeMultiprocessorCount: value = p.multiProcessorCount; return true;
        case hipDeviceAttributePhysicalMultiProcessorCount: value = static_cast<int>(device.chip->compute_units); return true;
        case hipDeviceAttributePageableMemoryAccess: value = p.pageableMemoryAccess; return true;
        case hipDeviceAttributePciBusId: value = p.pciBusID; return true;
        case hipDeviceAttributePciDeviceId: value = p.pciDeviceID; return true;
        case hipDeviceAttributePciDomainId: value = p.pciDomainID; return true;
        case hipDeviceAttributeMaxRegistersPerBlock: value = p.regsPerBlock; return true;
        case hipDeviceAttributeMaxRegistersPerMultiprocessor: value = p.regsPerMultiprocessor; return true;
        case hipDeviceAttributeMaxSharedMemoryPerBlock: value = limited(p.sharedMemPerBlock); return true;
        case hipDeviceAttributeSharedMemPerBlockOptin: value = limited(p.sharedMemPerBlockOptin); return true;
        case hipDeviceAttributeSharedMemPerMultiprocessor:
        case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: value = limited(p.maxSharedMemoryPerMultiProcessor); return true;
        case hipDeviceAttributeStreamPrioritiesSupported: value = p.streamPrioritiesSupported; return true;
        case hipDeviceAttributeTextureAlignment: value = limited(p.textureAlignment); return true;
        case hipDeviceAttributeTotalConstantMemory: value = limited(p.totalConstMem); return true;
        case hipDeviceAttributeTotalGlobalMem: value = limited(p.totalGlobalMem); return true;
        case hipDeviceAttributeUnifiedAddressing: value = p.unifiedAddressing; return true;
        case hipDeviceAttributeWarpSize: value = p.warpSize; return true;
        case hipDeviceAttributeMemoryPoolsSupported: value = p.memoryPoolsSupported; return true;
        case hipDeviceAttributeVirtualMemoryManagementSupported: value = 0; return true;
        case hipDeviceAttributeHostRegisterSupported: value = p.hostRegisterSupported; return true;
        case hipDeviceAttributeClockInstructionRate:
        case hipDeviceAttributeWallClockRate: value = p.clockInstructionRate; return true;
        case hipDeviceAttributeIsLargeBar: value = p.isLargeBar; return true;
        case hipDeviceAttributeNumberOfXccs: value = 1; return true;
    }
    return false;
}

}  // namespace hipemu
