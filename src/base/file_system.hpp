// Where things are: the kind of file system behind a path, the directory of this library, the programs beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"

namespace flashwave {

enum class FileSystemKind { local, network, unknown };

struct FileSystem {
    FileSystemKind kind = FileSystemKind::unknown;
    std::string type;  ///< "ext4", "nfs", or the magic number in hex where it has no name here.
};

/// Of `path`, or of the nearest directory above it that exists.
Result<FileSystem> file_system_of(const std::string& path);

/// The directory of the library or program this code was linked into, without symbolic links; empty where it is unknown.
const std::string& own_directory();

/// A program of flashwave ("flashwave-worker"): FLASHWAVE_LIBEXEC, otherwise relative to own_directory() as installed
/// (../libexec/flashwave) or as built (../bin, or the same directory). The message of not_found names what was tried.
Result<std::string> find_program(std::string_view program);

}  // namespace flashwave
