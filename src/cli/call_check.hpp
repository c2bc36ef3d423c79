// `--check`: the outputs of a call judged against fp64 on the host.
#pragma once

#include <cstddef>
#include <string>

#include "cli/inputs.hpp"
#include "cli/problem.hpp"
#include "cli/timed_call.hpp"
#include "problem/reference.hpp"

namespace flashwave::cli {

struct CheckResult {
    Comparison output;
    Comparison lse;
    std::size_t rows = 0;  ///< compared with fp64: all of them, or a sample where that would take long
    std::size_t unwritten =
        0;  ///< elements of o and lse that still hold what they were filled with; looked for everywhere
    bool repeatable = true;  ///< see Outputs

    bool passed() const noexcept { return output.passed && lse.passed && unwritten == 0 && repeatable; }
    /// What is wrong first, or the error and its bound.
    std::string sentence() const;
};

CheckResult check_call(const Problem& problem, const Inputs& inputs, const Outputs& outputs);

}  // namespace flashwave::cli
