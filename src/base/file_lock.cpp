#include "base/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/file.hpp"

namespace flashwave {
namespace {

// The first waits are short, for most holders keep the lock for about a millisecond.
constexpr std::chrono::microseconds kFirstWait{200};
constexpr std::chrono::microseconds kLongestWait{20'000};

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& path, Kind kind, Deadline deadline, std::uint64_t offset) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
    // A shared lock needs reading only: a cache on a read-only medium can still be read by several.
    if (!file.valid() && kind == Kind::shared)
        file = Descriptor(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return errno_status(errno, "cannot open the lock file", path);

    std::chrono::microseconds wait = kFirstWait;
    for (;;) {
        struct flock range {};  // l_pid has to be 0 for open-file-description locks
        range.l_type = kind == Kind::exclusive ? F_WRLCK : F_RDLCK;
        range.l_whence = SEEK_SET;
        range.l_start = static_cast<off_t>(offset);
        range.l_len = 1;
        if (::fcntl(file.get(), F_OFD_SETLK, &range) == 0) return FileLock(std::move(file));
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) return errno_status(errno, "cannot lock", path);
        if (expired(deadline))
            return Status(Code::busy, fmt::format("{} is locked by another process or thread.", path));
        std::this_thread::sleep_for(wait);
        wait = std::min(2 * wait, kLongestWait);
    }
}

}  // namespace flashwave
