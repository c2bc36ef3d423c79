#include "emulator/hip/managed_variables.hpp"

#include <cstring>

#include <fmt/format.h>

#include "emulator/hip/work.hpp"
#include "emulator/runtime/loaded_module.hpp"

namespace hipemu {
namespace {

constexpr std::string_view kFirstValue = ".managed";

bool lies_within(const Symbol& symbol, std::uint64_t bytes, const CodeObject& object) {
    return symbol.address <= object.memory_bytes && bytes <= object.memory_bytes - symbol.address;
}

void set_pointer(LoadedModule& module, ManagedVariable& variable, std::byte* memory) {
    std::memcpy(module.block->whole.host + variable.pointer_address, &memory, sizeof memory);
    variable.memory = memory;
}

}  // namespace

bool make_managed_variables(Machine& machine, LoadedModule& module) {
    for (const Symbol& first : module.object.symbols) {
        if (!first.is_object || first.size == 0 || !first.name.ends_with(kFirstValue)) continue;
        const std::string name = first.name.substr(0, first.name.size() - kFirstValue.size());
        const Symbol* pointer = module.find_variable(name);
        if (!pointer || !lies_within(*pointer, sizeof(void*), module.object) || !lies_within(first, first.size, module.object)) continue;
        Block* block = allocate_host_block(machine, *module.device, BlockKind::managed, first.size,
                                           fmt::format("managed variable {} of {}", name, module.name));
        if (!block) return false;
        std::memcpy(block->whole.host, module.block->whole.host + first.address, first.size);
        ManagedVariable& variable = module.managed.emplace_back(
            ManagedVariable{.name = name, .pointer_address = pointer->address, .bytes = first.size, .memory = nullptr, .block = block});
        set_pointer(module, variable, block->whole.host);
    }
    return true;
}

void bind_managed_variable(Machine& machine, LoadedModule& module, std::string_view name, std::byte* memory) {
    for (ManagedVariable& variable : module.managed) {
        if (variable.name != name) continue;
        if (variable.block) release_block(machine, variable.block);
        variable.block = nullptr;
        set_pointer(module, variable, memory);
    }
}

void release_managed_variables(Machine& machine, LoadedModule& module) {
    for (const ManagedVariable& variable : module.managed)
        if (variable.block) release_block(machine, variable.block);
    module.managed.clear();
}

}  // namespace hipemu
