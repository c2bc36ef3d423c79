// The disassembly of a code object, by comgr in a worker process, kept on disk by the object's SHA-256: starting a worker and listing cost
// 20-150 ms, reading a file does not. Thread-safe; several processes may share the directory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "flashwave/status.hpp"

namespace hipemu {

/// The listing of `image` from `directory` or, where it is not there or damaged, from a worker; then it is stored. Trouble with the
/// directory costs time, nothing else; an empty `directory` stores nothing. The status is the worker's.
flashwave::Result<std::string> cached_listing(std::span<const std::byte> image, std::string_view target, const std::string& directory);

/// The file of an object in a directory.
std::string listing_path(std::span<const std::byte> image, std::string_view target, const std::string& directory);

}  // namespace hipemu
