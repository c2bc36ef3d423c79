// The processors of AMD GPUs by the number that their ELF files carry. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace flashwave {

/// The processor in e_flags of a code object, without its features: "gfx1100", "gfx11-generic"; empty if the number is not known.
std::string_view gfx_target_of(std::uint32_t elf_flags) noexcept;

}  // namespace flashwave
