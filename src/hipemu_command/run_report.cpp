#include "hipemu_command/run_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/worker_channel.hpp"
#include "command_line/table.hpp"

namespace hipemu::command {

using flashwave::cli::Table;
using nlohmann::ordered_json;

namespace {

// The order of HipemuLaunchStats::instructions.
constexpr std::array<std::string_view, 11> kUnitNames{"salu", "smem", "valu",   "trans", "wmma", "vopd",
                                                      "lds",  "vmem", "branch", "wait",  "other"};

std::string percent(double part, double whole) { return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : "0.0"; }

std::string dimensions(const std::array<std::uint32_t, 3>& shape) {
    std::string text = std::to_string(shape[0]);
    for (int i = 1; i < 3; ++i)
        if (shape[1] != 1 || shape[2] != 1) text += fmt::format(" x {}", shape[static_cast<std::size_t>(i)]);
    return text;
}

std::string digest_of(const LaunchBuffer& buffer) { return flashwave::sha256(buffer.bytes()).hex(); }

std::string verdict(const LaunchBuffer& buffer, bool sampled) {
    if (!buffer.description().expected) return {};
    if (sampled) return "not compared";
    const Comparison comparison = buffer.compare();
    if (comparison.passed()) return fmt::format("{} elements as expected", comparison.compared);
    return fmt::format("WRONG: {} of {}, worst [{}] = {:.9g} for {:.9g} +- {:.3g}", comparison.beyond, comparison.compared,
                       comparison.worst, comparison.got, comparison.expected, comparison.bound);
}

std::string note(const LaunchBuffer& buffer, const Summary& summary, bool sampled) {
    std::vector<std::string> notes;
    if (!buffer.changed()) notes.emplace_back("unchanged");
    if (summary.nans > 0) notes.push_back(fmt::format("{} NaN", summary.nans));
    if (summary.infinities > 0) notes.push_back(fmt::format("{} infinite", summary.infinities));
    if (const std::string checked = verdict(buffer, sampled); !checked.empty()) notes.push_back(checked);
    return fmt::format("{}", fmt::join(notes, ", "));
}

std::vector<double> first_values(const LaunchBuffer& buffer, std::size_t most) {
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(most, buffer.elements()); ++i) values.push_back(buffer.element(i));
    return values;
}

void add_buffers(std::string& text, const MeasuredLaunch& measured, std::size_t values) {
    Table table{.columns = {"buffer", "type", "shape", "sha256", "min", "max", "mean", "first", "note"}};
    for (const LaunchBuffer& buffer : measured.buffers) {
        const Summary summary = buffer.summary();
        table.rows.push_back(
            {buffer.name(), std::string(name_of(buffer.type())), fmt::format("[{}]", fmt::join(buffer.shape(), ", ")),
             digest_of(buffer).substr(0, 12), fmt::format("{:.6g}", summary.least), fmt::format("{:.6g}", summary.most),
             fmt::format("{:.6g}", summary.mean), fmt::format("{:.6g}", fmt::join(first_values(buffer, values), " ")),
             note(buffer, summary, measured.sampled())});
    }
    if (!table.rows.empty()) text += "\n" + table.to_text();
}

void add_units(std::string& text, const HipemuLaunchStats& stats) {
    const double all =
        static_cast<double>(std::accumulate(std::begin(stats.instructions), std::end(stats.instructions), std::uint64_t{0}));
    Table table{.columns = {"unit", "instructions", "%"}};
    for (std::size_t i = 0; i < kUnitNames.size(); ++i)
        if (stats.instructions[i] != 0)
            table.rows.push_back({std::string(kUnitNames[i]), std::to_string(stats.instructions[i]),
                                  percent(static_cast<double>(stats.instructions[i]), all)});
    text += "\n" + table.to_text();
}

/// The parts of a cycle count under their names, in the order in which they are told.
struct Part {
    std::string_view name;
    double HipemuCycleParts::*member;
};
constexpr std::array kParts{
    Part{"matrix", &HipemuCycleParts::matrix},
    Part{"valu", &HipemuCycleParts::valu},
    Part{"trans", &HipemuCycleParts::trans},
    Part{"lds", &HipemuCycleParts::lds},
    Part{"memory_wait", &HipemuCycleParts::memory_wait},
    Part{"lds_wait", &HipemuCycleParts::lds_wait},
    Part{"barrier", &HipemuCycleParts::barrier},
    Part{"scalar", &HipemuCycleParts::scalar},
    Part{"dependency", &HipemuCycleParts::dependency},
    Part{"fetch", &HipemuCycleParts::fetch},
    Part{"idle", &HipemuCycleParts::idle},
};

void add_parts(std::string& text, const HipemuCycleParts& parts) {
    Table table{.columns = {"where the cycles went", "%"}};
    for (const Part& part : kParts)
        if (parts.*part.member > 0) table.rows.push_back({std::string(part.name), percent(parts.*part.member, 1)});
    if (!table.rows.empty()) text += "\n" + table.to_text();
}

void add_mnemonics(std::string& text, const Profile& profile, std::size_t most) {
    const std::vector<MnemonicCount> counts = profile.by_mnemonic();
    const double all = static_cast<double>(profile.count()), cycles = profile.cycles();
    Table table{.columns = {"mnemonic", "instructions", "%", "issue %", "stall %"}};
    for (const MnemonicCount& one : counts) {
        if (table.rows.size() == most) break;
        table.rows.push_back({one.mnemonic, std::to_string(one.count), percent(static_cast<double>(one.count), all),
                              percent(one.issue_cycles, cycles), percent(one.stall_cycles, cycles)});
    }
    if (table.rows.empty()) return;
    text += "\n" + table.to_text();
    if (counts.size() > most) text += fmt::format("and {} more\n", counts.size() - most);
}

/// "hiprtc_runtime.h:2591, inlined into saxpy.hip:2": that blockIdx is a function of the compiler's own header tells a reader
/// nothing.
std::string without_compiler_header(std::string line) {
    constexpr std::string_view kInlined = ", inlined into ";
    while (line.starts_with("hiprtc_runtime.h:")) {
        const std::size_t next = line.find(kInlined);
        if (next == std::string::npos) break;
        line.erase(0, next + kInlined.size());
    }
    return line;
}

/// The source lines of some instructions; all empty where the object does not know them.
std::vector<std::string> sources_of(const MeasuredLaunch& measured, const std::vector<std::size_t>& indices) {
    if (indices.empty() || !measured.code.object.has_source_lines) return std::vector<std::string>(indices.size());
    std::vector<std::uint64_t> addresses;
    for (const std::size_t i : indices)
        addresses.push_back(measured.code.object.text_address + measured.profile.instructions[i].offset);
    auto lines = flashwave::source_lines_of(measured.code.bytes, addresses);
    if (!lines.ok()) return std::vector<std::string>(indices.size());
    for (std::string& line : *lines) line = without_compiler_header(std::move(line));
    return std::move(*lines);
}

void add_hottest(std::string& text, const MeasuredLaunch& measured, std::size_t most) {
    const std::vector<std::size_t> indices = measured.profile.hottest(most);
    if (indices.empty()) return;
    const std::vector<std::string> sources = sources_of(measured, indices);
    const double cycles = measured.profile.cycles();
    Table table{.columns = {"offset", "times", "issue %", "stall %", "instruction"}};
    if (measured.code.object.has_source_lines) table.columns.emplace_back("source");
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const ProfiledInstruction& one = measured.profile.instructions[indices[i]];
        // A gap between two that stand apart in the listing.
        if (i > 0 && indices[i] != indices[i - 1] + 1) table.rows.emplace_back(table.columns.size());
        table.rows.push_back({fmt::format("+{:#x}", one.offset), std::to_string(one.count), percent(one.issue_cycles, cycles),
                              percent(one.stall_cycles, cycles), one.text});
        if (measured.code.object.has_source_lines) table.rows.back().push_back(sources[i]);
    }
    text += "\n" + table.to_text();
}

ordered_json number_or_null(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

ordered_json to_json(const LaunchBuffer& buffer, std::size_t values, bool sampled) {
    const Summary summary = buffer.summary();
    ordered_json first = ordered_json::array();
    for (const double value : first_values(buffer, values)) first.push_back(number_or_null(value));
    ordered_json object = {{"name", buffer.name()},
                           {"type", name_of(buffer.type())},
                           {"shape", buffer.shape()},
                           {"sha256", digest_of(buffer)},
                           {"changed", buffer.changed()},
                           {"min", number_or_null(summary.least)},
                           {"max", number_or_null(summary.most)},
                           {"mean", number_or_null(summary.mean)},
                           {"nan", summary.nans},
                           {"infinite", summary.infinities},
                           {"first", first}};
    if (buffer.description().expected && !sampled) {
        const Comparison comparison = buffer.compare();
        object["check"] = {{"passed", comparison.passed()},
                           {"elements", comparison.compared},
                           {"beyond", comparison.beyond},
                           {"worst", comparison.worst},
                           {"got", number_or_null(comparison.got)},
                           {"expected", number_or_null(comparison.expected)},
                           {"bound", number_or_null(comparison.bound)}};
    }
    return object;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

bool passed(const MeasuredLaunch& measured) {
    if (!measured.finding.empty()) return false;
    if (measured.sampled()) return true;
    return std::all_of(measured.buffers.begin(), measured.buffers.end(),
                       [](const LaunchBuffer& buffer) { return !buffer.description().expected || buffer.compare().passed(); });
}

std::string to_text(const MeasuredLaunch& measured, const LaunchDescription& launch, const ReportOptions& options) {
    const KernelDescription& kernel = *measured.kernel;
    const HipemuLaunchStats& stats = measured.stats;
    std::string text;
    const auto line = [&](const char* title, const std::string& what) { text += fmt::format("{:<10} {}\n", title, what); };
    line("device",
         fmt::format("{} ({}, {}): times are modelled", measured.device.card, measured.device.name, measured.device.target));
    line("kernel", fmt::format("{}: {} VGPRs, {} SGPRs, {} bytes of LDS, {} bytes of scratch, {} registers spilled", kernel.name,
                               kernel.vgprs, kernel.sgprs, kernel.group_bytes + launch.dynamic_lds, kernel.private_bytes,
                               kernel.vgpr_spills + kernel.sgpr_spills));
    line("launch", fmt::format("{} work-groups of {} work-items", dimensions(launch.grid), dimensions(launch.block)));
    if (!measured.code.log.empty()) line("compiler", measured.code.log);
    if (!measured.warning.empty()) line("warning", measured.warning);
    if (!measured.finding.empty()) {
        line("finding", measured.finding);
        return text;
    }
    if (measured.sampled())
        line("sample", fmt::format("{} of {} work-groups ran: outputs are incomplete", stats.groups_run, stats.groups));
    if (measured.modelled())
        line("time", fmt::format("{:.3f} us modelled, {:.0f} cycles; most of them: {}", median(measured.seconds) * 1e6, stats.cycles,
                                 stats.limiter));
    else
        line("time", fmt::format("{:.3f} us: issue cycles over all SIMDs, not modelled (HIPEMU_TIMING=off)",
                                 median(measured.seconds) * 1e6));
    line("occupancy", fmt::format("{} waves a SIMD, {} work-groups a WGP; limited by {}", stats.waves_per_simd,
                                  stats.groups_per_wgp, stats.occupancy_limit));
    if (measured.seconds.size() > 1)
        line("repeats", fmt::format("{} launches, from {:.3f} to {:.3f} us; {}", measured.seconds.size(),
                                    *std::min_element(measured.seconds.begin(), measured.seconds.end()) * 1e6,
                                    *std::max_element(measured.seconds.begin(), measured.seconds.end()) * 1e6,
                                    measured.repeats_differ ? "their results differ" : "the same results bit for bit"));
    add_parts(text, stats.parts);
    add_units(text, stats);
    add_mnemonics(text, measured.profile, options.mnemonics);
    add_hottest(text, measured, options.hot);
    add_buffers(text, measured, options.values);
    return text;
}

std::string to_json(const MeasuredLaunch& measured, const LaunchDescription& launch, const ReportOptions& options) {
    const KernelDescription& kernel = *measured.kernel;
    const HipemuLaunchStats& stats = measured.stats;
    ordered_json buffers = ordered_json::array();
    ordered_json units, parts, mnemonics = ordered_json::array(), hottest = ordered_json::array();
    if (measured.finding.empty()) {
        for (const LaunchBuffer& buffer : measured.buffers)
            buffers.push_back(to_json(buffer, options.values, measured.sampled()));
        for (std::size_t i = 0; i < kUnitNames.size(); ++i) units[std::string(kUnitNames[i])] = stats.instructions[i];
        for (const Part& part : kParts) parts[std::string(part.name)] = stats.parts.*part.member;
        for (const MnemonicCount& one : measured.profile.by_mnemonic())
            mnemonics.push_back({{"mnemonic", one.mnemonic},
                                 {"count", one.count},
                                 {"issue_cycles", one.issue_cycles},
                                 {"stall_cycles", one.stall_cycles}});
        const std::vector<std::size_t> indices = measured.profile.hottest(options.hot);
        const std::vector<std::string> sources = sources_of(measured, indices);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const ProfiledInstruction& one = measured.profile.instructions[indices[i]];
            hottest.push_back({{"offset", one.offset},
                               {"text", one.text},
                               {"count", one.count},
                               {"issue_cycles", one.issue_cycles},
                               {"stall_cycles", one.stall_cycles},
                               {"source", sources[i]}});
        }
    }
    const ordered_json object = {
        {"device", measured.device.card},
        {"device_name", measured.device.name},
        {"target", measured.device.target},
        {"modelled", measured.modelled()},
        {"kernel",
         {{"name", kernel.name},
          {"vgprs", kernel.vgprs},
          {"sgprs", kernel.sgprs},
          {"vgpr_spills", kernel.vgpr_spills},
          {"sgpr_spills", kernel.sgpr_spills},
          {"lds_bytes", kernel.group_bytes + launch.dynamic_lds},
          {"scratch_bytes", kernel.private_bytes}}},
        {"grid", launch.grid},
        {"block", launch.block},
        {"passed", passed(measured)},
        {"finding", measured.finding.empty() ? ordered_json() : ordered_json(measured.finding)},
        {"warning", measured.warning.empty() ? ordered_json() : ordered_json(measured.warning)},
        {"groups", stats.groups},
        {"groups_run", stats.groups_run},
        {"time_us", median(measured.seconds) * 1e6},
        {"cycles", stats.cycles},
        {"limiter", stats.limiter},
        {"waves_per_simd", stats.waves_per_simd},
        {"groups_per_wgp", stats.groups_per_wgp},
        {"occupancy_limit", stats.occupancy_limit},
        {"groups_timed", stats.groups_timed},
        {"repeat", measured.seconds.size()},
        {"repeats_differ", measured.repeats_differ},
        {"parts", parts},
        {"instructions", units},
        {"mnemonics", mnemonics},
        {"hottest", hottest},
        {"buffers", buffers},
    };
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace hipemu::command
