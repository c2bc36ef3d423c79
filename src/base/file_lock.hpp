// A lock between processes on bytes of a side file. It is held by the open file description (OFD), so the kernel lets go
// when the process dies, and other descriptors of the same file in this process neither share nor drop it.
#pragma once

#include <cstdint>
#include <string>

#include "base/deadline.hpp"
#include "base/descriptor.hpp"
#include "flashwave/status.hpp"

namespace flashwave {

/// Owns the lock until destroyed. Movable; one thread at a time.
class FileLock {
public:
    enum class Kind { shared, exclusive };

    /// Creates `path` (0600) where it is missing and locks byte `offset` of it. busy where another holder did not let go before
    /// the deadline; io_error or unavailable where the file cannot be opened or the file system has no such locks.
    static Result<FileLock> acquire(const std::string& path, Kind kind, Deadline deadline, std::uint64_t offset = 0);

private:
    explicit FileLock(Descriptor file) : file_(std::move(file)) {}

    Descriptor file_;  // closing it lets go
};

}  // namespace flashwave
