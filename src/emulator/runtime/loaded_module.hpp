// A code object that lies in device memory, decoded and ready to run. Made and released under the machine's lock; what a launch needs of it
// does not change meanwhile.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/code/code_object.hpp"
#include "emulator/run/launch.hpp"
#include "emulator/runtime/address_space.hpp"
#include "flashwave/status.hpp"

namespace hipemu {

struct Device;

struct LoadedKernel {
    Kernel kernel;                       // for the interpreter
    KernelDescription description;       // for argument packing and attributes
    Device* device = nullptr;
    std::uint64_t serial = 0;            // no other kernel of this process has it
    std::uint32_t max_dynamic_lds = 0;   // hipFuncSetAttribute; 0: what the card allows
};

/// A variable declared __managed__ (managed_variables.hpp).
struct ManagedVariable {
    std::string name;
    std::uint64_t pointer_address = 0;   // in the object's own numbering
    std::uint64_t bytes = 0;
    std::byte* memory = nullptr;
    Block* block = nullptr;              // the module's own; none where the program keeps the memory
};

struct LoadedModule {
    std::string name;                    // "module #2", for findings
    Device* device = nullptr;
    CodeObject object;
    Block* block = nullptr;              // the image in device memory
    std::vector<std::unique_ptr<LoadedKernel>> kernels;
    std::vector<ManagedVariable> managed;

    LoadedKernel* find_kernel(std::string_view kernel_name) const;
    const Symbol* find_variable(std::string_view variable) const;
    std::uint64_t device_address(std::uint64_t object_address) const { return block->whole.base + object_address; }
};

/// Places a code object into device memory, applies its relocations, decodes its text.
///   unsupported    another target than the device's, another ABI, a relocation that is not known
///   corrupt        damaged
///   out_of_memory  no room on the device
///   others         the worker's, where the object had to be listed
flashwave::Result<std::unique_ptr<LoadedModule>> load_module(std::span<const std::byte> image, Device& device, AddressSpace& memory,
                                                             std::string name, const std::string& cache_directory);

/// Removes it from device memory.
void unload_module(LoadedModule& module, AddressSpace& memory);

}  // namespace hipemu
