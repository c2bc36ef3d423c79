// `flashwave inspect`: what the cache holds, as tables for people or JSON for programs. Reads only.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/settings.hpp"
#include "cache/query.hpp"
#include "cli/command.hpp"
#include "command_line/table.hpp"

namespace flashwave::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  flashwave inspect selections\n"
    "  flashwave inspect candidates 3                 (3: the problem's number in selections; its whole key serves as "
    "well)\n"
    "  flashwave inspect refusals 3\n"
    "  flashwave inspect failures --json\n"
    "  flashwave inspect sql \"SELECT entry, us_median FROM v_candidates WHERE head_dim = 64 ORDER BY us_median\"\n"
    "Views: v_selection, v_candidates, v_refusals, v_failures, v_attempts, v_toolchains, v_devices, v_size.";

// The views have one column a field; a table for people shows those that tell problems and candidates apart.
constexpr const char* kSelections = R"(
    SELECT problem_id AS problem, dtype, head_dim, gqa, mask, seq_q, seq_k, parallel, device, entry AS kernel,
           us_median AS us, CASE modelled WHEN 1 THEN 'modelled' ELSE 'measured' END AS time,
           nullif(speedup, 0) AS speedup, origin, selected_at
    FROM v_selection ORDER BY problem_id, device_id)";
constexpr const char* kCandidates = R"(
    SELECT problem_id AS problem, place, entry AS kernel, status, nullif(us_median, 0) AS us,
           CASE WHEN us_median > 0 THEN CASE modelled WHEN 1 THEN 'modelled' ELSE 'measured' END END AS time,
           CASE WHEN error_bound > 0 THEN max_error END AS error, nullif(error_bound, 0) AS bound,
           vgprs, lds_bytes AS lds, spills, CASE selected WHEN 1 THEN 'winner' ELSE '' END AS chosen, detail AS why
    FROM v_candidates
    WHERE problem_id IN (SELECT problem_id FROM problem WHERE key = ?1 OR CAST(problem_id AS TEXT) = ?1)
    ORDER BY problem_id, device_id, place)";
constexpr const char* kRefusals = R"(
    SELECT problem_id AS problem, entry AS kernel, detail AS why
    FROM v_refusals
    WHERE problem_id IN (SELECT problem_id FROM problem WHERE key = ?1 OR CAST(problem_id AS TEXT) = ?1)
    ORDER BY problem_id, device_id, why)";
constexpr const char* kFailures = R"(
    SELECT problem_id AS problem, dtype, head_dim, mask, seq_q, seq_k, device, entry AS kernel, status, measured_at,
           detail AS why
    FROM v_failures ORDER BY problem_id, measured_at)";

struct InspectFlags {
    std::string cache_dir;
    std::string key, sql;
    bool json = false;
};

std::string folder(const InspectFlags& flags) {
    return flags.cache_dir.empty() ? settings().cache_directory : flags.cache_dir;
}

nlohmann::ordered_json value_of(const cache::Cell& cell) {
    switch (cell.kind) {
        case cache::Cell::Kind::null: return {};
        case cache::Cell::Kind::integer:
        case cache::Cell::Kind::real: {
            auto number = nlohmann::ordered_json::parse(cell.text, nullptr, false);
            return number.is_number() ? number : nlohmann::ordered_json(cell.text);  // SQLite's Inf is no JSON number
        }
        case cache::Cell::Kind::text:
        case cache::Cell::Kind::blob: return cell.text;
    }
    return {};
}

void print_json(const cache::Table& table) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& cells : table.rows) {
        nlohmann::ordered_json row = nlohmann::ordered_json::object();
        for (std::size_t c = 0; c < cells.size(); ++c) row[table.columns[c]] = value_of(cells[c]);
        rows.push_back(std::move(row));
    }
    fmt::print("{}\n", rows.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// Times and errors with the digits that people compare.
std::string few_digits(const std::string& number) {
    const double value = std::strtod(number.c_str(), nullptr);
    return std::abs(value) >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.3g}", value);
}

enum class Digits { few, all };

void print_table(const cache::Table& table, Digits digits) {
    Table text{table.columns, {}};
    for (const auto& cells : table.rows) {
        auto& row = text.rows.emplace_back();
        for (const cache::Cell& cell : cells) {
            row.push_back(cell.kind == cache::Cell::Kind::real && digits == Digits::few ? few_digits(cell.text)
                                                                                        : cell.text);
            // A compiler's log has many lines; a row of a table has one.
            std::replace(row.back().begin(), row.back().end(), '\n', ' ');
        }
    }
    text.print(stdout);
}

int show(const InspectFlags& flags, const char* sql, const char* when_empty) {
    const auto table = cache::query(folder(flags), sql);
    if (!table) return report_failure(table.status(), flags.json);
    if (flags.json) print_json(*table);
    else if (table->rows.empty()) fmt::print("{} in {}\n", when_empty, folder(flags));
    else print_table(*table, Digits::few);
    return kDone;
}

int show_sql(const InspectFlags& flags) {
    const auto table = cache::query(folder(flags), flags.sql);
    if (!table) return report_failure(table.status(), flags.json);
    if (flags.json) print_json(*table);
    else print_table(*table, Digits::all);
    return kDone;
}

int show_of_problem(const InspectFlags& flags, const char* sql) {
    const auto table = cache::query(folder(flags), sql, {flags.key});
    if (!table) return report_failure(table.status(), flags.json);
    if (table->rows.empty())
        return report_failure(
            Status(Code::invalid_argument,
                   fmt::format("KEY is '{}'; the number or key of a problem in {} is needed, as `flashwave "
                               "inspect selections` lists them",
                               flags.key, folder(flags))),
            flags.json);
    if (flags.json) print_json(*table);
    else print_table(*table, Digits::few);
    return kDone;
}

}  // namespace

void add_inspect(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<InspectFlags>();
    CLI::App* inspect =
        app.add_subcommand("inspect", "Show what the cache holds: winners, candidates, failures, or any SQL query");
    inspect->require_subcommand(1);
    inspect->footer(kExamples);
    const auto add = [&](const char* name, const char* help, auto run) {
        CLI::App* command = inspect->add_subcommand(name, help);
        command
            ->add_option("--cache-dir", flags->cache_dir,
                         "Folder of cache.db [FLASHWAVE_CACHE_DIR, ~/.cache/flashwave]")
            ->option_text("DIR");
        command->add_flag("--json", flags->json, "A JSON array of objects on stdout");
        command->footer(kExamples);
        command->callback([flags, &exit_code, run] { exit_code = run(*flags); });
        return command;
    };
    add("selections", "The winner of each problem, and what it gains over the default geometry",
        [](const InspectFlags& f) { return show(f, kSelections, "nothing is selected yet"); });
    add("candidates", "Every candidate of one problem, fastest first, and why each lost",
        [](const InspectFlags& f) { return show_of_problem(f, kCandidates); })
        ->add_option("KEY", flags->key, "The problem's number in `inspect selections`, or its key as `run` prints it")
        ->required()
        ->option_text("REQUIRED");
    add("refusals", "The geometries of one problem that were not tried, and why",
        [](const InspectFlags& f) { return show_of_problem(f, kRefusals); })
        ->add_option("KEY", flags->key, "As for candidates")
        ->required()
        ->option_text("REQUIRED");
    add("failures", "Candidates that did not compile, crashed, hung or gave wrong results",
        [](const InspectFlags& f) { return show(f, kFailures, "no candidate has failed"); });
    add("sql", "One SQL statement over the tables and views, read-only", show_sql)
        ->add_option("STATEMENT", flags->sql, "One statement that writes nothing")
        ->required()
        ->option_text("REQUIRED");
}

}  // namespace flashwave::cli
