#include "emulator/settings/config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"

namespace hipemu {
namespace {

std::string_view variable(const char* name) {
    // secure_getenv: a program with raised privileges takes no orders from the environment of whoever started it.
    const char* value = secure_getenv(name);
    return value ? std::string_view(value) : std::string_view();
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

template <class Number>
void read_number(const char* name, Number& number) {
    const std::string_view text = variable(name);
    if (text.empty()) return;
    Number read{};
    if (parse_number(text, read)) number = read;
    else fmt::print(stderr, "hipemu: {}={} is no number; it is ignored\n", name, text);
}

void read_schedule(Config& config) {
    constexpr std::string_view seeded = "seeded:";
    const std::string_view text = variable("HIPEMU_SCHEDULE");
    if (text.empty() || text == "eager") return;
    if (text == "late") {
        config.schedule = Schedule::late;
    } else if (text.starts_with(seeded) && parse_number(text.substr(seeded.size()), config.seed)) {
        config.schedule = Schedule::seeded;
    } else {
        fmt::print(stderr, "hipemu: HIPEMU_SCHEDULE={} is none of eager, late, seeded:N; it is ignored\n", text);
    }
}

void read_strictness(Config& config) {
    const std::string_view text = variable("HIPEMU_STRICT");
    if (text.empty()) return;
    const auto strictness = parse_strictness(text);
    if (strictness.ok()) config.strict = *strictness;
    else fmt::print(stderr, "hipemu: HIPEMU_STRICT={}: {}; it is ignored, all checks are made\n", text, strictness.status().message());
}

std::string default_cache_directory() {
    if (const std::string_view own = variable("HIPEMU_CACHE_DIR"); !own.empty()) return std::string(own);
    if (const std::string_view xdg = variable("XDG_CACHE_HOME"); xdg.starts_with('/')) return fmt::format("{}/flashwave/listings", xdg);
    if (const std::string_view home = variable("HOME"); home.starts_with('/') && home != "/")
        return fmt::format("{}/.cache/flashwave/listings", home);
    return {};
}

constexpr std::array<std::string_view, 14> kVariables{
    "HIPEMU_CACHE_DIR", "HIPEMU_DEVICE", "HIPEMU_FAULTS", "HIPEMU_INSTRUCTION_LIMIT", "HIPEMU_MEMORY_MIB",
    "HIPEMU_PORTABLE",  "HIPEMU_QUIET",  "HIPEMU_SAMPLE", "HIPEMU_SCHEDULE",          "HIPEMU_STRICT",
    "HIPEMU_THREADS",   "HIPEMU_TIMING", "HIPEMU_TRACE",  "HIPEMU_WMMA"};

/// What would otherwise be ignored without a word: names that are none of the emulator's, and values of those that are read elsewhere.
void warn_of_mistakes(const Config& config) {
    constexpr std::string_view prefix = "HIPEMU_";
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        if (name.starts_with(prefix) && std::find(kVariables.begin(), kVariables.end(), name) == kVariables.end())
            fmt::print(stderr, "hipemu: {} is no setting of the emulator; it is ignored\n", name);
    }
    for (const char* const name : {"HIPEMU_QUIET", "HIPEMU_PORTABLE"}) {
        const std::string_view text = variable(name);
        if (!text.empty() && text != "0" && text != "1")
            fmt::print(stderr, "hipemu: {}={} is neither 0 nor 1; it counts as {}\n", name, text, name == std::string_view("HIPEMU_QUIET") ? 0 : 1);
    }
    if (const std::string_view text = variable("HIPEMU_WMMA"); !text.empty() && text != "fast" && text != "exact")
        fmt::print(stderr, "hipemu: HIPEMU_WMMA={} is neither fast nor exact; it is ignored\n", text);
    if (variable("HIPEMU_CACHE_DIR").empty()) return;
    if (const auto status = flashwave::make_private_directory(config.cache_directory); !status.ok())
        fmt::print(stderr, "hipemu: HIPEMU_CACHE_DIR: {}; listings are not kept\n", status.message());
}

Config read_config() {
    Config config;
    if (const std::string_view device = variable("HIPEMU_DEVICE"); !device.empty()) config.device = device;
    read_schedule(config);
    config.quiet = variable("HIPEMU_QUIET") == "1";
    config.trace = variable("HIPEMU_TRACE");
    read_number("HIPEMU_SAMPLE", config.sample_groups);
    read_number("HIPEMU_THREADS", config.host_threads);
    read_strictness(config);
    read_number("HIPEMU_INSTRUCTION_LIMIT", config.instruction_limit);
    read_number("HIPEMU_MEMORY_MIB", config.memory_mib);
    config.timing_file = variable("HIPEMU_TIMING");
    config.timing = config.timing_file != "off";
    if (!config.timing) config.timing_file.clear();
    config.cache_directory = default_cache_directory();
    config.faults = variable("HIPEMU_FAULTS");
    warn_of_mistakes(config);
    return config;
}

}  // namespace

const Config& config() {
    static const Config instance = read_config();
    return instance;
}

}  // namespace hipemu
