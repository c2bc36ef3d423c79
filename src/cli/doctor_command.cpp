// `flashwave doctor`: the report as text for people and as one JSON object for programs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/settings.hpp"
#include "cli/command.hpp"
#include "cli/doctor.hpp"
#include "flashwave/version.hpp"

namespace flashwave::cli {
namespace {

std::string_view word(Verdict verdict) {
    switch (verdict) {
        case Verdict::good: return "ok";
        case Verdict::note: return "note";
        case Verdict::missing: return "MISSING";
    }
    return "MISSING";
}

std::string_view json_word(Verdict verdict) { return verdict == Verdict::missing ? "missing" : word(verdict); }

}  // namespace

std::string to_text(const DoctorReport& report) {
    std::size_t width = 0;
    for (const Finding& finding : report.findings) width = std::max(width, finding.part.size());
    std::string text;
    for (const Finding& finding : report.findings) {
        text += fmt::format("{:<8} {:<{}}  {}\n", word(finding.verdict), finding.part, width, finding.text);
        if (!finding.remedy.empty()) text += fmt::format("{:<8} {:<{}}  -> {}\n", "", "", width, finding.remedy);
    }
    const auto lacking = std::count_if(report.findings.begin(), report.findings.end(),
                                       [](const Finding& finding) { return finding.verdict == Verdict::missing; });
    text += lacking == 0 ? "Nothing is missing.\n"
                         : fmt::format("{} of these {} missing.\n", lacking, lacking == 1 ? "is" : "are");
    return text;
}

std::string to_json(const DoctorReport& report) {
    using Json = nlohmann::ordered_json;
    Json findings = Json::array();
    for (const Finding& finding : report.findings)
        findings.push_back({{"part", finding.part},
                            {"verdict", json_word(finding.verdict)},
                            {"text", finding.text},
                            {"remedy", finding.remedy}});
    Json devices = Json::array();
    for (const DoctorDevice& device : report.devices)
        devices.push_back({{"name", device.name}, {"model", device.model}, {"target", device.target}});
    Json libraries = Json::array();
    for (const ToolchainLibrary& library : report.compiler.libraries)
        libraries.push_back({{"name", library.name}, {"path", library.path}, {"build_id", library.build_id}});
    const Json object = {
        {"ok", report.exit_code() == kDone},
        {"version", version()},
        {"hip_library", report.hip_library},
        {"emulator_library", report.emulator_library},
        {"devices", devices},
        {"compiler",
         {{"worker", report.worker},
          {"rocm", report.rocm},
          {"name", report.compiler.compiler},
          {"comgr_version", report.compiler.comgr_version},
          {"libraries", libraries},
          {"targets", report.targets}}},
        {"cache", {{"directory", report.cache_directory}, {"file_system", report.cache_file_system}}},
        {"findings", findings},
    };
    // Names and paths come from outside and may hold bytes that are not UTF-8.
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_doctor(CLI::App& app, int& exit_code) {
    struct Flags {
        DoctorOptions options{.cache_directory = settings().cache_directory};
        bool json = false;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command =
        app.add_subcommand("doctor", "Say what this machine has and lacks, and the command that mends it");
    command->add_option("--cache-dir", flags->options.cache_directory, "Directory of the cache")->option_text("DIR");
    command->add_flag("--all-targets", flags->options.all_targets,
                      "Try every target the compiler names (a few seconds)");
    command->add_flag("--json", flags->json, "One JSON object on stdout");
    command->footer(
        "Exit code: 0 nothing is missing, 3 something is.\n"
        "Examples:\n"
        "  flashwave doctor\n"
        "  flashwave doctor --all-targets --json");
    command->callback([flags, &exit_code] {
        const DoctorReport report = make_doctor_report(flags->options);
        if (flags->json) fmt::print("{}\n", to_json(report));
        else fmt::print("{}", to_text(report));
        exit_code = report.exit_code();
    });
}

}  // namespace flashwave::cli
