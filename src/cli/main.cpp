// The program `flashwave`. Exit codes: 0 done, 1 a check failed, 2 wrong usage or bad input, 3 the environment lacks
// something.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "cli/command.hpp"
#include "cli/process_clock.hpp"
#include "flashwave/version.hpp"

int main(int argc, char** argv) {
    using namespace flashwave::cli;
    note_process_start();
    int exit_code = kDone;
    CLI::App app("Attention for AMD GPUs: compiled and tuned where it runs, kept in a cache.", "flashwave");
    app.footer(
        "Example:\n  flashwave run --device emulated:gfx1100 --seq-q 512 --dim 64 --causal bottom_right --check\n"
        "Exit codes: 0 done, 1 a check failed, 2 wrong usage or bad input, 3 the environment lacks something.");
    app.set_version_flag("--version", std::string("flashwave ") + flashwave::version(), "Print the version and exit");
    app.option_defaults()->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);  // a wrapper script's flag can be overruled
    app.require_subcommand(1);
    add_run(app, exit_code);
    add_warm(app, exit_code);
    add_inspect(app, exit_code);
    add_doctor(app, exit_code);
    add_version(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // Help is asked for by an exception too; it is no error and goes to stdout.
        return app.exit(error) == 0 ? kDone : kUsage;
    } catch (const std::bad_alloc&) {
        std::fputs("flashwave: this needs more memory than there is; ask for fewer or shorter sequences.\n", stderr);
        return kLackingEnvironment;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "flashwave: a defect of this program, please report it: %s\n", error.what());
        return kFailed;
    }
    return exit_code;
}
