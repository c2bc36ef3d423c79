#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/descriptor.hpp"

namespace flashwave {
namespace {

constexpr mode_t kPrivateDirectory = 0700;
constexpr mode_t kPrivateFile = 0600;

Result<std::string> real_path_of(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
    if (!resolved) return errno_status(errno, "cannot resolve", path);
    return std::string(resolved.get());
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno_status(errno, "cannot write", path);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Status sync_directory(const std::string& path) {
    const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid()) return errno_status(errno, "cannot open", path);
    // Some file systems (9p, FUSE) have no sync of directories and say EINVAL; the rename is atomic there as well.
    if (::fsync(directory.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
        return errno_status(errno, "cannot sync", path);
    return {};
}

// Who may write here: this user and root, and others only where the sticky bit keeps them from what is not theirs.
Status check_one(const std::string& path, bool is_ancestor) {
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0) return errno_status(errno, "cannot examine", path);
    if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
        return Status(Code::unavailable,
                      fmt::format("{} belongs to user {}, not to user {} who runs this; use a directory of your own.",
                                  path, facts.st_uid, ::geteuid()));
    const bool writable_by_others = (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool sticky = is_ancestor && S_ISDIR(facts.st_mode) && (facts.st_mode & S_ISVTX) != 0;
    if (writable_by_others && !sticky)
        return Status(Code::unavailable,
                      fmt::format("{} can be written by other users; mend it with: chmod go-w '{}'", path, path));
    return {};
}

}  // namespace

Status errno_status(int errno_value, std::string_view action, std::string_view path) {
    Code code = Code::io_error;
    if (errno_value == ENOENT || errno_value == ENOTDIR) code = Code::not_found;
    if (errno_value == EACCES || errno_value == EPERM || errno_value == EROFS) code = Code::unavailable;
    const char* description = ::strerrordesc_np(errno_value);
    return Status(code, fmt::format("{} {}: {}", action, path,
                                    description != nullptr ? description : fmt::format("error {}", errno_value)));
}

Result<std::string> read_file(const std::string& path, std::size_t most) {
    // O_NONBLOCK: opening a FIFO that somebody left in a cache directory must not wait for a writer.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return errno_status(errno, "cannot open", path);
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) return errno_status(errno, "cannot examine", path);
    if (!S_ISREG(facts.st_mode)) return Status(Code::corrupt, fmt::format("{} is not a regular file.", path));

    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(facts.st_size));
    char buffer[64 * 1024];
    for (;;) {
        const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0) {
            if (errno == EINTR) continue;
            return errno_status(errno, "cannot read", path);
        }
        if (count == 0) return bytes;
        if (bytes.size() + static_cast<std::size_t>(count) > most)
            return Status(Code::corrupt, fmt::format("{} is larger than {} bytes.", path, most));
        bytes.append(buffer, static_cast<std::size_t>(count));
    }
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
    static std::atomic<unsigned> counter{0};
    // A name of our own per process and call; the dot keeps it out of listings and of readers that look for whole
    // files.
    const std::string temporary =
        fmt::format("{}/.{}.{}.{}.tmp", directory_of(path), base_name(path), ::getpid(), counter.fetch_add(1));
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivateFile));
    if (!file.valid()) return errno_status(errno, "cannot create", temporary);
    Status status = write_all(file.get(), bytes, temporary);
    if (status.ok() && ::fsync(file.get()) != 0) status = errno_status(errno, "cannot sync", temporary);
    if (status.ok() && file.close() != 0) status = errno_status(errno, "cannot close", temporary);
    if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0)
        status = errno_status(errno, "cannot put in place", path);
    if (!status.ok()) {
        ::unlink(temporary.c_str());
        return status;
    }
    return sync_directory(directory_of(path));
}

Status make_private_directory(const std::string& path) {
    if (path.empty()) return Status(Code::invalid_argument, "the directory has an empty name.");
    std::size_t end = 0;
    while (end != std::string::npos) {
        end = path.find('/', end + 1);
        const std::string part = path.substr(0, end);
        // mkdir with 0700 leaves no moment in which others could enter, whatever the umask.
        if (::mkdir(part.c_str(), kPrivateDirectory) != 0 && errno != EEXIST && !is_directory(part))
            return errno_status(errno, "cannot make", part);
    }
    if (!is_directory(path)) return errno_status(ENOTDIR, "cannot use", path);
    return check_private(path);
}

Status check_private(const std::string& path) {
    Result<std::string> real = real_path_of(path);
    if (!real.ok()) return real.status();
    FLASHWAVE_RETURN_IF_ERROR(check_one(*real, false));
    for (std::string above = *real; above != "/";) {
        above = directory_of(above);
        FLASHWAVE_RETURN_IF_ERROR(check_one(above, true));
    }
    return {};
}

Result<FileIdentity> identify_file(const std::string& path) {
    Result<std::string> real = real_path_of(path);
    if (!real.ok()) return real.status();
    struct stat facts {};
    if (::stat(real->c_str(), &facts) != 0) return errno_status(errno, "cannot examine", *real);
    return FileIdentity{
        .real_path = std::move(*real),
        .size = static_cast<std::uint64_t>(facts.st_size),
        .modified_ns = static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec,
    };
}

bool is_file(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

bool is_directory(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool is_executable_file(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string directory_of(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return ".";
    return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::string base_name(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1));
}

}  // namespace flashwave
