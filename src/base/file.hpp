// Files and directories of one user: private directories, whole-file reads, atomic writes. Errors of the operating
// system become a Status that names the path. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "flashwave/status.hpp"

namespace flashwave {

/// `errno_value` as a Status: "cannot open /x/y: Permission denied". ENOENT is not_found, EACCES and EROFS are unavailable.
Status errno_status(int errno_value, std::string_view action, std::string_view path);

inline constexpr std::size_t kLargestFile = std::size_t{1} << 30;

/// The whole file. not_found where there is none; corrupt where it is larger than `most` bytes. Never blocks on a FIFO.
Result<std::string> read_file(const std::string& path, std::size_t most = kLargestFile);

/// Writes beside `path`, syncs and renames: a reader sees the old bytes or the new ones. The file is private (0600).
Status write_file_atomically(const std::string& path, std::string_view bytes);

/// Makes `path` and what is missing above it with mode 0700, then checks it as check_private does.
Status make_private_directory(const std::string& path);

/// ok where only this user (and root) can change what `path` names: it and every directory above it belongs to one of the
/// two, and nobody else may write there except into a sticky directory such as /tmp. Symbolic links are followed first.
Status check_private(const std::string& path);

/// What a file is, as far as can be known without reading it.
struct FileIdentity {
    std::string real_path;  ///< Without symbolic links.
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;

    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
Result<FileIdentity> identify_file(const std::string& path);

bool is_file(const std::string& path);
bool is_directory(const std::string& path);
bool is_executable_file(const std::string& path);

/// The directory part of a path, "." where it has none.
std::string directory_of(std::string_view path);
std::string base_name(std::string_view path);

}  // namespace flashwave
