#include "base/log.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace {

using namespace flashwave;

struct Captured {
    std::vector<std::pair<LogLevel, std::string>> lines;
    LogLevel before = log_level();
    Captured() {
        set_log_sink([this](LogLevel level, std::string_view text) { lines.emplace_back(level, text); });
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    ~Captured() {
        set_log_sink({});
        set_log_level(before);
    }
};

TEST_CASE("an application receives what is at or above the level") {
    Captured captured;
    set_log_level(LogLevel::info);
    log_debug("dropped {}", 1);
    log_info("kept {}", 2);
    log_error("kept {:>3}", 3);
    REQUIRE(captured.lines.size() == 2);
    CHECK(captured.lines[0] == std::pair(LogLevel::info, std::string("kept 2")));
    CHECK(captured.lines[1] == std::pair(LogLevel::error, std::string("kept   3")));
}

TEST_CASE("off silences everything") {
    Captured captured;
    set_log_level(LogLevel::off);
    log_error("no");
    CHECK(captured.lines.empty());
    CHECK_FALSE(log_enabled(LogLevel::off));
}

TEST_CASE("messages with braces pass through as arguments") {
    Captured captured;
    set_log_level(LogLevel::warn);
    log_warn("{}", "{not a field}");
    REQUIRE(captured.lines.size() == 1);
    CHECK(captured.lines[0].second == "{not a field}");
}

TEST_CASE("threads log one at a time") {
    Captured captured;
    set_log_level(LogLevel::warn);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int i = 0; i < 100; ++i) log_warn("line {}", i);
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(captured.lines.size() == 400);
}

TEST_CASE("levels have names") {
    CHECK(parse_log_level("warn") == LogLevel::warn);
    CHECK_FALSE(parse_log_level("loud").has_value());
    CHECK(name(LogLevel::debug) == "debug");
}

}  // namespace
