// Memory: allocation on the device and on the host, what a pointer is. Copies are in hip/entry_copy.cpp, pools in hip/entry_pool.cpp.
#include <fmt/format.h>

#include "emulator/hip/work.hpp"

using namespace hipemu;

namespace {

constexpr std::size_t kPitchAlignment = 256;

hipError_t allocate_host(void** pointer, std::size_t bytes, BlockKind kind, unsigned flags, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!pointer) return hipErrorInvalidValue;
        *pointer = nullptr;
        if (const hipError_t error = check_unsafe(machine)) return error;
        if (bytes == 0) return hipSuccess;
        Block* block = allocate_host_block(machine, device, kind, bytes,
                                           fmt::format("{} #{}", kind == BlockKind::managed ? "hipMallocManaged" : "hipHostMalloc", ++machine.allocation_count));
        if (!block) return refuse(hipErrorOutOfMemory, fmt::format("the host has no {} bytes", bytes));
        block->flags = flags;
        *pointer = block->whole.host;
        return hipSuccess;
    }, call);
}

void finish_all_devices(Machine& machine) {
    for (const auto& device : machine.devices) device->queue.finish_all();
}

hipError_t free_host(void* pointer, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        if (!pointer) return hipSuccess;
        if (const hipError_t error = check_unsafe(machine)) return error;
        if (!block_to_free(machine, pointer, BlockKind::host, "hipHostFree")) return hipErrorInvalidValue;
        finish_all_devices(machine);
        // Another thread may have been faster while this one waited.
        Block* block = block_to_free(machine, pointer, BlockKind::host, "hipHostFree");
        if (!block) return hipErrorInvalidValue;
        release_block(machine, block);
        return hipSuccess;
    }, call);
}

/// Host memory that kernels reach, by any address in it; otherwise nullptr.
Block* find_host(Machine& machine, const void* pointer) {
    Block* block = machine.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    return block && block->on_host() ? block : nullptr;
}

}  // namespace

HIPEMU_EXPORT hipError_t hipMalloc(void** pointer, std::size_t bytes) {
    return device_entry([&](Machine& machine, Device& device) {
        if (const hipError_t error = check_unsafe(machine)) return error;
        return allocate(machine, device, pointer, bytes, "hipMalloc");
    });
}

HIPEMU_EXPORT hipError_t hipMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!pitch || width > SIZE_MAX - kPitchAlignment) return hipErrorInvalidValue;
        if (const hipError_t error = check_unsafe(machine)) return error;
        *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
        if (*pitch != 0 && height > SIZE_MAX / *pitch) return hipErrorInvalidValue;
        return allocate(machine, device, pointer, *pitch * height, "hipMallocPitch");
    });
}

HIPEMU_EXPORT hipError_t hipFree(void* pointer) {
    return device_entry([&](Machine& machine, Device&) {
        if (!pointer) return hipSuccess;
        if (const hipError_t error = check_unsafe(machine)) return error;
        Block* found = find_host(machine, pointer);
        const BlockKind kind = found && found->kind == BlockKind::managed ? BlockKind::managed : BlockKind::device;
        Block* block = block_to_free(machine, pointer, kind, "hipFree");
        if (!block) return hipErrorInvalidValue;
        // It waits for the device, as HIP's does.
        if (kind == BlockKind::managed) finish_all_devices(machine);
        else machine.devices[static_cast<std::size_t>(block->device)]->queue.finish_all();
        block = block_to_free(machine, pointer, kind, "hipFree");
        if (!block) return hipErrorInvalidValue;
        if (block->of_graph) {
            const auto memory = block->of_graph->shared_from_this();
            block->hidden = true;
            machine.memory.changed();
            forget_use(machine, *memory);
            return hipSuccess;
        }
        release_block(machine, block);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
    return whole_call([&] {
        if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) return entry([](Machine&) { return hipErrorInvalidValue; });
        return allocate_host(pointer, bytes, BlockKind::managed, flags);
    });
}

/// Advice where memory should be and how it is used. Here it always is where it is used, so that checking it is all there is to do.
HIPEMU_EXPORT hipError_t hipMemAdvise(const void* pointer, std::size_t bytes, hipMemoryAdvise, int device) {
    return entry([&](Machine& machine) {
        if (device != hipCpuDeviceId && (device < 0 || static_cast<std::size_t>(device) >= machine.devices.size())) return hipErrorInvalidDevice;
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const Block* block = pointer && bytes > 0 ? machine.memory.find(address) : nullptr;
        if (!block || bytes > block->whole.base + block->whole.size - address)
            return refuse(hipErrorInvalidValue, fmt::format("{} bytes at {} are not all of one allocation", bytes, pointer));
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags) {
    return allocate_host(pointer, bytes, BlockKind::host, flags);
}
HIPEMU_EXPORT hipError_t hipHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    return allocate_host(pointer, bytes, BlockKind::host, flags);
}
HIPEMU_EXPORT hipError_t hipMallocHost(void** pointer, std::size_t bytes) {
    return allocate_host(pointer, bytes, BlockKind::host, hipHostMallocDefault);
}
HIPEMU_EXPORT hipError_t hipHostFree(void* pointer) { return free_host(pointer); }
HIPEMU_EXPORT hipError_t hipFreeHost(void* pointer) { return free_host(pointer); }

HIPEMU_EXPORT hipError_t hipHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!pointer || bytes == 0) return hipErrorInvalidValue;
        if (const hipError_t error = check_unsafe(machine)) return error;
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        if (machine.memory.is_device_address(address)) return refuse(hipErrorInvalidValue, "hipHostRegister of device memory");
        if (machine.memory.overlaps(address, bytes))
            return refuse(hipErrorHostMemoryAlreadyRegistered, fmt::format("hipHostRegister of {} bytes at {:#x}: part of them is registered", bytes, address));
        Block* block = machine.memory.adopt_host(BlockKind::host, static_cast<std::byte*>(pointer), bytes, device.ordinal,
                                                 fmt::format("hipHostRegister #{}", ++machine.allocation_count));
        block->registered = true;
        block->flags = flags;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipHostUnregister(void* pointer) {
    return device_entry([&](Machine& machine, Device&) {
        if (const hipError_t error = check_unsafe(machine)) return error;
        const auto registered = [&] {
            Block* block = find_host(machine, pointer);
            return block && block->registered && block->whole.host == pointer ? block : nullptr;
        };
        if (!registered()) return refuse(hipErrorHostMemoryNotRegistered, fmt::format("hipHostUnregister of {}: nothing was registered there", pointer));
        finish_all_devices(machine);
        Block* block = registered();
        if (!block) return hipErrorHostMemoryNotRegistered;
        release_block(machine, block);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    return device_entry([&](Machine& machine, Device&) {
        if (!device_pointer || flags != 0 || !find_host(machine, host_pointer)) return hipErrorInvalidValue;
        *device_pointer = host_pointer;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipHostGetFlags(unsigned* flags, void* host_pointer) {
    return device_entry([&](Machine& machine, Device&) {
        const Block* block = find_host(machine, host_pointer);
        if (!flags || !block) return hipErrorInvalidValue;
        *flags = block->flags;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    return device_entry([&](Machine&, Device& device) {
        if (free_bytes) *free_bytes = device.memory_bytes - device.memory_used;
        if (total_bytes) *total_bytes = device.memory_bytes;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* bytes, hipDeviceptr_t pointer) {
    return device_entry([&](Machine& machine, Device&) {
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const Block* block = machine.memory.find(address);
        if (!block || block->kind == BlockKind::image)
            return refuse(hipErrorNotFound, fmt::format("hipMemGetAddressRange: {}", machine.memory.describe(address)));
        if (base) *base = reinterpret_cast<void*>(block->whole.base);
        if (bytes) *bytes = block->whole.size;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
    return device_entry([&](Machine& machine, Device&) {
        if (!attributes || !pointer) return hipErrorInvalidValue;
        *attributes = {};
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const Block* block = machine.memory.find(address);
        if (!block) {
            attributes->type = hipMemoryTypeUnregistered;
            attributes->device = -1;
            if (!machine.memory.is_device_address(address)) return hipSuccess;
            return refuse(hipErrorInvalidValue, fmt::format("hipPointerGetAttributes: {}", machine.memory.describe(address)));
        }
        attributes->type = block->kind == BlockKind::managed ? hipMemoryTypeManaged : block->on_host() ? hipMemoryTypeHost : hipMemoryTypeDevice;
        attributes->device = block->device;
        attributes->devicePointer = const_cast<void*>(pointer);
        attributes->hostPointer = block->on_host() ? const_cast<void*>(pointer) : nullptr;
        attributes->isManaged = block->kind == BlockKind::managed;
        attributes->allocationFlags = block->flags;
        return hipSuccess;
    });
}
