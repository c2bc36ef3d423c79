#include "base/file_system.hpp"

#include <doctest/doctest.h>

#include "base/file.hpp"
#include "temporary_directory.hpp"

namespace {

using namespace flashwave;
using flashwave::testing::TemporaryDirectory;

TEST_CASE("the file system of a path that is not there yet is that of what is above it") {
    const TemporaryDirectory directory;
    const auto here = file_system_of(directory.path());
    const auto below = file_system_of(directory / "not/yet/there");
    REQUIRE(here.ok());
    REQUIRE(below.ok());
    CHECK_FALSE(here->type.empty());
    CHECK(below->type == here->type);
    CHECK(file_system_of("/proc").ok());
    CHECK(file_system_of("no such relative path").ok());
}

TEST_CASE("memory is a local file system") {
    const auto shared_memory = file_system_of("/dev/shm");
    REQUIRE(shared_memory.ok());
    if (shared_memory->type == "tmpfs") CHECK(shared_memory->kind == FileSystemKind::local);
}

TEST_CASE("this program knows where it lies") {
    CHECK(own_directory() == std::string(FLASHWAVE_BUILD_DIR) + "/bin");
    CHECK(find_program("base_tests").ok());
}

TEST_CASE("a program that is nowhere is said to be, with the places") {
    const auto none = find_program("no-such-program");
    CHECK(none.status().code() == Code::not_found);
    CHECK(none.status().message().find(own_directory()) != std::string::npos);
    CHECK(none.status().message().find("FLASHWAVE_LIBEXEC") != std::string::npos);
}

}  // namespace
