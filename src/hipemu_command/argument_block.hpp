// The arguments of a launch as one block of memory: where each lies is taken from the kernel's metadata, members of structures lie as in C.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/code/code_object.hpp"
#include "flashwave/status.hpp"
#include "hipemu_command/launch_description.hpp"

namespace hipemu::command {

/// The device address of the buffer called so.
using AddressOf = std::function<std::uint64_t(const std::string&)>;

/// The block, hidden arguments left out. invalid_argument: another number of arguments than the kernel takes, or one of another size.
flashwave::Result<std::string> argument_block(const KernelDescription& kernel, const std::vector<ArgumentDescription>& arguments,
                                              const AddressOf& address_of);

/// The buffers among the arguments, those in structures too, in order.
std::vector<const ArgumentDescription*> buffers_of(const std::vector<ArgumentDescription>& arguments);

}  // namespace hipemu::command
