// Linked into the worker as well: the standard library and the system only.
#include "base/frame.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace flashwave {
namespace {

constexpr std::uint32_t kMagic = 0x31465746;  // "FWF1" in memory
constexpr std::size_t kHeader = 12;           // magic, length, CRC-32 of the payload, little endian
constexpr std::size_t kPipeChunk = 4096;      // PIPE_BUF: what a pipe that poll calls writable takes without blocking

constexpr std::array<std::uint32_t, 256> make_crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (0xedb88320u & (0u - (value & 1u)));
        table[i] = value;
    }
    return table;
}

std::uint32_t crc32(std::string_view bytes) {
    static constexpr std::array<std::uint32_t, 256> kTable = make_crc_table();
    std::uint32_t crc = ~0u;
    for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
    return ~crc;
}

void put(std::string& bytes, std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint32_t get(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
    return value;
}

Status io_error(const char* what) {
    return Status(Code::io_error, std::string("the other process ") + what + " (" + ::strerrordesc_np(errno) + ").");
}

Status wait_for(int fd, short event, Deadline deadline) {
    for (;;) {
        pollfd waited{.fd = fd, .events = event, .revents = 0};
        const int ready = ::poll(&waited, 1, poll_timeout(deadline));
        if (ready > 0) return {};
        if (ready == 0 && expired(deadline))
            return Status(Code::deadline, "the other process did not answer in its time.");
        if (ready < 0 && errno != EINTR) return io_error("cannot be waited for");
    }
}

// As many bytes as there are, without blocking; 0 at the end of the stream.
ssize_t read_some(int fd, char* into, std::size_t size) {
    const ssize_t count = ::recv(fd, into, size, MSG_DONTWAIT);
    return count < 0 && errno == ENOTSOCK ? ::read(fd, into, size) : count;
}

ssize_t write_some(int fd, const char* from, std::size_t size) {
    const ssize_t count = ::send(fd, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return count < 0 && errno == ENOTSOCK ? ::write(fd, from, std::min(size, kPipeChunk)) : count;
}

bool again() { return errno == EAGAIN || errno == EINTR; }

Status write_all(int fd, std::string_view bytes, Deadline deadline) {
    while (!bytes.empty()) {
        FLASHWAVE_RETURN_IF_ERROR(wait_for(fd, POLLOUT, deadline));
        const ssize_t count = write_some(fd, bytes.data(), bytes.size());
        if (count < 0 && !again()) return io_error("does not take what is sent to it");
        if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

// Fills `bytes`; tells how many came where the stream ends before.
Result<std::size_t> read_all(int fd, char* into, std::size_t size, Deadline deadline) {
    std::size_t have = 0;
    while (have < size) {
        FLASHWAVE_RETURN_IF_ERROR(wait_for(fd, POLLIN, deadline));
        const ssize_t count = read_some(fd, into + have, size - have);
        // A process that dies with unread input resets the connection; that is its end as well.
        if (count == 0 || (count < 0 && errno == ECONNRESET)) return have;
        if (count < 0 && !again()) return io_error("cannot be read from");
        if (count > 0) have += static_cast<std::size_t>(count);
    }
    return have;
}

}  // namespace

Status write_frame(int fd, std::string_view payload, Deadline deadline, std::size_t most) {
    if (payload.size() > most)
        return Status(Code::invalid_argument, "a message of " + std::to_string(payload.size()) +
                                                  " bytes is longer than " + std::to_string(most) + ".");
    std::string header;
    put(header, kMagic);
    put(header, static_cast<std::uint32_t>(payload.size()));
    put(header, crc32(payload));
    FLASHWAVE_RETURN_IF_ERROR(write_all(fd, header, deadline));
    return write_all(fd, payload, deadline);
}

Result<std::string> read_frame(int fd, Deadline deadline, std::size_t most) {
    std::array<char, kHeader> header{};
    Result<std::size_t> got = read_all(fd, header.data(), header.size(), deadline);
    if (!got.ok()) return got.status();
    if (*got == 0) return Status(Code::not_found, "the stream has ended.");

    const std::string_view fields(header.data(), *got);
    if (*got >= 4 && get(fields, 0) != kMagic)
        return Status(Code::corrupt, "the other process sent something that is not a message.");
    if (*got < kHeader) return Status(Code::io_error, "the stream ended within a message.");
    const std::uint32_t size = get(fields, 4);
    if (size > most)
        return Status(Code::corrupt, "a message announces " + std::to_string(size) + " bytes, more than is allowed.");

    std::string payload;
    // Grows as bytes arrive, so that a false length costs no memory.
    constexpr std::size_t kStep = std::size_t{1} << 20;
    while (payload.size() < size) {
        const std::size_t have = payload.size();
        payload.resize(std::min<std::size_t>(size, have + kStep));
        got = read_all(fd, payload.data() + have, payload.size() - have, deadline);
        if (!got.ok()) return got.status();
        if (*got < payload.size() - have) return Status(Code::io_error, "the stream ended within a message.");
    }
    if (crc32(payload) != get(fields, 8)) return Status(Code::corrupt, "a message fails its checksum.");
    return payload;
}

}  // namespace flashwave
