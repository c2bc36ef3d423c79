// What host programs compiled by hipcc call: they register their embedded code objects, functions and variables before main, and launch by
// the address of a host function. A code object is loaded at its first use on a device.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulator/hip/managed_variables.hpp"
#include "emulator/hip/work.hpp"
#include "emulator/runtime/loaded_module.hpp"

using namespace hipemu;

namespace {

/// What __hipRegisterFatBinary is given: clang's wrapper around an offload bundle.
struct FatBinaryWrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const void* binary;
    void* unused;
};
constexpr std::uint32_t kWrapperMagic = 0x48495046;  // "HIPF"

/// One embedded binary of the program. Its address is the handle that the program keeps.
struct FatBinary {
    const void* image = nullptr;
    std::map<int, hipModule_t> modules;  // by device
    std::map<std::string, void**> managed;  // variables declared __managed__: the program's own pointers to them
};
struct RegisteredName {
    FatBinary* binary = nullptr;
    std::string name;  // in the code object
};
struct Registry {
    std::map<const void*, RegisteredName> functions, variables;  // by their address on the host
};
/// Filled in by constructors of other files and emptied by their destructors: made at first use, never destroyed.
Registry& registry() {
    static Registry* const instance = new Registry;
    return *instance;
}

struct CallConfiguration {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    hipStream_t stream = nullptr;
};
thread_local std::vector<CallConfiguration> call_configurations;

hipError_t find_module(FatBinary& binary, hipModule_t& module) {
    int device = 0;
    if (const hipError_t error = hipGetDevice(&device)) return error;
    Machine& machine = Machine::instance();
    hipModule_t& known = binary.modules[device];
    if (!machine.modules.contains(known)) {  // not yet, or hipDeviceReset took it away
        if (const hipError_t error = hipModuleLoadData(&known, binary.image)) return error;
        for (const auto& [name, pointer] : binary.managed)
            bind_managed_variable(machine, *machine.modules.at(known), name, static_cast<std::byte*>(*pointer));
    }
    module = known;
    return hipSuccess;
}

/// The kernel behind the address of a host function.
hipError_t find_function(const void* host_function, hipFunction_t& function) {
    return entry([&](Machine&) {
        const auto found = registry().functions.find(host_function);
        if (found == registry().functions.end())
            return refuse(hipErrorInvalidDeviceFunction, fmt::format("no kernel is registered for the host function at {}", host_function));
        hipModule_t module = nullptr;
        if (const hipError_t error = find_module(*found->second.binary, module)) return error;
        return hipModuleGetFunction(&function, module, found->second.name.c_str());
    });
}

hipError_t find_variable(const void* host_variable, hipDeviceptr_t& pointer, std::size_t& bytes) {
    return entry([&](Machine&) {
        const auto found = registry().variables.find(host_variable);
        if (found == registry().variables.end())
            return refuse(hipErrorInvalidSymbol, fmt::format("no variable is registered for the symbol at {}", host_variable));
        hipModule_t module = nullptr;
        if (const hipError_t error = find_module(*found->second.binary, module)) return error;
        return hipModuleGetGlobal(&pointer, &bytes, module, found->second.name.c_str());
    });
}

/// The part of a variable that a copy names.
hipError_t find_part(const void* host_variable, std::size_t offset, std::size_t bytes, char*& part) {
    hipDeviceptr_t pointer = nullptr;
    std::size_t size = 0;
    if (const hipError_t error = find_variable(host_variable, pointer, size)) return error;
    if (offset > size || bytes > size - offset) return refuse(hipErrorInvalidValue, fmt::format("{} bytes at {} of a variable of {} bytes", bytes, offset, size));
    part = static_cast<char*>(pointer) + offset;
    return hipSuccess;
}

}  // namespace

namespace hipemu {

hipError_t registered_function(const void* host_function, hipFunction_t& function) { return find_function(host_function, function); }

}  // namespace hipemu

extern "C" {

HIPEMU_EXPORT void** __hipRegisterFatBinary(const void* data) {
    const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
    if (!wrapper || wrapper->magic != kWrapperMagic) {
        print_message("__hipRegisterFatBinary: this is no embedded code object of HIP");
        return nullptr;
    }
    const HeldLock held(Machine::instance());
    auto* binary = new FatBinary;
    binary->image = wrapper->binary;
    return reinterpret_cast<void**>(binary);
}

HIPEMU_EXPORT void __hipRegisterFunction(void** handle, const void* host_function, char*, const char* device_name, unsigned, void*, void*,
                                         dim3*, dim3*, int*) {
    if (!handle) return;
    const HeldLock held(Machine::instance());
    registry().functions[host_function] = {reinterpret_cast<FatBinary*>(handle), device_name};
}

HIPEMU_EXPORT void __hipRegisterVar(void** handle, void* variable, char*, char* device_name, int, std::size_t, int, int) {
    if (!handle) return;
    const HeldLock held(Machine::instance());
    registry().variables[variable] = {reinterpret_cast<FatBinary*>(handle), device_name};
}

/// The host uses such a variable through `*pointer` from the start of the program; all devices share its memory.
HIPEMU_EXPORT void __hipRegisterManagedVar(void* handle, void** pointer, void* first_value, const char* name, std::size_t bytes, unsigned) {
    if (!handle || !pointer || bytes == 0) return;
    const HeldLock held(Machine::instance());
    if (hipMallocManaged(pointer, bytes, hipMemAttachGlobal) != hipSuccess) {
        print_message(fmt::format("__hipRegisterManagedVar: no memory for {}", name));
        return;
    }
    std::memcpy(*pointer, first_value, bytes);
    auto* binary = static_cast<FatBinary*>(handle);
    binary->managed[name] = pointer;
    registry().variables[pointer] = {binary, name};
}

HIPEMU_EXPORT void __hipUnregisterFatBinary(void** handle) {
    if (!handle) return;
    const HeldLock held(Machine::instance());
    auto* binary = reinterpret_cast<FatBinary*>(handle);
    const auto of_binary = [binary](const auto& one) { return one.second.binary == binary; };
    std::erase_if(registry().functions, of_binary);
    std::erase_if(registry().variables, of_binary);
    for (const auto& [device, module] : binary->modules)
        if (module) (void)hipModuleUnload(module);
    for (const auto& [name, pointer] : binary->managed) (void)hipFree(*pointer);
    delete binary;
}

HIPEMU_EXPORT hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream) {
    call_configurations.push_back({grid, block, shared_bytes, stream});
    return hipSuccess;
}

HIPEMU_EXPORT hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, hipStream_t* stream) {
    if (call_configurations.empty()) return remember(hipErrorMissingConfiguration);
    const CallConfiguration last = call_configurations.back();
    call_configurations.pop_back();
    *grid = last.grid;
    *block = last.block;
    *shared_bytes = last.shared_bytes;
    *stream = last.stream;
    return hipSuccess;
}

}  // extern "C"

HIPEMU_EXPORT hipError_t hipLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                         hipStream_t stream) {
    return whole_call([&] {
        hipFunction_t function = nullptr;
        if (const hipError_t error = find_function(host_function, function)) return error;
        return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared_bytes), stream,
                                     arguments, nullptr);
    });
}

HIPEMU_EXPORT hipError_t hipLaunchCooperativeKernel(const void* host_function, dim3 grid, dim3 block, void** arguments, unsigned shared_bytes,
                                                    hipStream_t stream) {
    return whole_call([&] {
        hipFunction_t function = nullptr;
        if (const hipError_t error = find_function(host_function, function)) return error;
        return hipModuleLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes, stream, arguments);
    });
}

/// Launches between two events (hip_ext.h), which flashwave itself does not call.
extern "C" HIPEMU_EXPORT hipError_t hipExtLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                            hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) {
    return whole_call([&] {
        if (start)
            if (const hipError_t error = hipEventRecord(start, stream)) return error;
        if (const hipError_t error = hipLaunchKernel(host_function, grid, block, arguments, shared_bytes, stream)) return error;
        return stop ? hipEventRecord(stop, stream) : hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* host_function) {
    return whole_call([&] {
        if (!attributes) return hipErrorInvalidValue;
        hipFunction_t function = nullptr;
        if (const hipError_t error = find_function(host_function, function)) return error;
        const auto value = [function](hipFunction_attribute which) {
            int result = 0;
            (void)hipFuncGetAttribute(&result, which, function);
            return result;
        };
        *attributes = {};
        attributes->binaryVersion = attributes->ptxVersion = value(HIP_FUNC_ATTRIBUTE_BINARY_VERSION);
        attributes->localSizeBytes = static_cast<std::size_t>(value(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
        attributes->sharedSizeBytes = static_cast<std::size_t>(value(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
        attributes->maxDynamicSharedSizeBytes = value(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
        attributes->maxThreadsPerBlock = value(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        attributes->numRegs = value(HIP_FUNC_ATTRIBUTE_NUM_REGS);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipFuncSetAttribute(const void* host_function, hipFuncAttribute attribute, int value) {
    return whole_call([&] {
        hipFunction_t function = nullptr;
        if (const hipError_t error = find_function(host_function, function)) return error;
        if (attribute == hipFuncAttributePreferredSharedMemoryCarveout) return hipSuccess;  // LDS is not carved out of a cache here
        if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize) return hipErrorInvalidValue;
        // Every kernel may use what the card has; asking for more is what can go wrong.
        int most = 0;
        if (const hipError_t error = hipFuncGetAttribute(&most, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function)) return error;
        return value >= 0 && value <= most ? hipSuccess : hipErrorInvalidValue;
    });
}

HIPEMU_EXPORT hipError_t hipGetSymbolAddress(void** pointer, const void* symbol) {
    return whole_call([&] {
        std::size_t bytes = 0;
        return pointer ? find_variable(symbol, *pointer, bytes) : hipErrorInvalidValue;
    });
}

HIPEMU_EXPORT hipError_t hipGetSymbolSize(std::size_t* bytes, const void* symbol) {
    return whole_call([&] {
        hipDeviceptr_t pointer = nullptr;
        return bytes ? find_variable(symbol, pointer, *bytes) : hipErrorInvalidValue;
    });
}

HIPEMU_EXPORT hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, hipMemcpyKind kind) {
    return whole_call([&] {
        char* part = nullptr;
        if (const hipError_t error = find_part(symbol, offset, bytes, part)) return error;
        return hipMemcpy(part, from, bytes, kind);
    });
}

HIPEMU_EXPORT hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, hipMemcpyKind kind) {
    return whole_call([&] {
        char* part = nullptr;
        if (const hipError_t error = find_part(symbol, offset, bytes, part)) return error;
        return hipMemcpy(to, part, bytes, kind);
    });
}
