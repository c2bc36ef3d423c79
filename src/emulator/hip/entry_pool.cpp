// Stream-ordered memory and the pools that it comes from. Memory is there from the call on; it is gone when its stream gets to hipFreeAsync.
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "emulator/hip/work.hpp"
#include "emulator/runtime/pool.hpp"

using namespace hipemu;

namespace {

hipMemPool_t handle_of(const std::shared_ptr<Pool>& pool) { return reinterpret_cast<hipMemPool_t>(pool.get()); }

std::shared_ptr<Pool> find_pool(Machine& machine, hipMemPool_t handle) {
    for (const auto& device : machine.devices)
        if (handle_of(device->default_pool) == handle) return device->default_pool;
    const auto found = machine.pools.find(handle);
    return found != machine.pools.end() ? found->second : nullptr;
}

/// Runs `work(machine, pool)`.
template <class Work>
hipError_t pool_entry(hipMemPool_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        const std::shared_ptr<Pool> pool = find_pool(machine, handle);
        if (!pool) return refuse(hipErrorInvalidValue, "there is no such memory pool; was it destroyed?");
        return work(machine, *pool);
    }, call);
}

template <class Work>
hipError_t device_pool_entry(int ordinal, Work&& work, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= machine.devices.size())
            return refuse(hipErrorInvalidDevice, fmt::format("there is no device {}", ordinal));
        return work(machine, *machine.devices[static_cast<std::size_t>(ordinal)]);
    }, call);
}

hipError_t allocate_async(Machine& machine, Device& device, Stream& stream, void** pointer, std::size_t bytes, std::shared_ptr<Pool> pool) {
    if (const hipError_t error = verdict(machine.captures.check_use(stream, device.queue.streams()))) return error;
    if (!stream.capture) return allocate(machine, *pool->device, pointer, bytes, "hipMallocAsync", pool);
    // Memory of the graph: its address stands now, the memory comes and goes with each replay.
    if (!pointer) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return hipSuccess;
    Task task;
    if (const hipError_t error = allocate_for_graph(machine, device, pointer, bytes, task)) return error;
    machine.captures.add(stream, std::move(task));
    return hipSuccess;
}

}  // namespace

HIPEMU_EXPORT hipError_t hipMallocAsync(void** pointer, std::size_t bytes, hipStream_t stream) {
    return stream_entry(stream, [&](Machine& machine, Device& device, Stream& found) {
        return allocate_async(machine, device, found, pointer, bytes, device.pool);
    });
}

HIPEMU_EXPORT hipError_t hipMallocFromPoolAsync(void** pointer, std::size_t bytes, hipMemPool_t handle, hipStream_t stream) {
    return stream_entry(stream, [&](Machine& machine, Device& device, Stream& found) {
        std::shared_ptr<Pool> pool = find_pool(machine, handle);
        if (!pool) return refuse(hipErrorInvalidValue, "there is no such memory pool; was it destroyed?");
        return allocate_async(machine, device, found, pointer, bytes, std::move(pool));
    });
}

HIPEMU_EXPORT hipError_t hipFreeAsync(void* pointer, hipStream_t handle) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if (!pointer) return hipSuccess;
        if (const hipError_t error = verdict(machine.captures.check_use(stream, device.queue.streams()))) return error;
        if (stream.capture) {
            const auto address = reinterpret_cast<std::uint64_t>(pointer);
            const Block* block = machine.memory.find_any(address);
            if (!block || !block->of_graph || block->of_graph->address != address)
                return refuse(hipErrorInvalidValue, "hipFreeAsync in a capture of memory that is no graph's");
            return submit(machine, device, stream, FreeTask{.memory = block->of_graph->shared_from_this()});
        }
        Block* block = block_to_free(machine, pointer, BlockKind::device, "hipFreeAsync");
        if (!block) return hipErrorInvalidValue;
        if (block->of_graph) return submit(machine, device, stream, FreeTask{.memory = block->of_graph->shared_from_this()});
        block->freeing = true;
        return submit(machine, device, stream, FreeTask{.memory = nullptr, .pointer = pointer});
    });
}

HIPEMU_EXPORT hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int ordinal) {
    return device_pool_entry(ordinal, [&](Machine&, Device& device) {
        if (!pool) return hipErrorInvalidValue;
        *pool = handle_of(device.default_pool);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int ordinal) {
    return device_pool_entry(ordinal, [&](Machine&, Device& device) {
        if (!pool) return hipErrorInvalidValue;
        *pool = handle_of(device.pool);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceSetMemPool(int ordinal, hipMemPool_t handle) {
    return device_pool_entry(ordinal, [&](Machine& machine, Device& device) {
        std::shared_ptr<Pool> pool = find_pool(machine, handle);
        if (!pool || pool->device != &device) return refuse(hipErrorInvalidValue, "the memory pool is not of that device");
        device.pool = std::move(pool);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemPoolCreate(hipMemPool_t* handle, const hipMemPoolProps* properties) {
    return device_entry([&](Machine& machine, Device&) {
        if (!handle || !properties || properties->allocType != hipMemAllocationTypePinned || properties->location.type != hipMemLocationTypeDevice)
            return hipErrorInvalidValue;
        if (properties->handleTypes != hipMemHandleTypeNone) return refuse(hipErrorNotSupported, "memory pools of the emulator cannot be shared between processes");
        const int ordinal = properties->location.id;
        if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= machine.devices.size()) return hipErrorInvalidDevice;
        auto pool = std::make_shared<Pool>(Pool{.device = machine.devices[static_cast<std::size_t>(ordinal)].get()});
        *handle = handle_of(pool);
        machine.pools[*handle] = std::move(pool);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemPoolDestroy(hipMemPool_t handle) {
    return pool_entry(handle, [&](Machine& machine, Pool& pool) {
        const auto found = machine.pools.find(handle);
        if (found == machine.pools.end()) return refuse(hipErrorInvalidValue, "the default memory pool cannot be destroyed");
        pool.destroyed = true;
        pool.trim(0);
        if (pool.device->pool == found->second) pool.device->pool = pool.device->default_pool;
        machine.pools.erase(found);  // what is allocated keeps it
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemPoolTrimTo(hipMemPool_t handle, std::size_t bytes_to_hold) {
    return pool_entry(handle, [&](Machine&, Pool& pool) {
        pool.trim(bytes_to_hold);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemPoolSetAccess(hipMemPool_t handle, const hipMemAccessDesc* list, std::size_t count) {
    return pool_entry(handle, [&](Machine& machine, Pool& pool) {
        if (!list && count != 0) return hipErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i) {
            const hipMemAccessDesc& one = list[i];
            if (one.location.type != hipMemLocationTypeDevice) return refuse(hipErrorInvalidValue, "access is set for devices only");
            if (one.location.id < 0 || static_cast<std::size_t>(one.location.id) >= machine.devices.size())
                return refuse(hipErrorInvalidDevice, fmt::format("there is no device {}", one.location.id));
            if (one.flags != hipMemAccessFlagsProtNone && one.flags != hipMemAccessFlagsProtRead && one.flags != hipMemAccessFlagsProtReadWrite)
                return hipErrorInvalidValue;
            if (one.location.id == pool.device->ordinal && one.flags != hipMemAccessFlagsProtReadWrite)
                return refuse(hipErrorInvalidDevice, "a device cannot lose the access to a memory pool of its own");
        }
        for (const hipMemAccessDesc& one : std::span(list, count)) pool.access[one.location.id] = one.flags;
        machine.memory.changed();
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t handle, hipMemLocation* location) {
    return pool_entry(handle, [&](Machine& machine, Pool& pool) {
        if (!flags || !location || location->type != hipMemLocationTypeDevice || location->id < 0 ||
            static_cast<std::size_t>(location->id) >= machine.devices.size())
            return hipErrorInvalidValue;
        const auto set = pool.access.find(location->id);
        *flags = location->id == pool.device->ordinal ? hipMemAccessFlagsProtReadWrite
                 : set != pool.access.end()           ? set->second
                                                      : hipMemAccessFlagsProtNone;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipMemPoolSetAttribute(hipMemPool_t handle, hipMemPoolAttr attribute, void* value) {
    return pool_entry(handle, [&](Machine&, Pool& pool) {
        if (!value) return hipErrorInvalidValue;
        switch (attribute) {
            case hipMemPoolReuseFollowEventDependencies:
            case hipMemPoolReuseAllowOpportunistic:
            case hipMemPoolReuseAllowInternalDependencies:
                std::memcpy(&pool.reuse[attribute - hipMemPoolReuseFollowEventDependencies], value, sizeof(int));
                return hipSuccess;
            case hipMemPoolAttrReleaseThreshold:
                std::memcpy(&pool.threshold, value, sizeof pool.threshold);
                return hipSuccess;
            case hipMemPoolAttrReservedMemHigh:
            case hipMemPoolAttrUsedMemHigh: {
                // A high-water mark can only be set back, to what is now.
                std::uint64_t wanted = 0;
                std::memcpy(&wanted, value, sizeof wanted);
                if (wanted != 0) return hipErrorInvalidValue;
                (attribute == hipMemPoolAttrReservedMemHigh ? pool.reserved_high : pool.used_high) =
                    attribute == hipMemPoolAttrReservedMemHigh ? pool.reserved : pool.used;
                return hipSuccess;
            }
            default: return hipErrorInvalidValue;
        }
    });
}

HIPEMU_EXPORT hipError_t hipMemPoolGetAttribute(hipMemPool_t handle, hipMemPoolAttr attribute, void* value) {
    return pool_entry(handle, [&](Machine&, Pool& pool) {
        if (!value) return hipErrorInvalidValue;
        const auto give = [&](const auto& from) {
            std::memcpy(value, &from, sizeof from);
            return hipSuccess;
        };
        switch (attribute) {
            case hipMemPoolReuseFollowEventDependencies:
            case hipMemPoolReuseAllowOpportunistic:
            case hipMemPoolReuseAllowInternalDependencies: return give(pool.reuse[attribute - hipMemPoolReuseFollowEventDependencies]);
            case hipMemPoolAttrReleaseThreshold: return give(pool.threshold);
            case hipMemPoolAttrReservedMemCurrent: return give(pool.reserved);
            case hipMemPoolAttrReservedMemHigh: return give(pool.reserved_high);
            case hipMemPoolAttrUsedMemCurrent: return give(pool.used);
            case hipMemPoolAttrUsedMemHigh: return give(pool.used_high);
        }
        return hipErrorInvalidValue;
    });
}
