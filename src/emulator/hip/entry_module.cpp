// Modules: loading code objects, finding what is in them.
#include <cstring>

#include <fmt/format.h>

#include "base/file.hpp"
#include "emulator/code/offload_bundle.hpp"
#include "emulator/code/readable.hpp"
#include "emulator/hip/managed_variables.hpp"
#include "emulator/hip/work.hpp"
#include "emulator/runtime/loaded_module.hpp"

using namespace hipemu;

namespace {

using flashwave::Code;
using flashwave::Status;

constexpr std::size_t kElfHeaderBytes = 64;

/// HIP's own error for why a module cannot be loaded.
hipError_t error_of(const Status& status) {
    switch (status.code()) {
        case Code::unsupported:
        case Code::not_found: return hipErrorNoBinaryForGpu;
        case Code::corrupt: return hipErrorInvalidImage;
        case Code::out_of_memory: return hipErrorOutOfMemory;
        default: return hipErrorSharedObjectInitFailed;  // there is no worker to list it, or that failed
    }
}

/// `known_size`: of the image, where the caller knows it; otherwise 0, and the image's own header is believed, as HIP does.
hipError_t load(Machine& machine, Device& device, hipModule_t* handle, const std::byte* image, std::size_t known_size) {
    if (!handle || !image) return hipErrorInvalidValue;
    *handle = nullptr;
    if (known_size != 0 && known_size < kElfHeaderBytes)
        return refuse(hipErrorInvalidImage, fmt::format("a code object of {} bytes is too short", known_size));
    if (known_size == 0 && !is_readable(image, kElfHeaderBytes)) return refuse(hipErrorInvalidValue, "there is no memory to read at the image");
    std::span<const std::byte> object;
    if (is_offload_bundle(image)) {
        auto found = find_in_bundle(image, known_size, device.chip->target);
        if (!found.ok()) return refuse(error_of(found.status()), found.status().message());
        object = *found;
    } else {
        object = {image, known_size != 0 ? known_size : elf_image_size(image)};
        if (object.empty()) return refuse(hipErrorInvalidImage, "this is no code object: neither an ELF file nor an offload bundle");
        if (known_size == 0 && !is_readable(image, object.size()))
            return refuse(hipErrorInvalidImage, fmt::format("the code object says that it has {} bytes, and there is no memory to read for all of them", object.size()));
    }
    auto module = load_module(object, device, machine.memory, fmt::format("module #{}", ++machine.module_count), config().cache_directory);
    if (!module.ok()) return refuse(error_of(module.status()), module.status().message());
    if (!make_managed_variables(machine, **module)) {
        release_managed_variables(machine, **module);
        unload_module(**module, machine.memory);
        return refuse(hipErrorOutOfMemory, "the host has no memory for the managed variables of a code object");
    }
    for (const auto& kernel : (*module)->kernels) {
        kernel->serial = ++machine.kernel_count;
        machine.functions[reinterpret_cast<hipFunction_t>(kernel.get())] = kernel.get();
    }
    *handle = reinterpret_cast<hipModule_t>(module->get());
    machine.modules[*handle] = std::move(*module);
    return hipSuccess;
}

/// Runs `work(machine, module)`.
template <class Work>
hipError_t module_entry(hipModule_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device&) {
        const auto found = machine.modules.find(handle);
        if (found == machine.modules.end()) return refuse(hipErrorInvalidHandle, "there is no such module; was it unloaded?");
        return work(machine, *found->second);
    }, call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipModuleLoad(hipModule_t* module, const char* file) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!file) return hipErrorInvalidValue;
        const auto bytes = flashwave::read_file(file);
        if (!bytes.ok()) return refuse(hipErrorFileNotFound, bytes.status().message());
        return load(machine, device, module, reinterpret_cast<const std::byte*>(bytes->data()), bytes->size());
    });
}

HIPEMU_EXPORT hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
    return device_entry(
        [&](Machine& machine, Device& device) { return load(machine, device, module, static_cast<const std::byte*>(image), 0); });
}

HIPEMU_EXPORT hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, hipJitOption*, void**) {
    return whole_call([&] { return hipModuleLoadData(module, image); });
}

HIPEMU_EXPORT hipError_t hipModuleUnload(hipModule_t handle) {
    return module_entry(handle, [&](Machine& machine, LoadedModule& module) {
        if (const hipError_t error = check_unsafe(machine)) return error;
        module.device->queue.finish_all();
        if (!machine.modules.contains(handle)) return hipErrorInvalidHandle;  // another thread unloaded it meanwhile
        for (const auto& kernel : module.kernels) machine.functions.erase(reinterpret_cast<hipFunction_t>(kernel.get()));
        release_managed_variables(machine, module);
        unload_module(module, machine.memory);
        machine.modules.erase(handle);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t handle, const char* name) {
    return module_entry(handle, [&](Machine&, LoadedModule& module) {
        if (!function || !name) return hipErrorInvalidValue;
        LoadedKernel* kernel = module.find_kernel(name);
        if (!kernel) return refuse(hipErrorNotFound, fmt::format("the module has no kernel {}", name));
        *function = reinterpret_cast<hipFunction_t>(kernel);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t* pointer, std::size_t* bytes, hipModule_t handle, const char* name) {
    return module_entry(handle, [&](Machine&, LoadedModule& module) {
        if (!name) return hipErrorInvalidValue;
        for (const ManagedVariable& variable : module.managed) {
            if (variable.name != name) continue;
            if (pointer) *pointer = variable.memory;
            if (bytes) *bytes = variable.bytes;
            return hipSuccess;
        }
        const Symbol* variable = module.find_variable(name);
        if (!variable) return refuse(hipErrorNotFound, fmt::format("the module has no variable {}", name));
        if (pointer) *pointer = reinterpret_cast<void*>(module.device_address(variable->address));
        if (bytes) *bytes = variable->size;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t function) {
    return device_entry([&](Machine& machine, Device&) {
        const LoadedKernel* found = machine.find_function(function);
        if (!found) return refuse(hipErrorInvalidDeviceFunction, "there is no such function; was its module unloaded?");
        if (!value) return hipErrorInvalidValue;
        const Kernel& kernel = found->kernel;
        switch (attribute) {
            case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(kernel.max_threads); return hipSuccess;
            case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(kernel.group_bytes); return hipSuccess;
            case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; return hipSuccess;
            case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(kernel.private_bytes); return hipSuccess;
            case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = static_cast<int>(kernel.vgprs); return hipSuccess;
            case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
            case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: {
                const hipDeviceProp_tR0600 p = device_properties(*found->device);
                *value = p.major * 10 + p.minor;
                return hipSuccess;
            }
            case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; return hipSuccess;
            case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
                *value = static_cast<int>(found->device->chip->lds_per_group - kernel.group_bytes);
                return hipSuccess;
            case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = 0; return hipSuccess;
        }
        return refuse(hipErrorInvalidValue, fmt::format("function attribute {} is not known", static_cast<int>(attribute)));
    });
}
