// What every command of `flashwave` shares: how a failure is told, the hook each command group offers.
#pragma once

#include "command_line/exit.hpp"

namespace CLI {
class App;
}

namespace flashwave::cli {

/// As the one of command_line/exit.hpp, in the name of `flashwave`.
inline int report_failure(const Status& status, bool json) { return report_failure("flashwave", status, json); }

// Each command group adds its subcommand to `app`; when that is chosen, `exit_code` is set once its work is done.
void add_run(CLI::App& app, int& exit_code);
void add_warm(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);

}  // namespace flashwave::cli
