// Is memory of this process there to be read? For images whose size nobody tells and whose own headers may be damaged. Thread-safe.
#pragma once

#include <cstdint>

namespace hipemu {

/// False where some of [from, from + bytes) is not mapped for reading. True where the system does not let us ask.
bool is_readable(const void* from, std::uint64_t bytes);

}  // namespace hipemu
