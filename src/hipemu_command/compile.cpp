// `hipemu compile`: a HIP source into a code object, by hiprtc in a process of its own, for machines without hipcc.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/output_file.hpp"
#include "hipemu_command/code_file.hpp"
#include "hipemu_command/command.hpp"

namespace hipemu::command {

using flashwave::Result;

namespace {

struct CompileFlags {
    SourceDescription source;
    std::string target = "gfx1100", out;
    bool json = false;
};

Result<int> compile(const CompileFlags& flags) {
    FLASHWAVE_RETURN_IF_ERROR(flashwave::cli::check_output_file("--out", flags.out));
    const auto code = compile_code(flags.source, flags.target);
    if (!code.ok()) return code.status();
    FLASHWAVE_RETURN_IF_ERROR(flashwave::cli::write_output_file(flags.out, code->bytes));
    if (flags.json) {
        nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
        for (const KernelDescription& kernel : code->object.kernels) kernels.push_back(kernel.name);
        const nlohmann::ordered_json object = {
            {"out", flags.out}, {"target", code->object.target}, {"kernels", kernels}, {"log", code->log}};
        fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else if (!code->log.empty()) {
        fmt::print(stderr, "{}", code->log);
    }
    return kDone;
}

}  // namespace

void add_compile(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<CompileFlags>();
    CLI::App* command = app.add_subcommand("compile", "Compile a HIP source into a code object");
    command->add_option("source", flags->source.path, "The source")->option_text("FILE")->required();
    command->add_option("--out", flags->out, "Where the code object goes")->option_text("FILE")->required();
    command->add_option("--target", flags->target, "The gfx target [gfx1100]")->option_text("GFX");
    command
        ->add_option("--header", flags->source.headers,
                     "A file that the source includes, by its path below the source's folder; may be repeated")
        ->option_text("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("options", flags->source.options, "For the compiler, behind -- [-O3]")->option_text("OPTION");
    command->add_flag("--json", flags->json, "One JSON object on stdout");
    command->footer("Example:\n  hipemu compile kernels.hip --out kernels.co -- -O3 -g");
    command->callback([flags, &exit_code] {
        const auto code = compile(*flags);
        exit_code = code.ok() ? *code : report_failure(code.status(), flags->json);
    });
}

}  // namespace hipemu::command
