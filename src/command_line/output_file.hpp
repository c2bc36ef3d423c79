// Files a user asked for (--out): whole or not there. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "flashwave/status.hpp"

namespace flashwave::cli {

/// Looks, before long work begins, whether write_output_file could do its work: the directory exists and may be written
/// to. `flag` is what the path was given with; Code::invalid_argument names it.
Status check_output_file(std::string_view flag, const std::string& path);

/// Writes beside `path` and renames, with the permissions new files get. What is no regular file (/dev/null, a pipe) is
/// written to directly.
Status write_output_file(const std::string& path, std::string_view bytes);

}  // namespace flashwave::cli
