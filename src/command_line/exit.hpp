// How a command tells its end: exit codes, a sentence for people, an object for programs. Shared by the programs `flashwave` and `hipemu`.
#pragma once

#include <string_view>

#include "flashwave/status.hpp"

namespace flashwave::cli {

enum Exit : int {
    kDone = 0,                ///< what was asked for is done
    kFailed = 1,              ///< a check failed: a wrong result, a kernel that could not be compiled or launched
    kUsage = 2,               ///< wrong usage or bad input
    kLackingEnvironment = 3,  ///< no device, compiler, permission, memory or stored winner
};

Exit exit_code_of(const Status& status) noexcept;

/// The sentence on stderr, behind the program's name; with `json` also {"error":{"code":...,"message":...}} on stdout, so that a program
/// that reads stdout finds an object in either case. Gives the exit code.
int report_failure(std::string_view program, const Status& status, bool json);

/// A flag's text that was not understood: "--seed is 'x'; an integer from 0 is needed".
Status bad_flag(std::string_view flag, std::string_view value, std::string_view allowed);

}  // namespace flashwave::cli
