// The block of memory a kernel finds its arguments in: those of the caller, and the hidden ones that the compiler asks for. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/code/code_object.hpp"
#include "flashwave/status.hpp"

namespace hipemu {

struct LaunchShape {
    std::array<std::uint32_t, 3> grid{1, 1, 1};   // work-groups
    std::array<std::uint32_t, 3> block{1, 1, 1};  // work-items
    std::uint32_t dynamic_lds = 0;
    std::uint64_t grid_barrier = 0;  // of a cooperative launch: where its work-groups meet
};

/// The arguments of the source, in order; the rest are hidden.
std::size_t explicit_count(const KernelDescription& kernel);

/// From hipModuleLaunchKernel's `kernelParams`: one pointer an explicit argument.
flashwave::Result<std::vector<std::byte>> pack_pointers(const KernelDescription& kernel, void** parameters);

/// From its `extra` list: one block laid out as the kernel's parameter list. invalid_argument: shorter than the explicit arguments.
flashwave::Result<std::vector<std::byte>> pack_block(const KernelDescription& kernel, std::span<const std::byte> block);

/// Fills in the hidden arguments that the kernel's metadata lists. Those with nothing behind them in the emulator are addresses of
/// absent_service.hpp where kernels use them unasked, otherwise null.
void fill_hidden(const KernelDescription& kernel, const LaunchShape& shape, std::span<std::byte> arguments);

}  // namespace hipemu
