// `hipemu run`: a launch described in JSON, run on the emulator; its results, its instructions and where its cycles went.
#include <cstdlib>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "hipemu_command/command.hpp"
#include "hipemu_command/run_report.hpp"

namespace hipemu::command {

using flashwave::Result;

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  hipemu run saxpy.json\n"
    "  hipemu run saxpy.json --device strixhalo --hot 20\n"
    "  hipemu run saxpy.json --json | jq .cycles\n"
    "A whole saxpy.json:\n"
    "  {\"source\": \"saxpy.hip\", \"kernel\": \"saxpy\", \"grid\": 4, \"block\": 256, \"arguments\": [\n"
    "    {\"type\": \"f32\", \"value\": 2},\n"
    "    {\"type\": \"f32\", \"shape\": 1000, \"fill\": \"uniform\", \"seed\": 1},\n"
    "    {\"name\": \"y\", \"npy\": \"y.npy\", \"out\": \"result.npy\", \"expect\": \"reference.npy\", \"tolerance\": 1e-6},\n"
    "    {\"type\": \"i32\", \"value\": 1000}]}\n"
    "docs/emulator.md has every key.";

struct RunFlags {
    std::string path;
    std::string device, kernel, strict;
    std::optional<std::uint64_t> sample;
    std::optional<std::uint32_t> repeat;
    ReportOptions report;
    bool json = false;
};

Result<int> run(const RunFlags& flags) {
    auto launch = read_launch(flags.path);
    if (!launch.ok()) return launch.status();
    if (!flags.device.empty()) launch->device = flags.device;
    if (!flags.kernel.empty()) launch->kernel = flags.kernel;
    if (!flags.strict.empty()) launch->strict = flags.strict;
    if (flags.sample) launch->sample = flags.sample;
    if (flags.repeat) launch->repeat = *flags.repeat;
    if (launch->repeat == 0) return flashwave::cli::bad_flag("--repeat", "0", "a number from 1 is needed");

    // Findings are part of the report; the emulator need not print them, too.
    setenv("HIPEMU_QUIET", "1", 0);
    const auto measured = measure(*launch);
    if (!measured.ok()) return measured.status();
    if (measured->finding.empty())
        for (const LaunchBuffer& buffer : measured->buffers) FLASHWAVE_RETURN_IF_ERROR(buffer.write_out());
    const std::string text =
        flags.json ? to_json(*measured, *launch, flags.report) + "\n" : to_text(*measured, *launch, flags.report);
    fmt::print("{}", text);
    return passed(*measured) ? kDone : kFailed;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<RunFlags>();
    CLI::App* command =
        app.add_subcommand("run", "Run a launch described in a JSON file: results, instructions, cycles and where they went");
    command->add_option("launch", flags->path, "The file")->option_text("LAUNCH.json")->required();
    command
        ->add_option("--device", flags->device,
                     "The card, by name or gfx target; `hipemu cards` lists them [the file's, gfx1100]")
        ->option_text("CARD");
    command->add_option("--kernel", flags->kernel, "The kernel [the file's, or the only one]")->option_text("NAME");
    command->add_option("--sample", flags->sample, "Run about so many work-groups and scale the time; outputs are incomplete")
        ->option_text("N");
    command->add_option("--repeat", flags->repeat, "Launches; contents of buffers are put back before each [1]")
        ->option_text("N");
    command->add_option("--strict", flags->strict, "The checks, as HIPEMU_STRICT names them [all]")->option_text("LIST");
    command->add_option("--hot", flags->report.hot, "Show the instructions that took the most time, so many of them [0]")
        ->option_text("N");
    command->add_option("--values", flags->report.values, "Show so many elements of each buffer [4]")->option_text("N");
    // CLI11 would take -1 for the largest number there is.
    for (const char* flag : {"--sample", "--repeat", "--hot", "--values"})
        command->get_option(flag)->check(CLI::Validator(
            [](std::string& text) { return text.starts_with('-') ? text + " is not a number from 0 up" : std::string(); }, ""));
    command->add_flag("--json", flags->json, "One JSON object on stdout");
    command->footer(kExamples);
    command->callback([flags, &exit_code] {
        const auto code = run(*flags);
        exit_code = code.ok() ? *code : report_failure(code.status(), flags->json);
    });
}

}  // namespace hipemu::command
