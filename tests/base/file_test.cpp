#include "base/file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "temporary_directory.hpp"

namespace {

using namespace flashwave;
using flashwave::testing::TemporaryDirectory;
namespace fs = std::filesystem;

mode_t mode_of(const std::string& path) {
    struct stat facts {};
    REQUIRE(::lstat(path.c_str(), &facts) == 0);
    return facts.st_mode & 07777;
}

TEST_CASE("what is written is read back, privately and without leftovers") {
    const TemporaryDirectory directory;
    const std::string bytes("a\0b\n", 4);
    const mode_t before = ::umask(0);
    CHECK(write_file_atomically(directory / "file", "old").ok());
    CHECK(write_file_atomically(directory / "file", bytes).ok());
    ::umask(before);
    CHECK(*read_file(directory / "file") == bytes);
    CHECK(mode_of(directory / "file") == 0600);
    CHECK(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a reader sees the old bytes or the new ones") {
    const TemporaryDirectory directory;
    const std::string path = directory / "file";
    const std::string old_bytes(100'000, 'a');
    const std::string new_bytes(200'000, 'b');
    REQUIRE(write_file_atomically(path, old_bytes).ok());
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        for (int i = 0; i < 50; ++i) (void)write_file_atomically(path, i % 2 == 0 ? new_bytes : old_bytes);
        stop = true;
    });
    int torn = 0;
    while (!stop) {
        const auto bytes = read_file(path);
        torn += !bytes.ok() || (*bytes != old_bytes && *bytes != new_bytes);
    }
    writer.join();
    CHECK(torn == 0);
}

TEST_CASE("each failure has its code and names the path") {
    const TemporaryDirectory directory;
    CHECK(read_file(directory / "none").status().code() == Code::not_found);
    CHECK(read_file(directory / "none").status().message().find(directory / "none") != std::string::npos);
    CHECK(write_file_atomically(directory / "none/file", "x").code() == Code::not_found);
    CHECK(read_file(directory.path()).status().code() == Code::corrupt);
    REQUIRE(write_file_atomically(directory / "big", std::string(1000, 'x')).ok());
    CHECK(read_file(directory / "big", 999).status().code() == Code::corrupt);
    CHECK(read_file(directory / "big", 1000).ok());
}

TEST_CASE("reading a FIFO does not wait for a writer") {
    const TemporaryDirectory directory;
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    CHECK(read_file(directory / "fifo").status().code() == Code::corrupt);
}

TEST_CASE("a failed write leaves the file and no temporary") {
    const TemporaryDirectory directory;
    REQUIRE(::mkdir((directory / "target").c_str(), 0700) == 0);
    REQUIRE(write_file_atomically(directory / "target/inside", "x").ok());
    CHECK_FALSE(write_file_atomically(directory / "target", "x").ok());
    CHECK(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a private directory is made with everything above it, whatever the umask") {
    const TemporaryDirectory directory;
    const mode_t before = ::umask(0);
    CHECK(make_private_directory(directory / "a/b/c").ok());
    ::umask(before);
    CHECK(mode_of(directory / "a") == 0700);
    CHECK(mode_of(directory / "a/b/c") == 0700);
    CHECK(make_private_directory(directory / "a/b/c").ok());
}

TEST_CASE("a directory others can write is refused with the command that mends it") {
    const TemporaryDirectory directory;
    REQUIRE(make_private_directory(directory / "a/b").ok());
    REQUIRE(::chmod((directory / "a/b").c_str(), 0777) == 0);
    const Status own = check_private(directory / "a/b");
    CHECK(own.code() == Code::unavailable);
    CHECK(own.message().find("chmod go-w '" + (directory / "a/b") + "'") != std::string::npos);

    REQUIRE(::chmod((directory / "a/b").c_str(), 0700) == 0);
    REQUIRE(::chmod((directory / "a").c_str(), 0770) == 0);
    CHECK(check_private(directory / "a/b").code() == Code::unavailable);
    // Sticky, like /tmp: others may add files, and not replace what is not theirs.
    REQUIRE(::chmod((directory / "a").c_str(), 01777) == 0);
    CHECK(check_private(directory / "a/b").ok());
    REQUIRE(::chmod((directory / "a/b").c_str(), 01777) == 0);
    CHECK(check_private(directory / "a/b").code() == Code::unavailable);
}

TEST_CASE("a directory reached through a link is checked where it really lies") {
    const TemporaryDirectory directory;
    REQUIRE(make_private_directory(directory / "open/inside").ok());
    REQUIRE(::chmod((directory / "open").c_str(), 0777) == 0);
    fs::create_directory_symlink(directory / "open/inside", directory / "link");
    CHECK(check_private(directory / "link").code() == Code::unavailable);
}

TEST_CASE("a directory of another user is refused") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make a file of another user");
        return;
    }
    const TemporaryDirectory directory;
    REQUIRE(make_private_directory(directory / "a").ok());
    REQUIRE(::chown((directory / "a").c_str(), 12345, 12345) == 0);
    const Status status = check_private(directory / "a");
    CHECK(status.code() == Code::unavailable);
    CHECK(status.message().find("belongs to user 12345") != std::string::npos);
}

TEST_CASE("a file in the place of a directory is said so") {
    const TemporaryDirectory directory;
    REQUIRE(write_file_atomically(directory / "file", "x").ok());
    CHECK(make_private_directory(directory / "file").code() == Code::not_found);
    CHECK(make_private_directory(directory / "file/below").code() == Code::not_found);
    CHECK(make_private_directory("").code() == Code::invalid_argument);
}

TEST_CASE("identity follows links and changes with the file") {
    const TemporaryDirectory directory;
    REQUIRE(write_file_atomically(directory / "file", "abc").ok());
    fs::create_symlink(directory / "file", directory / "link");
    const auto first = identify_file(directory / "link");
    REQUIRE(first.ok());
    CHECK(first->real_path == directory / "file");
    CHECK(first->size == 3);
    REQUIRE(write_file_atomically(directory / "file", "abcd").ok());
    CHECK_FALSE(*identify_file(directory / "link") == *first);
}

TEST_CASE("paths are split as a shell would") {
    CHECK(directory_of("/a/b") == "/a");
    CHECK(directory_of("/a/b/") == "/a");
    CHECK(directory_of("/a") == "/");
    CHECK(directory_of("/") == "/");
    CHECK(directory_of("a") == ".");
    CHECK(base_name("/a/b") == "b");
    CHECK(base_name("/a/b/") == "b");
    CHECK(base_name("b") == "b");
    CHECK(base_name("/") == "/");
}

}  // namespace
