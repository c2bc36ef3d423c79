// The example of examples/hip_module: a HIP program that is not ours in style runs unchanged where the emulator answers to libamdhip64.
#include "program.hpp"

namespace hipemu::command::test {

TEST_CASE("a plain HIP module-API program runs on the emulator unchanged") {
    const LaunchFolder folder;
    const std::string source = FLASHWAVE_SOURCE_DIR "/examples/hip_module/kernels.hip";
    const Run compiled = run_hipemu({"compile", source, "--out", folder.path("kernels.co")});
    REQUIRE_MESSAGE(compiled.exit_code == 0, compiled.err);

    flashwave::ProcessOptions options{.program = FLASHWAVE_BUILD_DIR "/bin/hip_module",
                                      .arguments = {folder.path("kernels.co")},
                                      .environment = {"LD_LIBRARY_PATH=" FLASHWAVE_BUILD_DIR "/lib/hipemu",
                                                      "HIPEMU_CACHE_DIR=" FLASHWAVE_BUILD_DIR "/test-listings"},
                                      .inherit_environment = true};
    const auto run = flashwave::run_process(options, {}, flashwave::deadline_after(std::chrono::minutes(3)));
    REQUIRE_MESSAGE(run.ok(), run.status().message());
    CHECK_MESSAGE(run->end.succeeded(), run->end.sentence(), "\n", run->error_output);
    CHECK(contains(run->output, "(emulated)"));
    CHECK(contains(run->output, "vector_add: 0 of 65536 elements wrong\n"));
    CHECK(contains(run->output, "reduce: 1670"));
}

TEST_CASE("a code object is compiled with the options that follow --, or the compiler's complaint is told") {
    const LaunchFolder folder;
    const std::string source = folder.write("saxpy.hip", kSaxpy);
    CHECK(run_hipemu({"compile", source, "--out", folder.path("k.co"), "--target", "gfx1151", "--", "-O3", "-g"}).exit_code == 0);
    const auto listed = run_hipemu({"list", folder.path("k.co"), "--json"}).json();
    CHECK(listed["target"] == "gfx1151");
    CHECK(listed["source_lines"] == true);
    const Run refused = run_hipemu({"compile", folder.write("bad.hip", "int x = y;\n"), "--out", folder.path("bad.co")});
    CHECK(refused.exit_code == 1);
    CHECK(contains(refused.err, "bad.hip:1: use of undeclared identifier 'y'"));
    const Run target = run_hipemu({"compile", source, "--out", folder.path("k.co"), "--target", "gfx9999"});
    CHECK(target.exit_code == 2);
    CHECK(contains(target.err, "gfx9999"));
}

}  // namespace hipemu::command::test
