// `flashwave doctor` on machines that have everything and on machines that lack something.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/worker_channel.hpp"
#include "program.hpp"

namespace {

using namespace flashwave;
using namespace flashwave::cli::test;

nlohmann::json finding(const nlohmann::json& report, const std::string& part, const std::string& verdict) {
    for (const nlohmann::json& one : report.at("findings"))
        if (one.at("part") == part && one.at("verdict") == verdict) return one;
    FAIL("no finding of ", part, " that is ", verdict, " in ", report.dump(1));
    return {};
}

TEST_CASE("doctor finds compiler, targets, emulator and cache, and exits 0 where nothing is missing") {
    const TemporaryDirectory cache;
    const Run run = run_flashwave(cache.path(), {"doctor", "--json"});
    const nlohmann::json report = run.json();
    if (!find_worker().ok()) {
        MESSAGE("no compiler on this machine: ", find_worker().status().message());
        CHECK(run.exit_code == 3);
        finding(report, "compiler", "missing");
        return;
    }
    INFO(report.dump(1));
    CHECK(run.exit_code == 0);
    CHECK(report.at("ok") == true);
    const nlohmann::json& compiler = report.at("compiler");
    CHECK(compiler.at("name").get<std::string>().find("lang") != std::string::npos);
    const auto targets = compiler.at("targets").get<std::vector<std::string>>();
    CHECK(std::find(targets.begin(), targets.end(), "gfx1100") != targets.end());
    bool hiprtc = false;
    for (const nlohmann::json& library : compiler.at("libraries"))
        hiprtc = hiprtc || library.at("name").get<std::string>().starts_with("libhiprtc");
    CHECK(hiprtc);
    const nlohmann::json& devices = report.at("devices");
    CHECK(std::any_of(devices.begin(), devices.end(), [](const nlohmann::json& device) {
        return device.at("name") == "emulated:gfx1100" && device.at("target") == "gfx1100";
    }));
    CHECK(finding(report, "cache", "ok").at("text").get<std::string>().find("locks work") != std::string::npos);
    finding(report, "disassembler", "ok");
}

TEST_CASE("doctor without a compiler says how to get one and exits 3") {
    const TemporaryDirectory cache;
    const Run json = run_flashwave(cache.path(), {"doctor", "--json"}, {}, {"FLASHWAVE_ROCM=/no/such/rocm"});
    CHECK(json.exit_code == 3);
    CHECK(json.json().at("ok") == false);
    const nlohmann::json compiler = finding(json.json(), "compiler", "missing");
    CHECK(compiler.at("text").get<std::string>().find("/no/such/rocm") != std::string::npos);
    CHECK(compiler.at("remedy").get<std::string>().find("fetch-rocm") != std::string::npos);

    const Run text = run_flashwave(cache.path(), {"doctor"}, {}, {"FLASHWAVE_ROCM=/no/such/rocm"});
    CHECK(text.exit_code == 3);
    CHECK(contains(text.out, "MISSING  compiler"));
    CHECK(contains(text.out, "-> run "));
    CHECK(contains(text.out, "missing.\n"));
}

TEST_CASE("doctor names programs, devices and values that are wrong") {
    const TemporaryDirectory cache;
    const std::vector<std::string> wrong{"FLASHWAVE_ROCM=/no/such/rocm", "FLASHWAVE_LIBEXEC=/no/such/libexec",
                                         "FLASHWAVE_WORKERS=many", "FLASHWAVE_DEVICE=hip:77"};
    auto options = flashwave_process(cache.path(), {"doctor", "--json"}, wrong);
    std::erase(options.environment, "FLASHWAVE_DEVICE=");
    const auto output = run_process(options, {}, deadline_after(std::chrono::minutes(2)));
    REQUIRE(output.ok());
    CHECK(output->end.exit_code == 3);
    const auto report = nlohmann::json::parse(output->output);
    CHECK(finding(report, "tuner", "missing").at("text").get<std::string>().find("/no/such/libexec") !=
          std::string::npos);
    CHECK(finding(report, "settings", "note").at("text").get<std::string>().find("FLASHWAVE_WORKERS=many") !=
          std::string::npos);
    CHECK(finding(report, "default device", "missing").at("text").get<std::string>().find("hip:77") !=
          std::string::npos);
}

TEST_CASE("doctor says why a cache directory is not used") {
    const TemporaryDirectory directory;
    const std::string open = directory.path() + "/open";
    REQUIRE(make_private_directory(open).ok());
    REQUIRE(::chmod(open.c_str(), 0777) == 0);
    const std::vector<std::string> no_compiler{
        "FLASHWAVE_ROCM=/no/such/rocm"};  // not what is looked at here, and slower
    const auto text_of = [&](const std::string& cache, const std::string& verdict) {
        return finding(run_flashwave(cache, {"doctor", "--json"}, {}, no_compiler).json(), "cache", verdict)
            .at("text")
            .get<std::string>();
    };
    CHECK(text_of(open, "missing").find("chmod go-w '" + open + "'") != std::string::npos);
    CHECK(text_of(directory.path() + "/not/yet", "ok").find("made at the first call") != std::string::npos);
    CHECK_FALSE(is_directory(directory.path() + "/not"));
    CHECK(text_of(":memory:", "note").find("keeps nothing") != std::string::npos);

    const std::string damaged = directory.path() + "/damaged";
    REQUIRE(make_private_directory(damaged).ok());
    REQUIRE(write_file_atomically(damaged + "/cache.db", "SQLite format 3 this is not").ok());
    CHECK(text_of(damaged, "missing").find(damaged) != std::string::npos);
}

}  // namespace
