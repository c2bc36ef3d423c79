// `flashwave version`.
#include "flashwave/version.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"

namespace flashwave::cli {

void add_version(CLI::App& app, int& exit_code) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("version", "Print the version");
    command->add_flag("--json", *json, "One JSON object on stdout");
    command->footer("Example:\n  flashwave version --json");
    command->callback([json, &exit_code] {
        if (*json) fmt::print("{{\"version\":\"{}\"}}\n", version());
        else fmt::print("flashwave {}\n", version());
        exit_code = kDone;
    });
}

}  // namespace flashwave::cli
