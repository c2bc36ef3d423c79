// A file a user asked for is whole or not there.
#include "command_line/output_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "temporary_directory.hpp"

namespace flashwave::cli {
namespace {

std::size_t files_in(const std::string& directory) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is replaced as a whole and nothing else is left") {
    const testing::TemporaryDirectory directory;
    const std::string path = directory / "out.npy";
    REQUIRE(write_output_file(path, "first, and longer").ok());
    REQUIRE(write_output_file(path, "second").ok());
    CHECK(read_file(path).value() == "second");
    CHECK(files_in(directory.path()) == 1);
}

TEST_CASE("a failed write leaves the old file and no part of the new one") {
    const testing::TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "taken");
    std::ofstream(directory / "taken/inside") << "x";
    CHECK_FALSE(write_output_file(directory / "nowhere/out.npy", "bytes").ok());
    // The rename fails, since a directory that is not empty stands there.
    CHECK_FALSE(write_output_file(directory / "taken", "bytes").ok());
    CHECK(files_in(directory.path()) == 1);
    CHECK(read_file(directory / "taken/inside").value() == "x");
}

TEST_CASE("a device is written to and stays a device") {
    REQUIRE(write_output_file("/dev/null", "bytes").ok());
    CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("a path that cannot work is refused before the work begins") {
    const testing::TemporaryDirectory directory;
    CHECK(check_output_file("--out", directory / "out.npy").ok());
    CHECK(check_output_file("--out", "/dev/null").ok());
    CHECK(check_output_file("--out", "").code() == Code::invalid_argument);
    CHECK(check_output_file("--out", directory.path()).message().find("that is a directory") != std::string::npos);
    const Status status = check_output_file("--out", directory / "no/out.npy");
    CHECK(status.code() == Code::invalid_argument);
    CHECK(status.message().find("--out is '" + (directory / "no/out.npy")) != std::string::npos);
}

}  // namespace flashwave::cli
