// The program `hipemu`: AMD code objects on the emulator, from the command line. Exit codes: 0 done, 1 a check failed, 2 wrong
// usage or bad input, 3 the environment lacks something.
#include <cstdio>
#include <exception>
#include <new>

#include <CLI/CLI.hpp>

#include "hipemu_command/command.hpp"

int main(int argc, char** argv) {
    using namespace hipemu::command;
    int exit_code = kDone;
    CLI::App app("Runs AMD code objects on an emulated card: strict, timed, and told where the cycles went.", "hipemu");
    app.footer(
        "Example:\n  hipemu run saxpy.json --hot 10\n"
        "Exit codes: 0 done, 1 a check failed, 2 wrong usage or bad input, 3 the environment lacks something.");
    app.set_version_flag("--version", "hipemu " FLASHWAVE_VERSION, "Print the version and exit");
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // a wrapper script's flag can be overruled
    app.require_subcommand(1);
    add_run(app, exit_code);
    add_compile(app, exit_code);
    add_list(app, exit_code);
    add_disassemble(app, exit_code);
    add_cards(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // Help is asked for by an exception too; it is no error and goes to stdout.
        return app.exit(error) == 0 ? kDone : flashwave::cli::kUsage;
    } catch (const std::bad_alloc&) {
        std::fputs("hipemu: this needs more memory than there is; use smaller buffers.\n", stderr);
        return flashwave::cli::kLackingEnvironment;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hipemu: a defect of this program, please report it: %s\n", error.what());
        return kFailed;
    }
    return exit_code;
}
