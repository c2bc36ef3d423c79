// Variables declared __managed__. Of each, the compiler makes two symbols: "x", a pointer that kernels follow, and "x.managed", its first value.
// Their memory is the host's, as that of hipMallocManaged. Under the machine's lock.
#pragma once

#include <cstddef>
#include <string_view>

#include "emulator/runtime/machine.hpp"

namespace hipemu {

/// Gives each such variable of a module its memory, with its first value. False where the host has none left.
bool make_managed_variables(Machine& machine, LoadedModule& module);
/// Kernels of the module take a variable from memory that the program keeps for it instead. Nothing happens if there is none of that name.
void bind_managed_variable(Machine& machine, LoadedModule& module, std::string_view name, std::byte* memory);
void release_managed_variables(Machine& machine, LoadedModule& module);

}  // namespace hipemu
