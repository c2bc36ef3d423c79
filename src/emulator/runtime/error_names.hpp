// HIP's errors by name and in words. Pure functions.
#pragma once

#include <string_view>

#include "hip/hip_abi.hpp"

namespace hipemu {

struct ErrorText {
    hipError_t error;
    const char* name;  // "hipErrorOutOfMemory"
    const char* text;  // "out of memory"
};

/// nullptr: no such error.
const ErrorText* find_error(hipError_t error);
const ErrorText* find_error(std::string_view name);

}  // namespace hipemu
