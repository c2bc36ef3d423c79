// Memory: allocation, copies, fills. Copies between pageable host memory and the device follow HIP's rules: the source of an asynchronous
// copy to the device is read during the call, and an asynchronous copy to pageable memory waits.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emulator/copy.hpp"
#include "emulator/hip_entry.hpp"

using namespace hipemu;

namespace {

constexpr std::uint64_t kPage = 4096;
std::uint64_t in_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

hipError_t allocate(Machine& machine, Device& device, void** pointer, std::size_t bytes) {
    if (!pointer) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return hipSuccess;
    if (const auto limit = Injector::instance().memory_limit(); limit && (bytes > *limit || in_pages(bytes) > *limit - std::min(*limit, device.memory_used)))
        return refuse(hipErrorOutOfMemory, fmt::format("{} bytes pass the limit of {} bytes that was set on purpose; {} are in use", bytes, *limit,
                                                       device.memory_used));
    if (bytes > device.memory_bytes || in_pages(bytes) > device.memory_bytes - device.memory_used)
        return refuse(hipErrorOutOfMemory, fmt::format("{} bytes do not fit the device: {} of {} bytes are in use", bytes, device.memory_used,
                                                       device.memory_bytes));
    Block* block =
        machine.memory.allocate(BlockKind::device, bytes, device.ordinal, fmt::format("hipMalloc #{}", ++machine.allocation_count));
    if (!block) return refuse(hipErrorOutOfMemory, fmt::format("the host has no memory for {} bytes of device memory", bytes));
    device.memory_used += in_pages(bytes);
    *pointer = reinterpret_cast<void*>(block->whole.base);
    return hipSuccess;
}

/// The block that begins at `pointer` and is of that kind; otherwise says why not.
Block* block_to_free(Machine& machine, const void* pointer, BlockKind kind, const char* call) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    Block* block = machine.memory.find(address);
    if (block && block->whole.base == address && block->kind == kind) return block;
    (void)refuse(hipErrorInvalidValue, fmt::format("{} of {:#x}, which is {}", call, address, machine.memory.describe(address)));
    return nullptr;
}

void release(Machine& machine, Block* block) {
    if (block->kind == BlockKind::device) machine.devices[static_cast<std::size_t>(block->device)]->memory_used -= in_pages(block->whole.size);
    if (block->kind == BlockKind::host) munmap(block->whole.host, in_pages(block->whole.size));
    machine.memory.release(block);
}

/// Queues a copy whose places were found good. They are looked up again when it runs: memory may have been freed in stream order.
std::shared_ptr<Point> queue_copy(Machine& machine, Device& device, Stream& stream, void* to, const void* from, std::size_t bytes) {
    return device.queue.add(stream, {.run = [&machine, &device, to, from, bytes]() -> Outcome {
                                         const CopyRange target = find_copy_range(machine, to, bytes), source = find_copy_range(machine, from, bytes);
                                         if (const hipError_t error = check_copy(target, source, hipMemcpyDefault, "a queued copy"))
                                             return {.error = error};
                                         return copy_bytes(device, target, source, bytes);
                                     },
                                     .engine = Engine::copy});
}

hipError_t copy(hipStream_t handle, void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, bool synchronous, const char* call) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if (bytes == 0) return hipSuccess;
        const CopyRange target = find_copy_range(machine, to, bytes), source = find_copy_range(machine, from, bytes);
        if (const hipError_t error = check_copy(target, source, kind, call)) return error;
        std::shared_ptr<Point> point;
        if (source.kind == CopyRange::Kind::pageable && target.kind == CopyRange::Kind::device && !synchronous) {
            auto staged = std::make_shared<std::vector<std::byte>>(source.bytes, source.bytes + bytes);
            point = device.queue.add(stream, {.run = [&machine, &device, to, staged]() -> Outcome {
                                                  const CopyRange then = find_copy_range(machine, to, staged->size());
                                                  CopyRange host{.kind = CopyRange::Kind::pageable, .bytes = staged->data()};
                                                  if (const hipError_t error = check_copy(then, host, hipMemcpyDefault, "a queued copy"))
                                                      return {.error = error};
                                                  return copy_bytes(device, then, host, staged->size());
                                              },
                                              .engine = Engine::copy});
        } else {
            point = queue_copy(machine, device, stream, to, from, bytes);
        }
        // A copy within the device does not hold up the host, whatever call it comes from.
        const bool touches_host = target.on_host() || source.on_host();
        if (!(synchronous && touches_host) && target.kind != CopyRange::Kind::pageable) return hipSuccess;
        device.queue.finish(point);
        return reported(machine, device.queue.take_failure(stream));
    }, call);
}

hipError_t fill(hipStream_t handle, void* to, std::uint32_t value, unsigned unit, std::size_t count, const char* call) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        const std::size_t bytes = count * unit;
        if (count != 0 && bytes / unit != count) return hipErrorInvalidValue;
        if (bytes == 0) return hipSuccess;
        const CopyRange target = find_copy_range(machine, to, bytes);
        if (target.kind == CopyRange::Kind::invalid)
            return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is wrong: {}", call, target.trouble));
        if (target.kind == CopyRange::Kind::pageable)
            return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is host memory", call));
        if (reinterpret_cast<std::uintptr_t>(to) % unit != 0)
            return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is not aligned to {} bytes", call, unit));
        device.queue.add(stream, {.run = [&machine, &device, to, value, unit, bytes, call]() -> Outcome {
                                      const CopyRange then = find_copy_range(machine, to, bytes);
                                      if (then.kind == CopyRange::Kind::invalid)
                                          return {.error = refuse(hipErrorIllegalAddress, fmt::format("{}: {}", call, then.trouble))};
                                      return fill_bytes(device, then, value, unit, bytes);
                                  },
                                  .engine = Engine::compute});
        return hipSuccess;
    }, call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipMalloc(void** pointer, std::size_t bytes) {
    return device_entry([&](Machine& machine, Device& device) { return allocate(machine, device, pointer, bytes); });
}

HIPEMU_EXPORT hipError_t hipFree(void* pointer) {
    return device_entry([&](Machine& machine, Device&) {
        if (!pointer) return hipSuccess;
        Block* block = block_to_free(machine, pointer, BlockKind::device, "hipFree");
        if (!block) return hipErrorInvalidValue;
        // It waits for the device, as HIP's does.
        machine.devices[static_cast<std::size_t>(block->device)]->queue.finish_all();
        release(machine, block);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMallocAsync(void** pointer, std::size_t bytes, hipStream_t stream) {
    return stream_entry(stream, [&](Machine& machine, Device& device, Stream&) { return allocate(machine, device, pointer, bytes); });
}

HIPEMU_EXPORT hipError_t hipFreeAsync(void* pointer, hipStream_t handle) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if (!pointer) return hipSuccess;
        if (!block_to_free(machine, pointer, BlockKind::device, "hipFreeAsync")) return hipErrorInvalidValue;
        device.queue.add(stream, {.run = [&machine, pointer]() -> Outcome {
                                      Block* block = block_to_free(machine, pointer, BlockKind::device, "hipFreeAsync");
                                      if (!block) return {.error = hipErrorInvalidValue};
                                      release(machine, block);
                                      return {};
                                  },
                                  .even_after_failure = true});
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!pointer) return hipErrorInvalidValue;
        *pointer = nullptr;
        if (bytes == 0) return hipSuccess;
        void* memory = bytes < (std::size_t{1} << 46)
                           ? mmap(nullptr, in_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                           : MAP_FAILED;
        if (memory == MAP_FAILED) return refuse(hipErrorOutOfMemory, fmt::format("the host has no {} bytes", bytes));
        Block* block = machine.memory.adopt_host(static_cast<std::byte*>(memory), bytes, device.ordinal,
                                                 fmt::format("hipHostMalloc #{}", ++machine.allocation_count));
        block->flags = flags;
        *pointer = memory;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipHostFree(void* pointer) {
    return device_entry([&](Machine& machine, Device&) {
        if (!pointer) return hipSuccess;
        Block* block = block_to_free(machine, pointer, BlockKind::host, "hipHostFree");
        if (!block) return hipErrorInvalidValue;
        for (const auto& device : machine.devices) device->queue.finish_all();
        release(machine, block);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipHostAlloc(void** pointer, std::size_t bytes, unsigned flags) { return whole_call([&] { return hipHostMalloc(pointer, bytes, flags); }); }
HIPEMU_EXPORT hipError_t hipMallocHost(void** pointer, std::size_t bytes) { return whole_call([&] { return hipHostMalloc(pointer, bytes, hipHostMallocDefault); }); }
HIPEMU_EXPORT hipError_t hipFreeHost(void* pointer) { return whole_call([&] { return hipHostFree(pointer); }); }

HIPEMU_EXPORT hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    return device_entry([&](Machine& machine, Device&) {
        if (!device_pointer || flags != 0) return hipErrorInvalidValue;
        const Block* block = machine.memory.find(reinterpret_cast<std::uint64_t>(host_pointer));
        if (!block || block->kind != BlockKind::host) return hipErrorInvalidValue;
        *device_pointer = host_pointer;
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
        const bool host = block->kind == BlockKind::host;
        attributes->type = host ? hipMemoryTypeHost : hipMemoryTypeDevice;
        attributes->device = block->device;
        attributes->devicePointer = const_cast<void*>(pointer);
        attributes->hostPointer = host ? const_cast<void*>(pointer) : nullptr;
        attributes->allocationFlags = block->flags;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return copy(nullptr, to, from, bytes, kind, true, "hipMemcpy");
}
HIPEMU_EXPORT hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return copy(stream, to, from, bytes, kind, false, "hipMemcpyAsync");
}
HIPEMU_EXPORT hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return copy(stream, to, from, bytes, kind, true, "hipMemcpyWithStream");
}
HIPEMU_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, std::size_t bytes) {
    return copy(nullptr, to, from, bytes, hipMemcpyHostToDevice, true, "hipMemcpyHtoD");
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
    return copy(nullptr, to, from, bytes, hipMemcpyDeviceToHost, true, "hipMemcpyDtoH");
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes) {
    return copy(nullptr, to, from, bytes, hipMemcpyDeviceToDevice, true, "hipMemcpyDtoD");
}
HIPEMU_EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, std::size_t bytes, hipStream_t stream) {
    return copy(stream, to, from, bytes, hipMemcpyHostToDevice, false, "hipMemcpyHtoDAsync");
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t bytes, hipStream_t stream) {
    return copy(stream, to, from, bytes, hipMemcpyDeviceToHost, false, "hipMemcpyDtoHAsync");
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes, hipStream_t stream) {
    return copy(stream, to, from, bytes, hipMemcpyDeviceToDevice, false, "hipMemcpyDtoDAsync");
}

HIPEMU_EXPORT hipError_t hipMemset(void* to, int value, std::size_t bytes) {
    return fill(nullptr, to, static_cast<std::uint32_t>(value), 1, bytes, "hipMemset");
}
HIPEMU_EXPORT hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
    return fill(stream, to, static_cast<std::uint32_t>(value), 1, bytes, "hipMemsetAsync");
}
HIPEMU_EXPORT hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) {
    return fill(nullptr, to, value, 1, count, "hipMemsetD8");
}
HIPEMU_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count, hipStream_t stream) {
    return fill(stream, to, value, 1, count, "hipMemsetD8Async");
}
HIPEMU_EXPORT hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count) {
    return fill(nullptr, to, value, 2, count, "hipMemsetD16");
}
HIPEMU_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, std::size_t count, hipStream_t stream) {
    return fill(stream, to, value, 2, count, "hipMemsetD16Async");
}
HIPEMU_EXPORT hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) {
    return fill(nullptr, to, static_cast<std::uint32_t>(value), 4, count, "hipMemsetD32");
}
HIPEMU_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count, hipStream_t stream) {
    return fill(stream, to, static_cast<std::uint32_t>(value), 4, count, "hipMemsetD32Async");
}
