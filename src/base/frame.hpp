// Frames over a file descriptor: magic, length, checksum, payload. Both ends are ours and of the same build; what is
// guarded against is a child that writes garbage, stops in the middle, or announces more than it should.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/deadline.hpp"
#include "flashwave/status.hpp"

namespace flashwave {

inline constexpr std::size_t kLargestFrame = std::size_t{256} << 20;

/// invalid_argument: longer than `most`. deadline. io_error: the other end is closed or the write failed.
Status write_frame(int fd, std::string_view payload, Deadline deadline, std::size_t most = kLargestFrame);

/// not_found: the stream ended before a frame began. io_error: it ended within a frame. corrupt: wrong magic, length beyond
/// `most` or wrong checksum; the stream is of no further use then. deadline.
Result<std::string> read_frame(int fd, Deadline deadline, std::size_t most = kLargestFrame);

}  // namespace flashwave
