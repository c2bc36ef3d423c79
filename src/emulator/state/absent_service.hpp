// What a HIP runtime gives to kernels and the emulator does not have: each thing has an address of its own at which nothing lies, so that
// a kernel which uses it is stopped by its name. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace hipemu {

/// The value of a hidden argument (its .value_kind) that points to such a thing; 0 where kernels take a null pointer for its absence.
std::uint64_t address_of_absent(std::string_view argument_kind);

/// What an address would belong to; empty if to none of them.
std::string_view absent_service_at(std::uint64_t address);

}  // namespace hipemu
