// What every command of `hipemu` shares; exit codes as those of `flashwave` (command_line/exit.hpp).
#pragma once

#include <string>

#include "command_line/exit.hpp"

namespace CLI {
class App;
}

namespace hipemu::command {

using flashwave::cli::Exit;
using flashwave::cli::kDone;
using flashwave::cli::kFailed;

inline int report_failure(const flashwave::Status& status, bool json) { return flashwave::cli::report_failure("hipemu", status, json); }

// Each adds its subcommand to `app`; when that is chosen, `exit_code` is set once its work is done.
void add_run(CLI::App& app, int& exit_code);
void add_compile(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_disassemble(CLI::App& app, int& exit_code);
void add_cards(CLI::App& app, int& exit_code);

}  // namespace hipemu::command
