// Devices, their properties, and the contexts of HIP's driver interface: each device has one, its primary context.
#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "emulator/hip/managed_variables.hpp"
#include "emulator/hip/work.hpp"
#include "emulator/runtime/loaded_module.hpp"
#include "emulator/runtime/pool.hpp"

using namespace hipemu;

namespace {

Device* device_of(Machine& machine, int ordinal) {
    machine.in_use = true;
    if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= machine.devices.size()) return nullptr;
    return machine.devices[static_cast<std::size_t>(ordinal)].get();
}

/// Runs `work(device)` for a call that names a device by its number.
template <class Work>
hipError_t numbered_entry(int ordinal, Work&& work, const char* call = __builtin_FUNCTION()) {
    return entry(
        [&](Machine& machine) {
            Device* device = device_of(machine, ordinal);
            if (!device)
                return refuse(hipErrorInvalidDevice, fmt::format("there is no device {}; there {} {}", ordinal,
                                                                 machine.devices.size() == 1 ? "is" : "are", machine.devices.size()));
            return work(machine, *device);
        },
        call);
}

hipError_t copy_text(char* to, int length, std::string_view text) {
    if (!to || length <= 0) return hipErrorInvalidValue;
    const std::size_t count = std::min(text.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(to, text.data(), count);
    to[count] = 0;
    return count == text.size() ? hipSuccess : hipErrorInvalidValue;
}

// A context is its device's handle in another guise. Never 0, so that it differs from "no context".
hipCtx_t context_of(int ordinal) { return reinterpret_cast<hipCtx_t>(static_cast<std::uintptr_t>(ordinal) + 1); }
int ordinal_of(hipCtx_t context) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1; }

hipError_t make_current(int ordinal, const char* call = __builtin_FUNCTION()) {
    return numbered_entry(
        ordinal,
        [](Machine&, Device& device) {
            this_thread().device = device.ordinal;
            return hipSuccess;
        },
        call);
}

hipError_t synchronize_device(const char* call = __builtin_FUNCTION()) {
    return device_entry(
        [](Machine& machine, Device& device) {
            if (const hipError_t error = verdict(machine.captures.check_wait_for_all())) return error;
            device.queue.finish_all();
            return reported(device.queue.take_any_failure());
        },
        call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipGetDeviceCount(int* count) {
    return entry([&](Machine& machine) {
        if (!count) return hipErrorInvalidValue;
        *count = static_cast<int>(machine.devices.size());
        return machine.devices.empty() ? no_device() : hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGetDevice(int* device) {
    return entry([&](Machine& machine) {
        if (!device) return hipErrorInvalidValue;
        if (machine.devices.empty()) return no_device();
        *device = this_thread().device;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipSetDevice(int device) { return make_current(device); }

HIPEMU_EXPORT hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
    return numbered_entry(ordinal, [&](Machine&, Device&) {
        if (!device) return hipErrorInvalidValue;
        *device = ordinal;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
    return numbered_entry(device, [&](Machine&, Device& found) { return copy_text(name, length, device_name(*found.chip)); });
}

HIPEMU_EXPORT hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!uuid) return hipErrorInvalidValue;
        *uuid = device_properties(found).uuid;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        const hipDeviceProp_tR0600 p = device_properties(found);
        return copy_text(id, length, fmt::format("{:04x}:{:02x}:{:02x}.0", p.pciDomainID, p.pciBusID, p.pciDeviceID));
    });
}

HIPEMU_EXPORT hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!bytes) return hipErrorInvalidValue;
        *bytes = found.memory_bytes;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!major || !minor) return hipErrorInvalidValue;
        const hipDeviceProp_tR0600 p = device_properties(found);
        *major = p.major;
        *minor = p.minor;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!value) return hipErrorInvalidValue;
        if (device_attribute(found, attribute, *value)) return hipSuccess;
        return refuse(hipErrorInvalidValue, fmt::format("device attribute {} is not known", static_cast<int>(attribute)));
    });
}

HIPEMU_EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties, int device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!properties) return hipErrorInvalidValue;
        *properties = device_properties(found);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* properties, int device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!properties) return hipErrorInvalidValue;
        *properties = old_device_properties(found);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* properties, int device) {
    return whole_call([&] { return hipGetDeviceProperties(properties, device); });
}

HIPEMU_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return entry([&](Machine&) {
        if (least) *least = 1;
        if (greatest) *greatest = -1;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceCanAccessPeer(int* can, int ordinal, int peer) {
    return numbered_entry(ordinal, [&](Machine& machine, Device&) {
        if (!can) return hipErrorInvalidValue;
        if (!device_of(machine, peer)) return refuse(hipErrorInvalidDevice, fmt::format("there is no device {}", peer));
        *can = ordinal != peer;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    return device_entry([&](Machine& machine, Device& device) {
        if (flags != 0) return hipErrorInvalidValue;
        if (!device_of(machine, peer) || peer == device.ordinal)
            return refuse(hipErrorInvalidDevice, fmt::format("device {} is no peer of device {}", peer, device.ordinal));
        if (!device.peers.insert(peer).second) return hipErrorPeerAccessAlreadyEnabled;
        machine.memory.changed();
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceDisablePeerAccess(int peer) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!device_of(machine, peer) || peer == device.ordinal)
            return refuse(hipErrorInvalidDevice, fmt::format("device {} is no peer of device {}", peer, device.ordinal));
        if (!device.peers.contains(peer)) return hipErrorPeerAccessNotEnabled;
        device.queue.finish_all();
        device.peers.erase(peer);
        machine.memory.changed();
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDeviceSynchronize() { return synchronize_device(); }
HIPEMU_EXPORT hipError_t hipCtxSynchronize() { return synchronize_device(); }

HIPEMU_EXPORT hipError_t hipDeviceReset() {
    return device_entry([](Machine& machine, Device& device) {
        device.queue.finish_all();
        (void)device.queue.take_any_failure();
        std::vector<hipStream_t> streams;
        for (const auto& [handle, stream] : machine.streams)
            if (stream.device == &device) streams.push_back(handle);
        for (const hipStream_t stream : streams) machine.destroy_stream(stream);
        (void)device.queue.take_any_failure();
        std::erase_if(machine.modules, [&](const auto& one) {
            if (one.second->device != &device) return false;
            for (const auto& kernel : one.second->kernels) machine.functions.erase(reinterpret_cast<hipFunction_t>(kernel.get()));
            release_managed_variables(machine, *one.second);
            unload_module(*one.second, machine.memory);
            return true;
        });
        for (Block* block : machine.memory.blocks_of(device.ordinal))
            if (block->kind == BlockKind::device) release_block(machine, block);
        device.pool = device.default_pool;
        device.default_pool->trim(0);
        device.peers.clear();
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGetDeviceFlags(unsigned* flags) {
    return device_entry([&](Machine&, Device&) {
        if (!flags) return hipErrorInvalidValue;
        *flags = 0;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipSetDeviceFlags(unsigned) {
    // They choose how the host waits, which it does not do here.
    return device_entry([](Machine&, Device&) { return hipSuccess; });
}

HIPEMU_EXPORT hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!context) return hipErrorInvalidValue;
        *context = context_of(found.ordinal);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
    return numbered_entry(device, [](Machine&, Device&) { return hipSuccess; });
}

HIPEMU_EXPORT hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned* flags, int* active) {
    return numbered_entry(device, [&](Machine&, Device&) {
        if (!flags || !active) return hipErrorInvalidValue;
        *flags = 0;
        *active = 1;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipCtxCreate(hipCtx_t* context, unsigned, hipDevice_t device) {
    return numbered_entry(device, [&](Machine&, Device& found) {
        if (!context) return hipErrorInvalidValue;
        *context = context_of(found.ordinal);
        this_thread().device = found.ordinal;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipCtxDestroy(hipCtx_t context) {
    return numbered_entry(ordinal_of(context), [](Machine&, Device&) { return hipSuccess; });
}

HIPEMU_EXPORT hipError_t hipCtxSetCurrent(hipCtx_t context) {
    return whole_call([&] { return context ? make_current(ordinal_of(context)) : hipSuccess; });
}
HIPEMU_EXPORT hipError_t hipCtxPushCurrent(hipCtx_t context) { return make_current(ordinal_of(context)); }

HIPEMU_EXPORT hipError_t hipCtxGetCurrent(hipCtx_t* context) {
    return device_entry([&](Machine&, Device& device) {
        if (!context) return hipErrorInvalidValue;
        *context = context_of(device.ordinal);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipCtxPopCurrent(hipCtx_t* context) {
    return whole_call([&] { return context ? hipCtxGetCurrent(context) : hipSuccess; });
}

HIPEMU_EXPORT hipError_t hipCtxGetDevice(hipDevice_t* device) {
    return whole_call([&] { return hipGetDevice(device); });
}
