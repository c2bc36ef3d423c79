#include "base/file_lock.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "temporary_directory.hpp"

namespace {

using namespace flashwave;
using flashwave::testing::TemporaryDirectory;
using namespace std::chrono_literals;
using Kind = FileLock::Kind;

TEST_CASE("an exclusive lock keeps everybody else out, also in the same process") {
    const TemporaryDirectory directory;
    const std::string path = directory / "lock";
    std::optional<FileLock> held = std::move(*FileLock::acquire(path, Kind::exclusive, kNoDeadline));
    CHECK(FileLock::acquire(path, Kind::exclusive, deadline_after(20ms)).status().code() == Code::busy);
    CHECK(FileLock::acquire(path, Kind::shared, deadline_after(0ms)).status().code() == Code::busy);
    held.reset();
    CHECK(FileLock::acquire(path, Kind::exclusive, deadline_after(0ms)).ok());
}

TEST_CASE("readers share, a writer waits for them until its deadline") {
    const TemporaryDirectory directory;
    const std::string path = directory / "lock";
    const auto first = FileLock::acquire(path, Kind::shared, kNoDeadline);
    const auto second = FileLock::acquire(path, Kind::shared, deadline_after(0ms));
    CHECK(first.ok());
    CHECK(second.ok());
    const auto begin = std::chrono::steady_clock::now();
    CHECK(FileLock::acquire(path, Kind::exclusive, deadline_after(50ms)).status().code() == Code::busy);
    CHECK(std::chrono::steady_clock::now() - begin >= 50ms);
}

TEST_CASE("different bytes are different locks") {
    const TemporaryDirectory directory;
    const std::string path = directory / "lock";
    const auto first = FileLock::acquire(path, Kind::exclusive, kNoDeadline, 64);
    CHECK(FileLock::acquire(path, Kind::exclusive, deadline_after(0ms), 65).ok());
    CHECK(FileLock::acquire(path, Kind::exclusive, deadline_after(0ms), (std::uint64_t{1} << 40) + 64).ok());
    CHECK_FALSE(FileLock::acquire(path, Kind::exclusive, deadline_after(0ms), 64).ok());
}

TEST_CASE("closing another descriptor of the file does not let go") {
    const TemporaryDirectory directory;
    const std::string path = directory / "lock";
    const auto held = FileLock::acquire(path, Kind::exclusive, kNoDeadline);
    ::close(::open(path.c_str(), O_RDWR));
    CHECK_FALSE(FileLock::acquire(path, Kind::exclusive, deadline_after(0ms)).ok());
}

TEST_CASE("the kernel lets go when a holder is killed") {
    const TemporaryDirectory directory;
    const std::string path = directory / "lock";
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto held = FileLock::acquire(path, Kind::exclusive, kNoDeadline);
        const char one = held.ok() ? 'y' : 'n';
        if (::write(ready[1], &one, 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    CHECK_FALSE(FileLock::acquire(path, Kind::exclusive, deadline_after(0ms)).ok());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(FileLock::acquire(path, Kind::exclusive, deadline_after(1000ms)).ok());
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("the lock file is private and no link is followed") {
    const TemporaryDirectory directory;
    REQUIRE(FileLock::acquire(directory / "lock", Kind::exclusive, kNoDeadline).ok());
    struct stat facts {};
    REQUIRE(::stat((directory / "lock").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
    REQUIRE(::symlink((directory / "lock").c_str(), (directory / "link").c_str()) == 0);
    CHECK_FALSE(FileLock::acquire(directory / "link", Kind::exclusive, kNoDeadline).ok());
    CHECK(FileLock::acquire(directory / "none/lock", Kind::exclusive, kNoDeadline).status().code() == Code::not_found);
}

}  // namespace
