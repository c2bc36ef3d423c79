#include "emulator/runtime/injection.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "emulator/runtime/error_names.hpp"

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

using Fields = std::vector<std::string_view>;
using IsCall = std::function<bool(std::string_view)>;

Status bad(std::string why) { return {Code::invalid_argument, std::move(why)}; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
    return text;
}

Fields split(std::string_view text, char at) {
    Fields fields;
    for (;;) {
        const std::size_t end = text.find(at);
        fields.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return fields;
        text.remove_prefix(end + 1);
    }
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

struct Unit {
    std::string_view name;
    double factor;
};

/// A number and its unit: "1.5GiB".
template <std::size_t N>
bool parse_quantity(std::string_view text, const Unit (&units)[N], double& value) {
    for (const Unit& unit : units) {
        if (!text.ends_with(unit.name)) continue;
        const std::string_view digits = text.substr(0, text.size() - unit.name.size());
        if (!parse_number(digits, value)) continue;
        value *= unit.factor;
        return std::isfinite(value) && value >= 0;
    }
    return false;
}

constexpr Unit kBytes[] = {{"KiB", 1024}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}, {"", 1}};
constexpr Unit kMicroseconds[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}};
constexpr Unit kShares[] = {{"%", 1e-2}, {"ppm", 1e-6}};
constexpr double kMostBytes = 1e15, kMostMicroseconds = 1e12, kMostNoise = 1, kMostDrift = 1e6;

Status parse_which(std::string_view text, Occasions& which) {
    if (text == "*") {
        which = {};
        return {};
    }
    which.and_later = text.ends_with('+');
    if (which.and_later) text.remove_suffix(1);
    if (!parse_number(text, which.first) || which.first == 0) return bad(fmt::format("\"{}\" is none of N, N+ and *, counted from 1", text));
    return {};
}

Status parse_call(std::string_view text, const IsCall& is_call, std::string& call) {
    if (!is_call(text)) return bad(fmt::format("\"{}\" is no HIP call that faults can reach", text));
    call = text;
    return {};
}

Status parse_fail(const Fields& fields, const IsCall& is_call, Injection& all) {
    if (fields.size() != 4) return bad("it must be fail:CALL:WHICH:ERROR");
    FailRule rule;
    FLASHWAVE_RETURN_IF_ERROR(parse_call(fields[1], is_call, rule.call));
    FLASHWAVE_RETURN_IF_ERROR(parse_which(fields[2], rule.which));
    const ErrorText* error = find_error(fields[3]);
    if (!error || error->error == hipSuccess) return bad(fmt::format("\"{}\" is no error of HIP", fields[3]));
    rule.error = error->error;
    all.fails.push_back(std::move(rule));
    return {};
}

Status parse_delay(const Fields& fields, const IsCall& is_call, Injection& all) {
    if (fields.size() != 4) return bad("it must be delay:CALL:WHICH:TIME");
    DelayRule rule;
    FLASHWAVE_RETURN_IF_ERROR(parse_call(fields[1], is_call, rule.call));
    FLASHWAVE_RETURN_IF_ERROR(parse_which(fields[2], rule.which));
    double microseconds = 0;
    if (!parse_quantity(fields[3], kMicroseconds, microseconds) || microseconds > kMostMicroseconds)
        return bad(fmt::format("\"{}\" is no time in us, ms or s", fields[3]));
    rule.time = std::chrono::microseconds(static_cast<std::int64_t>(microseconds));
    all.delays.push_back(std::move(rule));
    return {};
}

Status parse_memory(const Fields& fields, Injection& all) {
    double bytes = 0;
    if (fields.size() != 2) return bad("it must be oom:BYTES");
    if (!parse_quantity(fields[1], kBytes, bytes) || bytes > kMostBytes) return bad(fmt::format("\"{}\" is no number of bytes", fields[1]));
    all.memory_limit = static_cast<std::uint64_t>(bytes);
    return {};
}

Status parse_hang(const Fields& fields, Injection& all) {
    if (fields.size() < 2 || fields.size() > 4 || fields[1].empty()) return bad("it must be hang:KERNEL[:WHICH[:block]]");
    HangRule rule{.kernel = std::string(fields[1]), .which = {}, .blocks = fields.size() == 4};
    if (fields.size() > 2) FLASHWAVE_RETURN_IF_ERROR(parse_which(fields[2], rule.which));
    if (rule.blocks && fields[3] != "block") return bad(fmt::format("\"{}\" is not \"block\"", fields[3]));
    all.hangs.push_back(std::move(rule));
    return {};
}

Status parse_kill(const Fields& fields, const IsCall& is_call, Injection& all) {
    if (fields.size() != 3) return bad("it must be kill:POINT:WHICH");
    KillRule rule{.point = std::string(fields[1]), .which = {}};
    if (rule.point != "launch" && rule.point != "before-copy" && rule.point != "after-copy" && !is_call(rule.point))
        return bad(fmt::format("\"{}\" is none of launch, before-copy, after-copy, and no HIP call that faults can reach", rule.point));
    FLASHWAVE_RETURN_IF_ERROR(parse_which(fields[2], rule.which));
    all.kills.push_back(std::move(rule));
    return {};
}

Status parse_place(std::string_view text, FlipRule& rule) {
    constexpr std::string_view seed = "seed=";
    if (text.starts_with(seed)) {
        if (!parse_number(text.substr(seed.size()), rule.seed)) return bad(fmt::format("\"{}\" is no seed", text));
        return {};
    }
    rule.random = false;
    unsigned given = 0;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        const std::string_view name = part.substr(0, equals), value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
        const bool read = name == "buffer" ? parse_number(value, rule.buffer)
                        : name == "byte"   ? parse_number(value, rule.byte)
                        : name == "bit"    ? parse_number(value, rule.bit) && rule.bit < 8
                                           : false;
        if (!read) return bad(fmt::format("\"{}\" is none of buffer=I, byte=N, bit=0..7, seed=N", part));
        given |= name == "buffer" ? 1u : name == "byte" ? 2u : 4u;
    }
    if (given != 7) return bad("buffer, byte and bit belong together");
    return {};
}

Status parse_flip(const Fields& fields, Injection& all) {
    if (fields.size() < 2 || fields.size() > 4 || fields[1].empty()) return bad("it must be flip:KERNEL[:WHICH[:seed=N or buffer=I,byte=N,bit=B]]");
    FlipRule rule{.kernel = std::string(fields[1]), .which = {}};
    if (fields.size() > 2) FLASHWAVE_RETURN_IF_ERROR(parse_which(fields[2], rule.which));
    if (fields.size() > 3) FLASHWAVE_RETURN_IF_ERROR(parse_place(fields[3], rule));
    all.flips.push_back(std::move(rule));
    return {};
}

Status parse_noise(const Fields& fields, Injection& all) {
    constexpr std::string_view seed = "seed=";
    if (fields.size() < 2 || fields.size() > 3) return bad("it must be noise:SHARE[:seed=N]");
    if (!parse_quantity(fields[1], kShares, all.noise) || all.noise >= kMostNoise)
        return bad(fmt::format("\"{}\" is no share below 100%, in % or ppm", fields[1]));
    if (fields.size() == 3 && !(fields[2].starts_with(seed) && parse_number(fields[2].substr(seed.size()), all.noise_seed)))
        return bad(fmt::format("\"{}\" is not seed=N", fields[2]));
    return {};
}

Status parse_drift(const Fields& fields, Injection& all) {
    if (fields.size() != 2) return bad("it must be drift:SHARE");
    if (!parse_quantity(fields[1], kShares, all.drift_per_second) || all.drift_per_second > kMostDrift)
        return bad(fmt::format("\"{}\" is no share in % or ppm, or larger than 100000000%", fields[1]));
    return {};
}

Status parse_clause(const Fields& fields, const IsCall& is_call, Injection& all) {
    const std::string_view kind = fields[0];
    if (kind == "fail") return parse_fail(fields, is_call, all);
    if (kind == "delay") return parse_delay(fields, is_call, all);
    if (kind == "oom") return parse_memory(fields, all);
    if (kind == "hang") return parse_hang(fields, all);
    if (kind == "kill") return parse_kill(fields, is_call, all);
    if (kind == "flip") return parse_flip(fields, all);
    if (kind == "noise") return parse_noise(fields, all);
    if (kind == "drift") return parse_drift(fields, all);
    return bad("it begins with none of fail, delay, oom, hang, kill, flip, noise, drift");
}

}  // namespace

Result<Injection> parse_injection(std::string_view text, const IsCall& is_call) {
    Injection all;
    for (const std::string_view clause : split(text, ';')) {
        if (clause.empty()) continue;
        if (const Status status = parse_clause(split(clause, ':'), is_call, all); !status.ok())
            return bad(fmt::format("faults: \"{}\": {}", clause, status.message()));
    }
    return all;
}

bool matches(std::string_view pattern, std::string_view name) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == name;
}

}  // namespace hipemu
