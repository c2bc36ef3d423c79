// One object of a JSON file, read key by key: a key that nobody asked for is an error, so that a misspelt one is not passed over.
// The first failure is kept; later reads give defaults.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "flashwave/status.hpp"

namespace hipemu::command {

class JsonObject {
public:
    /// `what` names the object in messages: "argument 2". `value` outlives this.
    JsonObject(const nlohmann::json& value, std::string what) : value_(value), what_(std::move(what)) {
        if (!value.is_object()) fail(fmt::format("{} is {}; an object {{...}} is needed", what_, value.dump()));
    }

    const std::string& what() const { return what_; }
    const flashwave::Status& status() const { return status_; }
    bool has(std::string_view key) {
        known_.emplace(key);
        return value_.is_object() && value_.contains(key);
    }

    /// The value of a key, or nullptr.
    const nlohmann::json* find(std::string_view key) {
        return has(key) ? &value_[std::string(key)] : nullptr;
    }
    std::string text(std::string_view key, std::string otherwise = {}) {
        const nlohmann::json* value = find(key);
        if (value == nullptr) return otherwise;
        if (value->is_string()) return value->get<std::string>();
        fail_key(key, *value, "a text is needed");
        return otherwise;
    }
    double number(std::string_view key, double otherwise = 0) {
        const nlohmann::json* value = find(key);
        if (value == nullptr) return otherwise;
        if (value->is_number()) return value->get<double>();
        fail_key(key, *value, "a number is needed");
        return otherwise;
    }
    std::uint64_t count(std::string_view key, std::uint64_t otherwise = 0, std::uint64_t least = 0,
                        std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
        const nlohmann::json* value = find(key);
        return value == nullptr ? otherwise : count_of(key, *value, otherwise, least, most);
    }
    std::uint64_t count_of(std::string_view key, const nlohmann::json& value, std::uint64_t otherwise, std::uint64_t least,
                           std::uint64_t most) {
        if (value.is_number_unsigned())
            if (const auto number = value.get<std::uint64_t>(); number >= least && number <= most) return number;
        fail_key(key, value,
                 most == std::numeric_limits<std::uint64_t>::max()
                     ? fmt::format("a whole number from {} is needed", least)
                     : fmt::format("a whole number from {} to {} is needed", least, most));
        return otherwise;
    }

    void fail(std::string sentence) {
        if (status_.ok()) status_ = flashwave::Status(flashwave::Code::invalid_argument, std::move(sentence));
    }
    void fail_key(std::string_view key, const nlohmann::json& value, std::string_view allowed) {
        fail(fmt::format("\"{}\" of {} is {}; {}", key, what_, value.dump(), allowed));
    }
    /// The first failure; otherwise a complaint about a key that was not read.
    flashwave::Status finish() {
        if (status_.ok() && value_.is_object())
            for (const auto& [key, value] : value_.items())
                if (!known_.contains(key)) {
                    std::string names;
                    for (const std::string& one : known_) names += (names.empty() ? "" : ", ") + one;
                    fail(fmt::format("{} has an unknown key \"{}\"; known are {}", what_, key, names));
                    break;
                }
        return status_;
    }

private:
    const nlohmann::json& value_;
    std::string what_;
    std::set<std::string, std::less<>> known_;
    flashwave::Status status_;
};

}  // namespace hipemu::command
