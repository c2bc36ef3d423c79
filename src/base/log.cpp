#include "base/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>

#include "base/settings.hpp"

namespace flashwave {
namespace {

constexpr std::string_view kNames[] = {"debug", "info", "warn", "error", "off"};
constexpr int kUnset = -1;

std::atomic<int> level_value{kUnset};

spdlog::level::level_enum to_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warn: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
        case LogLevel::off: return spdlog::level::off;
    }
    return spdlog::level::off;
}

LogLevel from_spdlog(spdlog::level::level_enum level) {
    if (level <= spdlog::level::debug) return LogLevel::debug;
    if (level == spdlog::level::info) return LogLevel::info;
    return level == spdlog::level::warn ? LogLevel::warn : LogLevel::error;
}

class RoutedSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit RoutedSink(LogSink receiver) : sink_(std::move(receiver)) {}

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        sink_(from_spdlog(message.level), std::string_view(message.payload.data(), message.payload.size()));
    }
    void flush_() override {}

    LogSink sink_;
};

std::shared_ptr<spdlog::logger> make_logger(LogSink sink) {
    spdlog::sink_ptr target;
    if (sink) {
        target = std::make_shared<RoutedSink>(std::move(sink));
    } else {
        target = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
        target->set_pattern("flashwave: %^%l%$: %v");
    }
    auto logger = std::make_shared<spdlog::logger>("flashwave", std::move(target));
    logger->set_level(spdlog::level::trace);  // the level is checked before a message is formatted
    return logger;
}

std::mutex logger_mutex;

// Never destroyed: a message may come from another static's destructor.
std::shared_ptr<spdlog::logger>& logger_slot() {
    static auto* slot = new std::shared_ptr<spdlog::logger>(make_logger({}));
    return *slot;
}

}  // namespace

std::string_view name(LogLevel level) noexcept { return kNames[static_cast<int>(level)]; }

std::optional<LogLevel> parse_log_level(std::string_view text) noexcept {
    for (std::size_t i = 0; i < std::size(kNames); ++i)
        if (kNames[i] == text) return static_cast<LogLevel>(i);
    return std::nullopt;
}

void set_log_level(LogLevel level) { level_value.store(static_cast<int>(level), std::memory_order_relaxed); }

LogLevel log_level() noexcept {
    const int value = level_value.load(std::memory_order_relaxed);
    if (value != kUnset) return static_cast<LogLevel>(value);
    int expected = kUnset;
    level_value.compare_exchange_strong(expected, static_cast<int>(settings().log_level));
    return static_cast<LogLevel>(level_value.load());
}

void set_log_sink(LogSink sink) {
    auto logger = make_logger(std::move(sink));
    const std::lock_guard lock(logger_mutex);
    logger_slot() = std::move(logger);
}

namespace detail {

void log_formatted(LogLevel level, fmt::string_view format, fmt::format_args arguments) {
    std::shared_ptr<spdlog::logger> logger;
    {
        const std::lock_guard lock(logger_mutex);
        logger = logger_slot();
    }
    logger->log(to_spdlog(level), spdlog::string_view_t(fmt::vformat(format, arguments)));
}

}  // namespace detail
}  // namespace flashwave
