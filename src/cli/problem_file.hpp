// Problems as JSON Lines: one object a line, fields named as the flags of `flashwave run`.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/problem.hpp"
#include "flashwave/status.hpp"

namespace flashwave::cli {

/// One object. Fields that are left out keep run's defaults; the result is settled and checked by the library's rules.
Result<Problem> parse_problem(std::string_view json);

struct ProblemLine {
    std::size_t number = 0;  ///< from 1
    Problem problem;
};

/// All problems of a file, before any of them is worked on. Empty lines are skipped. A sentence of a failure begins
/// with `name`:line.
Result<std::vector<ProblemLine>> read_problems(std::istream& stream, std::string_view name);

}  // namespace flashwave::cli
