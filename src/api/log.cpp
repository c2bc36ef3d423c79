#include "flashwave/log.hpp"

#include <utility>

#include "base/log.hpp"

namespace flashwave {

void route_log(std::function<void(std::string_view level, std::string_view message)> sink) {
    if (!sink) return set_log_sink({});
    set_log_sink([sink = std::move(sink)](LogLevel level, std::string_view message) {
        sink(level == LogLevel::warn ? "warning" : name(level), message);
    });
}

}  // namespace flashwave
