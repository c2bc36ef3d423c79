#include "command_line/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.hpp"
#include "command_line/exit.hpp"

namespace flashwave::cli {
namespace {

bool exists_but_is_no_file(const std::string& path) {
    struct stat facts {};
    return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno_status(errno, "cannot write", path);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

// Opens, writes and closes; the first failure counts.
Status write_whole(const std::string& path, int flags, std::string_view bytes) {
    const int fd = open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) return errno_status(errno, "cannot create", path);
    Status status = write_all(fd, bytes, path);
    if (close(fd) != 0 && status.ok()) status = errno_status(errno, "cannot write", path);
    return status;
}

}  // namespace

Status check_output_file(std::string_view flag, const std::string& path) {
    if (path.empty()) return bad_flag(flag, path, "the path of a file is needed");
    if (is_directory(path)) return bad_flag(flag, path, "that is a directory; the path of a file is needed");
    if (exists_but_is_no_file(path)) return {};
    const std::string directory = directory_of(path);
    if (!is_directory(directory)) return bad_flag(flag, path, fmt::format("there is no directory {}", directory));
    if (access(directory.c_str(), W_OK) != 0)
        return bad_flag(flag, path, fmt::format("no file can be created in {}", directory));
    return {};
}

Status write_output_file(const std::string& path, std::string_view bytes) {
    if (exists_but_is_no_file(path)) return write_whole(path, 0, bytes);
    // O_EXCL: a link that somebody put there is not followed.
    const std::string temporary = fmt::format("{}.{}.part", path, getpid());
    Status status = write_whole(temporary, O_CREAT | O_EXCL, bytes);
    if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0)
        status = errno_status(errno, "cannot create", path);
    if (!status.ok()) unlink(temporary.c_str());
    return status;
}

}  // namespace flashwave::cli
