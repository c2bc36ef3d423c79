#include "base/settings.hpp"

#include <sys/auxv.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace flashwave {
namespace {

constexpr int kMostWorkers = 64;
constexpr int kLongestBudget = 86'400;    // a day
constexpr int kLargestCache = 1'048'576;  // MiB

bool usable_directory(std::string_view path) { return path.size() > 1 && path.front() == '/'; }

}  // namespace

Settings read_settings(const std::function<const char*(const char*)>& lookup, bool secure) {
    Settings result;
    result.secure = secure;
    if (secure) return result;

    const auto text = [&](const char* variable) {
        const char* value = lookup(variable);
        return std::string(value == nullptr ? "" : value);
    };
    if (std::string home = text("HOME"); usable_directory(home)) result.home = std::move(home);

    result.cache_directory = text("FLASHWAVE_CACHE_DIR");
    if (result.cache_directory.empty()) {
        // The XDG specification says that a relative path is to be ignored.
        if (const std::string xdg = text("XDG_CACHE_HOME"); usable_directory(xdg))
            result.cache_directory = xdg + "/flashwave";
        else if (!result.home.empty()) result.cache_directory = result.home + "/.cache/flashwave";
    }
    result.libexec_directory = text("FLASHWAVE_LIBEXEC");
    result.rocm = text("FLASHWAVE_ROCM");
    result.hip_library = text("FLASHWAVE_HIP_LIBRARY");
    result.device = text("FLASHWAVE_DEVICE");
    result.tune = text("FLASHWAVE_TUNE");

    if (std::string directory = text("TMPDIR"); usable_directory(directory))
        result.temporary_directory = std::move(directory);

    if (const std::string level = text("FLASHWAVE_LOG"); !level.empty()) {
        if (const auto parsed = parse_log_level(level)) result.log_level = *parsed;
        else
            result.warnings.push_back(
                fmt::format("FLASHWAVE_LOG={} is ignored: use debug, info, warn, error or off.", level));
    }
    const auto number = [&](const char* variable, int least, int most, int& into) {
        const std::string given = text(variable);
        if (given.empty()) return;
        int value = 0;
        const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
        if (error == std::errc() && end == given.data() + given.size() && value >= least && value <= most) into = value;
        else
            result.warnings.push_back(
                fmt::format("{}={} is ignored: use a number from {} to {}.", variable, given, least, most));
    };
    number("FLASHWAVE_WORKERS", 1, kMostWorkers, result.workers);
    number("FLASHWAVE_TUNE_BUDGET", 1, kLongestBudget, result.tune_budget_seconds);
    number("FLASHWAVE_CACHE_LIMIT", 1, kLargestCache, result.cache_limit_mib);
    return result;
}

const Settings& settings() {
    static const auto* const process_settings = new Settings(
        read_settings([](const char* variable) { return std::getenv(variable); }, getauxval(AT_SECURE) != 0));
    return *process_settings;
}

}  // namespace flashwave
