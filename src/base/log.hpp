// The library's log: warnings and errors to stderr unless an application routes or silences them.
// Thread-safe. A message is one line, written once, where the event is handled.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <optional>
#include <string_view>

namespace flashwave {

enum class LogLevel : int { debug, info, warn, error, off };

std::string_view name(LogLevel level) noexcept;
std::optional<LogLevel> parse_log_level(std::string_view text) noexcept;

/// Messages below `level` are dropped before they are formatted. Default: FLASHWAVE_LOG, otherwise warn.
void set_log_level(LogLevel level);
LogLevel log_level() noexcept;
inline bool log_enabled(LogLevel level) noexcept { return level >= log_level() && level != LogLevel::off; }

/// Receives every message at or above the level, from any thread, one at a time; it must not log itself.
using LogSink = std::function<void(LogLevel, std::string_view)>;
/// Replaces stderr; an empty sink brings stderr back.
void set_log_sink(LogSink sink);

namespace detail {
void log_formatted(LogLevel level, fmt::string_view format, fmt::format_args arguments);
}

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... arguments) {
    if (log_enabled(level)) detail::log_formatted(level, format, fmt::make_format_args(arguments...));
}
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... arguments) {
    log(LogLevel::debug, format, std::forward<Args>(arguments)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... arguments) {
    log(LogLevel::info, format, std::forward<Args>(arguments)...);
}
template <class... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... arguments) {
    log(LogLevel::warn, format, std::forward<Args>(arguments)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... arguments) {
    log(LogLevel::error, format, std::forward<Args>(arguments)...);
}

}  // namespace flashwave
