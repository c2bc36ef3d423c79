#include "base/frame.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "base/descriptor.hpp"

namespace {

using namespace flashwave;
using namespace std::chrono_literals;

struct Pair {
    Descriptor near;
    Descriptor far;
    Pair() {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        near = Descriptor(ends[0]);
        far = Descriptor(ends[1]);
    }
    void send_raw(std::string_view bytes) {
        REQUIRE(::send(near.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
    }
};

// The bytes of a frame, as they travel.
std::string bytes_of(std::string_view payload) {
    Pair pair;
    REQUIRE(write_frame(pair.near.get(), payload, deadline_after(1s)).ok());
    std::string bytes(12 + payload.size(), '\0');
    REQUIRE(::recv(pair.far.get(), bytes.data(), bytes.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size()));
    return bytes;
}

TEST_CASE("frames arrive whole and in order, empty and large") {
    Pair pair;
    const std::string large(3'000'000, 'x');
    std::thread writer([&] {
        for (const std::string_view payload :
             {std::string_view("first"), std::string_view(), std::string_view(large), std::string_view("\0last", 5)})
            CHECK(write_frame(pair.near.get(), payload, deadline_after(5s)).ok());
    });
    CHECK(*read_frame(pair.far.get(), deadline_after(5s)) == "first");
    CHECK(read_frame(pair.far.get(), deadline_after(5s))->empty());
    CHECK(*read_frame(pair.far.get(), deadline_after(5s)) == large);
    CHECK(*read_frame(pair.far.get(), deadline_after(5s)) == std::string_view("\0last", 5));
    writer.join();
}

TEST_CASE("a pipe serves as well as a socket") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const Descriptor reading(ends[0]);
    const Descriptor writing(ends[1]);
    const std::string payload(300'000, 'p');
    std::thread writer([&] { CHECK(write_frame(writing.get(), payload, deadline_after(5s)).ok()); });
    CHECK(*read_frame(reading.get(), deadline_after(5s)) == payload);
    writer.join();
}

TEST_CASE("the end of the stream differs from an end within a frame") {
    Pair pair;
    pair.send_raw(bytes_of("payload").substr(0, 15));
    pair.near.close();
    CHECK(read_frame(pair.far.get(), deadline_after(1s)).status().code() == Code::io_error);
    CHECK(read_frame(pair.far.get(), deadline_after(1s)).status().code() == Code::not_found);

    Pair header;
    header.send_raw(bytes_of("payload").substr(0, 5));
    header.near.close();
    CHECK(read_frame(header.far.get(), deadline_after(1s)).status().code() == Code::io_error);
}

TEST_CASE("garbage, a false length and a false checksum are corrupt") {
    const std::string beyond("FWF1\xff\xff\xff\xff\0\0\0\0", 12);
    for (const std::string& bytes : {std::string("this is no frame at all"), beyond,
                                     bytes_of("payload").replace(14, 1, "X"), bytes_of("payload").replace(8, 1, "X")}) {
        Pair pair;
        pair.send_raw(bytes);
        CHECK(read_frame(pair.far.get(), deadline_after(200ms)).status().code() == Code::corrupt);
    }
    Pair pair;
    pair.send_raw(bytes_of("payload"));
    CHECK(read_frame(pair.far.get(), deadline_after(1s), 6).status().code() == Code::corrupt);
}

TEST_CASE("no random bytes are taken for a frame, crash or block beyond the deadline") {
    std::mt19937 random(7);
    const std::string good = bytes_of("a payload that is long enough to be cut anywhere");
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = good;
        // Cut somewhere, flip some bits, or add a tail: whatever changes must not come back as a frame.
        const std::size_t cut = random() % (bytes.size() + 1);
        if (round % 3 == 0) bytes.resize(cut);
        else
            for (int flips = 1 + round % 4; flips > 0; --flips)
                bytes[random() % bytes.size()] ^= static_cast<char>(1u << (random() % 8));
        if (bytes == good) continue;
        Pair pair;
        if (!bytes.empty()) pair.send_raw(bytes);
        pair.near.close();
        CHECK_FALSE(read_frame(pair.far.get(), deadline_after(1s)).ok());
    }
}

TEST_CASE("reading and writing end at the deadline") {
    Pair pair;
    const auto begin = std::chrono::steady_clock::now();
    CHECK(read_frame(pair.far.get(), deadline_after(50ms)).status().code() == Code::deadline);
    // Nobody reads: the buffers of the socket are full after some hundred kilobytes.
    CHECK(write_frame(pair.near.get(), std::string(50'000'000, 'x'), deadline_after(50ms)).code() == Code::deadline);
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
}

TEST_CASE("writing to nobody is an error and not a signal") {
    Pair pair;
    pair.far.close();
    CHECK(write_frame(pair.near.get(), "x", deadline_after(1s)).code() == Code::io_error);
}

TEST_CASE("a message longer than the limit is not begun") {
    Pair pair;
    CHECK(write_frame(pair.near.get(), "1234567", deadline_after(1s), 6).code() == Code::invalid_argument);
    REQUIRE(write_frame(pair.near.get(), "123456", deadline_after(1s), 6).ok());
    CHECK(*read_frame(pair.far.get(), deadline_after(1s), 6) == "123456");
}

}  // namespace
