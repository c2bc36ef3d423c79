#include "cli/problem_file.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace flashwave::cli {
namespace {

// A value as the text of a flag; nothing for values no flag has.
std::optional<std::string> text_of(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    return std::nullopt;
}

}  // namespace

Result<Problem> parse_problem(std::string_view json) {
    const auto object = nlohmann::json::parse(json, nullptr, false);
    if (!object.is_object())
        return Status(Code::invalid_argument, R"(a JSON object is needed, like {"seq_q": 1024, "dim": 128})");
    Problem problem;
    for (const auto& [field_name, value] : object.items()) {
        const auto text = text_of(value);
        if (!text)
            return Status(Code::invalid_argument,
                          fmt::format("{} is {}; a number or a string is needed", field_name, value.dump()));
        FLASHWAVE_RETURN_IF_ERROR(set_field(problem, field_name, *text));
    }
    problem = settled(problem);
    FLASHWAVE_RETURN_IF_ERROR(check_problem(problem));
    return problem;
}

Result<std::vector<ProblemLine>> read_problems(std::istream& stream, std::string_view name) {
    std::vector<ProblemLine> problems;
    std::string line;
    for (std::size_t number = 1; std::getline(stream, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        auto problem = parse_problem(line);
        if (!problem) return problem.status().with_context(fmt::format("{}:{}", name, number));
        problems.push_back({.number = number, .problem = *std::move(problem)});
    }
    if (stream.bad()) return Status(Code::io_error, fmt::format("{} could not be read to its end", name));
    return problems;
}

}  // namespace flashwave::cli
