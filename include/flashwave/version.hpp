// The version of the library that is loaded, which may be newer than the headers a program was compiled with.
#pragma once

#include "flashwave/export.hpp"

namespace flashwave {

/// "0.1.0". Static storage.
FLASHWAVE_API const char* version() noexcept;

}  // namespace flashwave
