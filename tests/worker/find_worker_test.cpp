#include "base/worker_channel.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/file.hpp"
#include "temporary_directory.hpp"

namespace {

using namespace flashwave;
using flashwave::testing::TemporaryDirectory;

void put(const std::string& path) {
    REQUIRE(make_private_directory(directory_of(path)).ok());
    REQUIRE(write_file_atomically(path, "x").ok());
}

TEST_CASE("a ROCm installation is started directly, with the newest of its libraries") {
    const TemporaryDirectory root;
    put(root / "lib/libhiprtc.so.6");
    put(root / "lib/libhiprtc.so.7");
    put(root / "lib/libamd_comgr.so.3");
    const auto launch = find_worker(root.path());
    INFO(launch.status().to_string());
    REQUIRE(launch.ok());
    CHECK(launch->loader.empty());
    CHECK(launch->hiprtc == root / "lib/libhiprtc.so.7");
    CHECK(launch->comgr == root / "lib/libamd_comgr.so.3");
    CHECK(launch->program == std::string(FLASHWAVE_BUILD_DIR) + "/bin/flashwave-worker");
    CHECK(launch->origin == "FLASHWAVE_ROCM=" + root.path());
}

TEST_CASE("a prefix with a C library of its own is started through its loader") {
    const TemporaryDirectory root;
    const std::string libraries = root / "usr/lib/x86_64-linux-gnu";
    put(libraries + "/libhiprtc.so.6");
    put(libraries + "/libamd_comgr.so.3");
    put(libraries + "/ld-linux-x86-64.so.2");
    CHECK(find_worker(root.path()).status().code() == Code::unavailable);  // the loader cannot be executed
    REQUIRE(::chmod((libraries + "/ld-linux-x86-64.so.2").c_str(), 0700) == 0);
    const auto launch = find_worker(root.path());
    REQUIRE(launch.ok());
    CHECK(launch->loader == libraries + "/ld-linux-x86-64.so.2");
    CHECK(launch->library_path == libraries);
}

TEST_CASE("a hiprtc that is too old or lacks comgr does not count, and the sentence says what to do") {
    const TemporaryDirectory root;
    put(root / "lib/libhiprtc.so.5");
    put(root / "lib/libamd_comgr.so.2");
    const Status old = find_worker(root.path()).status();
    CHECK(old.code() == Code::unavailable);
    CHECK(old.message().find(root.path()) != std::string::npos);
    CHECK(old.message().find("scripts/fetch-rocm") != std::string::npos);

    const TemporaryDirectory half;
    put(half / "lib/libhiprtc.so.6");
    CHECK(find_worker(half.path()).status().code() == Code::unavailable);
    CHECK(find_worker("/no/such/rocm").status().code() == Code::unavailable);
}

}  // namespace
