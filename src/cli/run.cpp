// `flashwave run`: one attention call from seeded or given inputs, timed, checked against fp64 on request.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/call_check.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "command_line/output_file.hpp"
#include "cli/problem.hpp"
#include "cli/process_clock.hpp"
#include "cli/progress_line.hpp"
#include "cli/runtime_flags.hpp"
#include "cli/timed_call.hpp"

namespace flashwave::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  flashwave run --device emulated:gfx1100 --seq-q 512 --dim 64 --causal bottom_right --check\n"
    "  flashwave run --device hip:0 --dtype bf16 --batch 2 --heads 32 --kv-heads 8 --seq-q 4096 --repeat 20 --json\n"
    "  flashwave run --device emulated:gfx1100 --q q.npy --k k.npy --v v.npy --causal bottom_right --out o.npy "
    "--lse-out lse.npy";

struct RunFlags {
    ProblemFlags problem;
    RuntimeFlags runtime;
    InputPaths inputs;
    std::string out, lse_out;
    std::uint64_t seed = 1;
    int repeat = 1;
    bool check = false;
    bool json = false;
};

/// All that is told about a run.
struct Report {
    Problem problem;
    std::string device;
    DeviceInfo facts;
    std::string cache_dir;
    ForwardInfo info = {};  // views into the Runtime
    double ready_ms = 0;
    double time_us = 0;
    int repeat = 1;
    std::optional<CheckResult> check = std::nullopt;

    double tflops() const { return time_us > 0 ? flops_of(problem) / time_us * 1e-6 : 0; }
};

nlohmann::ordered_json to_json(const Report& report) {
    using nlohmann::ordered_json;
    const auto checked = [&](auto value) { return report.check ? ordered_json(value(*report.check)) : ordered_json(); };
    return {
        {"device", report.device},
        {"device_name", report.facts.name},
        {"target", report.facts.target},
        {"modelled", report.info.modelled},
        {"key", report.info.key},
        {"plan_source", name(report.info.source)},
        {"compiles", report.info.compiles},
        {"candidates", report.info.candidates},
        {"geometry", report.info.geometry},
        {"kernel", report.info.kernel},
        {"ready_ms", report.ready_ms},
        {"time_us", report.time_us},
        {"tflops", report.tflops()},
        {"repeat", report.repeat},
        {"max_error", checked([](const CheckResult& c) { return c.output.max_error; })},
        {"error_bound", checked([](const CheckResult& c) { return c.output.bound; })},
        {"lse_error", checked([](const CheckResult& c) { return c.lse.max_error; })},
        {"lse_bound", checked([](const CheckResult& c) { return c.lse.bound; })},
        {"rows_checked", checked([](const CheckResult& c) { return c.rows; })},
        {"passed", checked([](const CheckResult& c) { return c.passed(); })},
        {"cache", report.cache_dir},
    };
}

void print_for_people(const Report& report) {
    const char* kind = kind_of_time(report.info.modelled).data();
    const auto line = [](const char* title, const std::string& text) { fmt::print("{:<9} {}\n", title, text); };
    line("device",
         fmt::format("{} ({}, {}, {} compute units){}", report.device, report.facts.name, report.facts.target,
                     report.facts.compute_units, report.info.modelled ? ": times are modelled by the emulator" : ""));
    if (report.info.key.empty()) {
        line("time", "nothing to compute: batch or seq_q is 0");
    } else {
        line("key", std::string(report.info.key));
        line("plan", fmt::format("{}: {} compiled, {} candidates tried", name(report.info.source), report.info.compiles,
                                 report.info.candidates));
        line("geometry", fmt::format("{} ({})", short_geometry(report.info.geometry), report.info.geometry));
        line("ready", fmt::format("{:.1f} ms after the process started", report.ready_ms));
        line("time", fmt::format("{:.1f} us {}, {:.2f} TFLOP/s {}", report.time_us, kind, report.tflops(), kind));
    }
    if (report.check) line("check", report.check->sentence());
    line("cache", report.cache_dir.empty() ? "none: nothing is kept" : report.cache_dir);
}

Status check_outputs(const RunFlags& flags) {
    if (!flags.out.empty()) FLASHWAVE_RETURN_IF_ERROR(check_output_file("--out", flags.out));
    if (!flags.lse_out.empty()) FLASHWAVE_RETURN_IF_ERROR(check_output_file("--lse-out", flags.lse_out));
    if (flags.repeat < 1) return bad_flag("--repeat", std::to_string(flags.repeat), "a number from 1 is needed");
    return {};
}

Result<Problem> make_problem(const RunFlags& flags, std::optional<Inputs>& inputs) {
    auto problem = flags.problem.over(Problem{});
    if (!problem) return problem.status();
    if (flags.inputs.any()) {
        auto files = read_inputs(flags.inputs, flags.problem, *problem);
        if (!files) return files.status();
        inputs = *std::move(files);
    }
    *problem = settled(*problem);
    FLASHWAVE_RETURN_IF_ERROR(check_problem(*problem));
    return problem;
}

Result<int> run(const RunFlags& flags) {
    std::optional<Inputs> inputs;
    const auto problem = make_problem(flags, inputs);
    if (!problem) return problem.status();
    FLASHWAVE_RETURN_IF_ERROR(check_outputs(flags));

    ProgressLine progress;
    auto runtime = flags.runtime.open(progress, [&](const std::string& step) { progress.show("tuning: " + step); });
    if (!runtime) return runtime.status();
    Report report{.problem = *problem,
                  .device = flags.runtime.device(),
                  .facts = runtime->device(),
                  .cache_dir = runtime->cache_dir(),
                  .repeat = flags.repeat};
    const auto shapes = make_args(*problem, {});
    const Status warmed = runtime->warm(*shapes, &report.info);
    progress.clear();
    FLASHWAVE_RETURN_IF_ERROR(warmed);
    // All that is left to do before the first launch is to fill the tensors, which a program has at hand.
    report.ready_ms = milliseconds_since_start();

    if (!inputs) inputs = seeded_inputs(*problem, flags.seed);
    const bool want_lse = flags.check || !flags.lse_out.empty();
    auto outputs = timed_call(*runtime, report.device, *problem, *inputs, want_lse, flags.repeat);
    if (!outputs) return outputs.status();
    report.time_us = outputs->median_us;
    if (outputs->info.launched && outputs->info.geometry != report.info.geometry) {
        report.info.source = outputs->info.source;
        report.info.geometry = outputs->info.geometry;
        report.info.kernel = outputs->info.kernel;
    }
    if (flags.check) report.check = check_call(*problem, *inputs, *outputs);
    if (!flags.out.empty()) FLASHWAVE_RETURN_IF_ERROR(write_output(flags.out, *problem, outputs->o));
    if (!flags.lse_out.empty()) FLASHWAVE_RETURN_IF_ERROR(write_lse(flags.lse_out, *problem, outputs->lse));

    if (flags.json) fmt::print("{}\n", to_json(report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    else print_for_people(report);
    return report.check && !report.check->passed() ? kFailed : kDone;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<RunFlags>();
    CLI::App* command =
        app.add_subcommand("run", "Compute attention once: time, plan and, with --check, the error against fp64");
    flags->problem.add_to(*command);
    const auto add = [&](const char* flag, auto& value, const char* kind, const char* help) {
        command->add_option(flag, value, help)->option_text(kind)->group("Input and output");
    };
    add("--q", flags->inputs.q, "FILE",
        "Queries as .npy with 4 dimensions, in the order of --layout; the problem's shape follows");
    add("--k", flags->inputs.k, "FILE", "Keys as .npy");
    add("--v", flags->inputs.v, "FILE", "Values as .npy");
    add("--seed", flags->seed, "N", "Seed of the inputs where no files are given [1]");
    command->get_option("--seed")->check(CLI::Validator(
        [](std::string& text) { return text.starts_with('-') ? text + " is not a number from 0 up" : std::string(); }, ""));
    add("--out", flags->out, "FILE", "Write o as .npy: '<f2', or '<u2' with the bits of bf16");
    add("--lse-out", flags->lse_out, "FILE", "Write the logarithm of each softmax sum as .npy, '<f4'");
    flags->runtime.add_to(*command);
    command->add_option("--repeat", flags->repeat, "Launches; the time is their median [1]")->option_text("N");
    command->add_flag("--check", flags->check, "Compare with fp64; exit code 1 if the error rule is broken");
    command->add_flag("--json", flags->json, "One JSON object on stdout");
    command->footer(kExamples);
    command->callback([flags, &exit_code] {
        const auto code = run(*flags);
        exit_code = code.ok() ? *code : report_failure(code.status(), flags->json);
    });
}

}  // namespace flashwave::cli
