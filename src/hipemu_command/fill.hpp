// Contents of buffers that come from no file: constants, ramps and seeded random numbers, which depend on seed and index only. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hipemu_command/element.hpp"

namespace hipemu::command {

enum class FillKind : std::uint8_t {
    none,      // as allocated: undefined, so that a kernel that reads it is found out
    zeros,
    ones,
    constant,  // `first`
    iota,      // first, first + second, ...
    uniform,   // from `first` to `second`; integers with both ends
    normal,    // mean `first`, standard deviation `second`
};

struct Fill {
    FillKind kind = FillKind::none;
    double first = 0, second = 0;
    std::uint64_t seed = 0;
};

/// The bytes of `count` elements; empty for FillKind::none.
std::string filled(const Fill& fill, ElementType type, std::size_t count);

}  // namespace hipemu::command
