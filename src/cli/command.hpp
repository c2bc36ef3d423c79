// What every command of `flashwave` shares: exit codes, how a failure is told, the hook each command group offers.
#pragma once

#include <string>
#include <string_view>

#include "flashwave/status.hpp"

namespace CLI {
class App;
}

namespace flashwave::cli {

enum Exit : int {
    kDone = 0,                ///< what was asked for is done
    kFailed = 1,              ///< a check failed: a wrong result, a kernel that could not be compiled or launched
    kUsage = 2,               ///< wrong usage or bad input
    kLackingEnvironment = 3,  ///< no device, compiler, permission, memory or stored winner
};

Exit exit_code_of(const Status& status) noexcept;

/// The sentence on stderr; with `json` also {"error":{"code":...,"message":...}} on stdout, so that a program that
/// reads stdout finds an object in either case. Gives the exit code.
int report_failure(const Status& status, bool json);

/// A flag's text that was not understood: "--seed is 'x'; an integer from 0 is needed".
Status bad_flag(std::string_view flag, std::string_view value, std::string_view allowed);

// Each command group adds its subcommand to `app`; when that is chosen, `exit_code` is set once its work is done.
void add_run(CLI::App& app, int& exit_code);
void add_warm(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);

}  // namespace flashwave::cli
