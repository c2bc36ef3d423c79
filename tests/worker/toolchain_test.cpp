#include "compile/toolchain.hpp"

#include <filesystem>
#include <fstream>

#include "temporary_directory.hpp"
#include "compile/kernel_files.hpp"
#include "worker/compiler.hpp"

namespace {

using namespace flashwave;
using flashwave::testing::TemporaryDirectory;
namespace fs = std::filesystem;

WorkerIdentity sample() {
    return {.protocol = "1",
            .compiler = "clang 21",
            .comgr_version = "3.0",
            .hiprtc_version = "9.0",
            .libraries = {{"libamd_comgr.so.3", "/a/libamd_comgr.so.3", "aa"},
                          {"libhiprtc.so.6", "/a/libhiprtc.so.6", "bb"}}};
}

TEST_CASE("the fingerprint follows compiler, libraries and kernel sources, and not where they lie") {
    const Digest sources = sha256("sources");
    const Digest print = toolchain_fingerprint(sample(), sources);
    CHECK(toolchain_fingerprint(sample(), sha256("other sources")) != print);
    WorkerIdentity changed = sample();
    changed.compiler = "clang 22";
    CHECK(toolchain_fingerprint(changed, sources) != print);
    changed = sample();
    changed.libraries[1].build_id = "bc";
    CHECK(toolchain_fingerprint(changed, sources) != print);
    changed = sample();
    changed.libraries.pop_back();
    CHECK(toolchain_fingerprint(changed, sources) != print);
    changed = sample();
    changed.libraries[1].path = "/b/libhiprtc.so.6";
    CHECK(toolchain_fingerprint(changed, sources) == print);
}

TEST_CASE("a second process is told by the file and starts no worker") {
    const auto launch = compiler_here();
    if (!launch) return;
    const TemporaryDirectory cache;
    WorkerPool first({.workers = 1, .launch = launch});
    const auto asked = identify_toolchain(first, cache.path(), soon());
    INFO(asked.status().to_string());
    REQUIRE(asked.ok());
    CHECK_FALSE(asked->remembered);
    CHECK(first.workers_started() == 1);

    WorkerPool second({.workers = 1, .launch = launch});
    const auto told = identify_toolchain(second, cache.path(), soon());
    REQUIRE(told.ok());
    CHECK(told->remembered);
    CHECK(second.workers_started() == 0);
    CHECK(told->fingerprint == asked->fingerprint);
    CHECK(told->identity.compiler == asked->identity.compiler);
    CHECK(told->identity.libraries.size() == asked->identity.libraries.size());
}

TEST_CASE("a damaged, outdated or missing file is replaced, an unwritable directory only costs the asking") {
    const auto launch = compiler_here();
    if (!launch) return;
    const TemporaryDirectory cache;
    WorkerPool pool({.workers = 1, .launch = launch});
    const auto first = identify_toolchain(pool, cache.path(), soon());
    REQUIRE(first.ok());
    const std::string path = cache / "toolchain.json";
    const std::string good = *read_file(path);

    std::vector<std::string> wrong{
        "", "{", "[]", "null", "{\"format\":1}", std::string(3'000'000, ' '), good.substr(0, good.size() / 2)};
    for (const char* member : {"modified_ns", "size", "path", "hiprtc", "libraries"}) {
        std::string changed = good;
        const std::size_t at = changed.find(member);
        REQUIRE(at != std::string::npos);
        changed.replace(at, 1, "X");
        wrong.push_back(changed);
    }
    for (const std::string& text : wrong) {
        CAPTURE(text.substr(0, 200));
        REQUIRE(write_file_atomically(path, text).ok());
        const auto again = identify_toolchain(pool, cache.path(), soon());
        REQUIRE(again.ok());
        CHECK_FALSE(again->remembered);
        CHECK(again->fingerprint == first->fingerprint);
        CHECK(*read_file(path) == good);
    }
    const auto nowhere = identify_toolchain(pool, "/no/such/directory", soon());
    REQUIRE(nowhere.ok());
    CHECK(nowhere->fingerprint == first->fingerprint);
    CHECK_FALSE(identify_toolchain(pool, "", soon())->remembered);
}

TEST_CASE("a library that was replaced is noticed") {
    const auto launch = compiler_here();
    if (!launch) return;
    const TemporaryDirectory place;
    // The same libraries under links of our own, which an upgrade would point elsewhere.
    WorkerLaunch linked = *launch;
    linked.hiprtc = place / base_name(launch->hiprtc);
    fs::create_symlink(fs::canonical(launch->hiprtc), linked.hiprtc);
    WorkerPool pool({.workers = 1, .launch = linked});
    REQUIRE(identify_toolchain(pool, place.path(), soon()).ok());
    CHECK(identify_toolchain(pool, place.path(), soon())->remembered);
    fs::remove(linked.hiprtc);
    fs::copy_file(fs::canonical(launch->hiprtc), linked.hiprtc);
    pool.stop_idle();
    const auto after = identify_toolchain(pool, place.path(), soon());
    REQUIRE(after.ok());
    CHECK_FALSE(after->remembered);
}

TEST_CASE("without a compiler there is no toolchain") {
    WorkerPoolOptions options;
    options.launch = launch_without_rocm();
    WorkerPool pool(options);
    CHECK(identify_toolchain(pool, "", soon()).status().code() == Code::unavailable);
}

}  // namespace
