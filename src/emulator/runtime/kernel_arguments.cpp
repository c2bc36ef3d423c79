#include "emulator/runtime/kernel_arguments.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emulator/state/absent_service.hpp"

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

/// End of the last explicit argument.
std::uint32_t explicit_bytes(const KernelDescription& kernel) {
    std::uint32_t end = 0;
    for (const KernelArgument& argument : kernel.arguments)
        if (!argument.hidden()) end = std::max(end, argument.offset + argument.size);
    return end;
}

std::uint32_t dimensions(const LaunchShape& shape) {
    for (std::uint32_t dimension = 3; dimension > 1; --dimension)
        if (shape.grid[dimension - 1] > 1 || shape.block[dimension - 1] > 1) return dimension;
    return 1;
}

/// The value of one hidden argument, by its .value_kind. HIP's grids are whole blocks: remainders and global offsets are 0.
std::uint64_t hidden_value(std::string_view kind, const LaunchShape& shape) {
    constexpr std::string_view counts = "hidden_block_count_", sizes = "hidden_group_size_";
    if (kind.size() == counts.size() + 1 && kind.starts_with(counts)) return shape.grid[static_cast<std::size_t>(kind.back() - 'x') % 3];
    if (kind.size() == sizes.size() + 1 && kind.starts_with(sizes)) return shape.block[static_cast<std::size_t>(kind.back() - 'x') % 3];
    if (kind == "hidden_grid_dims") return dimensions(shape);
    if (kind == "hidden_dynamic_lds_size") return shape.dynamic_lds;
    if (kind == "hidden_multigrid_sync_arg") return shape.grid_barrier;
    return address_of_absent(kind);
}

}  // namespace

std::size_t explicit_count(const KernelDescription& kernel) {
    return static_cast<std::size_t>(
        std::count_if(kernel.arguments.begin(), kernel.arguments.end(), [](const KernelArgument& one) { return !one.hidden(); }));
}

Result<std::vector<std::byte>> pack_pointers(const KernelDescription& kernel, void** parameters) {
    std::vector<std::byte> block(kernel.kernarg_bytes);
    std::size_t index = 0;
    for (const KernelArgument& argument : kernel.arguments) {
        if (argument.hidden()) continue;
        if (!parameters || !parameters[index])
            return Status(Code::invalid_argument, fmt::format("argument {} of kernel {} is missing", index, kernel.name));
        std::memcpy(block.data() + argument.offset, parameters[index], argument.size);
        ++index;
    }
    return block;
}

Result<std::vector<std::byte>> pack_block(const KernelDescription& kernel, std::span<const std::byte> given) {
    const std::uint32_t needed = explicit_bytes(kernel);
    if (given.size() < needed)
        return Status(Code::invalid_argument,
                      fmt::format("kernel {} takes {} bytes of arguments and got {}", kernel.name, needed, given.size()));
    std::vector<std::byte> block(kernel.kernarg_bytes);
    std::copy_n(given.begin(), std::min<std::size_t>(given.size(), needed), block.begin());
    return block;
}

void fill_hidden(const KernelDescription& kernel, const LaunchShape& shape, std::span<std::byte> arguments) {
    for (const KernelArgument& argument : kernel.arguments) {
        if (!argument.hidden()) continue;
        const std::uint64_t value = hidden_value(argument.kind, shape);
        std::memcpy(arguments.data() + argument.offset, &value, std::min<std::size_t>(argument.size, sizeof value));
    }
}

}  // namespace hipemu
