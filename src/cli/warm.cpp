// `flashwave warm`: compiles and tunes the problems of a file, one a line as JSON, and skips what is stored.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/problem.hpp"
#include "cli/problem_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/runtime_flags.hpp"
#include "command_line/table.hpp"

namespace flashwave::cli {
namespace {

constexpr const char* kExamples =
    "A line is a JSON object with the names of run's flags, and run's defaults for what it leaves out:\n"
    "  {\"dtype\": \"bf16\", \"heads\": 32, \"kv_heads\": 8, \"seq_q\": 4096, \"dim\": 128, \"causal\": "
    "\"bottom_right\"}\n"
    "Empty lines are skipped. Stopped half-way, it goes on where it stopped when it is started again.\n"
    "Examples:\n"
    "  flashwave warm problems.jsonl --device hip:0\n"
    "  echo '{\"seq_q\": 512, \"dim\": 64}' | flashwave warm - --device emulated:gfx1100 --json";

struct WarmFlags {
    std::string file;
    RuntimeFlags runtime;
    bool json = false;
};

struct Outcome {
    ProblemLine line;
    Status status;
    ForwardInfo info;
    double seconds = 0;

    std::string_view state() const {
        if (!status.ok()) return name(status.code());
        switch (info.source) {
            case PlanSource::tuned: return "tuned";
            case PlanSource::disk: return "stored";
            case PlanSource::memory: return "same as above";
            case PlanSource::default_geometry: return "default";
        }
        return "default";
    }
};

nlohmann::ordered_json describe(const Outcome& outcome) {
    nlohmann::ordered_json object = {
        {"line", outcome.line.number},
        {"problem", nlohmann::ordered_json::parse(flashwave::to_json(outcome.line.problem))},
        {"state", outcome.state()},
        {"seconds", outcome.seconds}};
    if (!outcome.status.ok()) {
        object["error"] = {{"code", name(outcome.status.code())}, {"message", outcome.status.message()}};
        return object;
    }
    object["key"] = outcome.info.key;
    object["plan_source"] = name(outcome.info.source);
    object["compiles"] = outcome.info.compiles;
    object["candidates"] = outcome.info.candidates;
    object["geometry"] = outcome.info.geometry;
    object["time_us"] = outcome.info.tuned_time_us;
    object["modelled"] = outcome.info.modelled;
    return object;
}

std::string words(const Problem& p) {
    return fmt::format("{} {}x{}/{} {}x{} d{} {}", enum_name(p.dtype), p.batch, p.heads, p.kv_heads, p.seq_q, p.seq_k,
                       p.dim, enum_name(p.causal));
}

Table summary(const std::vector<Outcome>& outcomes) {
    Table table{{"line", "dtype", "batch", "heads", "kv_heads", "seq_q", "seq_k", "dim", "causal", "state", "compiles",
                 "candidates", "time us", "s", "geometry"},
                {}};
    for (const Outcome& outcome : outcomes) {
        const Problem& p = outcome.line.problem;
        const bool timed = outcome.status.ok() && outcome.info.tuned_time_us > 0;
        table.rows.push_back({std::to_string(outcome.line.number), std::string(enum_name(p.dtype)),
                              std::to_string(p.batch), std::to_string(p.heads), std::to_string(p.kv_heads),
                              std::to_string(p.seq_q), std::to_string(p.seq_k), std::to_string(p.dim),
                              std::string(enum_name(p.causal)), std::string(outcome.state()),
                              std::to_string(outcome.info.compiles), std::to_string(outcome.info.candidates),
                              timed ? fmt::format("{:.1f}", outcome.info.tuned_time_us) : "",
                              fmt::format("{:.1f}", outcome.seconds), short_geometry(outcome.info.geometry)});
    }
    return table;
}

// What is done and what is going on, on one line of 80 columns: "[###.......] 3/12 f16 1x8/8 512x512 d64 none,
// candidate 2 of 9, ..."
std::string bar(std::size_t done, std::size_t all, const std::string& what) {
    constexpr std::size_t kWidth = 10;
    const std::size_t filled = done * kWidth / all;
    return fmt::format("[{}{}] {}/{} {}", std::string(filled, '#'), std::string(kWidth - filled, '.'), done + 1, all,
                       what);
}

Result<std::vector<ProblemLine>> read_file_or_stdin(const std::string& path) {
    if (path == "-") return read_problems(std::cin, "stdin");
    std::ifstream file(path);
    if (!file) return bad_flag("FILE", path, "no such file can be read");
    return read_problems(file, path);
}

Result<Outcome> warm_one(Runtime& runtime, const ProblemLine& line) {
    Outcome outcome{.line = line, .status = {}, .info = {}};
    const auto args = make_args(line.problem, {});
    if (!args) return args.status();
    const auto begin = std::chrono::steady_clock::now();
    outcome.status = runtime.warm(*args, &outcome.info);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
}

int exit_code(const std::vector<Outcome>& outcomes) {
    int code = kDone;
    for (const Outcome& outcome : outcomes) code = std::max<int>(code, exit_code_of(outcome.status));
    return code;
}

std::size_t count(const std::vector<Outcome>& outcomes, bool ok, std::optional<PlanSource> source) {
    return static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
        return outcome.status.ok() == ok && (!source || outcome.info.source == *source);
    }));
}

Result<int> warm(const WarmFlags& flags) {
    const auto problems = read_file_or_stdin(flags.file);
    if (!problems) return problems.status();
    ProgressLine line;
    std::string current;  // the bar, which tuning's progress is added to
    auto runtime = flags.runtime.open(line, [&](const std::string& step) { line.show(current + ", " + step); });
    if (!runtime) return runtime.status();

    std::vector<Outcome> outcomes;
    const auto begin = std::chrono::steady_clock::now();
    for (const ProblemLine& problem : *problems) {
        current = bar(outcomes.size(), problems->size(), words(problem.problem));
        line.show(current);
        auto outcome = warm_one(*runtime, problem);
        if (!outcome) return outcome.status();
        line.clear();
        if (!line.visible())
            fmt::print(stderr, "{} of {}: {}: {}, {:.1f} s\n", outcomes.size() + 1, problems->size(),
                       words(problem.problem), outcome->state(), outcome->seconds);
        if (!outcome->status.ok())
            fmt::print(stderr, "flashwave: {}:{}: {}\n", flags.file, problem.number, outcome->status.message());
        outcomes.push_back(*std::move(outcome));
        // Without a compiler or a device the next problem would fail just so.
        if (outcomes.back().status.code() == Code::unavailable) break;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    const std::size_t tuned = count(outcomes, true, PlanSource::tuned), failed = count(outcomes, false, std::nullopt);
    const std::size_t stored = count(outcomes, true, PlanSource::disk) + count(outcomes, true, PlanSource::memory);
    if (flags.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Outcome& outcome : outcomes) list.push_back(describe(outcome));
        const nlohmann::ordered_json object = {{"device", flags.runtime.device()},
                                               {"modelled", runtime->device().emulated},
                                               {"cache", runtime->cache_dir()},
                                               {"tuned", tuned},
                                               {"stored", stored},
                                               {"failed", failed},
                                               {"problems", list}};
        fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
        summary(outcomes).print(stdout);
        fmt::print("{} problems in {:.1f} s: {} tuned, {} already stored, {} failed; times are {}\n", outcomes.size(),
                   seconds, tuned, stored, failed, kind_of_time(runtime->device().emulated));
    }
    return exit_code(outcomes);
}

}  // namespace

void add_warm(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<WarmFlags>();
    CLI::App* command =
        app.add_subcommand("warm", "Compile and tune the problems of a file, so that programs start warm");
    command->add_option("FILE", flags->file, "Problems as JSON Lines; - for stdin")
        ->required()
        ->option_text("REQUIRED");
    flags->runtime.add_to(*command);
    command->add_flag("--json", flags->json, "One JSON object on stdout");
    command->footer(kExamples);
    command->callback([flags, &exit_code] {
        const auto code = warm(*flags);
        exit_code = code.ok() ? *code : report_failure(code.status(), flags->json);
    });
}

}  // namespace flashwave::cli
