// `hipemu list`: what a code object says of its kernels. `hipemu disassemble`: its listing.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/worker_channel.hpp"
#include "command_line/table.hpp"
#include "emulator/isa/true16.hpp"
#include "hipemu_command/code_file.hpp"
#include "hipemu_command/command.hpp"

namespace hipemu::command {

using flashwave::Result;
using nlohmann::ordered_json;

namespace {

struct ObjectFlags {
    std::string path, target = "gfx1100", kernel;
    bool json = false;
};

void add_object(CLI::App& command, ObjectFlags& flags) {
    command.add_option("object", flags.path, "A code object, or a bundle of several (hipcc --genco)")
        ->option_text("FILE")
        ->required();
    command.add_option("--target", flags.target, "Which object of a bundle [gfx1100]")->option_text("GFX");
    command.add_flag("--json", flags.json, "One JSON object on stdout");
}

ordered_json to_json(const KernelDescription& kernel) {
    ordered_json arguments = ordered_json::array();
    for (const KernelArgument& argument : kernel.arguments)
        arguments.push_back({{"name", argument.name},
                             {"offset", argument.offset},
                             {"size", argument.size},
                             {"kind", argument.kind},
                             {"hidden", argument.hidden()}});
    return {{"name", kernel.name},
            {"vgprs", kernel.vgprs},
            {"sgprs", kernel.sgprs},
            {"vgpr_spills", kernel.vgpr_spills},
            {"sgpr_spills", kernel.sgpr_spills},
            {"lds_bytes", kernel.group_bytes},
            {"scratch_bytes", kernel.private_bytes},
            {"argument_bytes", kernel.kernarg_bytes},
            {"max_threads", kernel.max_threads},
            {"wave_size", kernel.wave_size},
            {"wgp_mode", kernel.wgp_mode},
            {"arguments", arguments}};
}

void print_for_people(const CodeObject& object) {
    fmt::print("target {}, {} bytes of code{}\n\n", object.target, object.text_bytes,
               object.has_source_lines ? ", with source lines" : "");
    flashwave::cli::Table kernels{.columns = {"kernel", "VGPRs", "SGPRs", "spills", "LDS", "scratch", "threads", "arguments"}};
    for (const KernelDescription& kernel : object.kernels)
        kernels.rows.push_back({kernel.name, std::to_string(kernel.vgprs), std::to_string(kernel.sgprs),
                                std::to_string(kernel.vgpr_spills + kernel.sgpr_spills), std::to_string(kernel.group_bytes),
                                std::to_string(kernel.private_bytes), std::to_string(kernel.max_threads),
                                std::to_string(kernel.kernarg_bytes)});
    kernels.print(stdout);
    for (const KernelDescription& kernel : object.kernels) {
        fmt::print("\narguments of {}\n", kernel.name);
        flashwave::cli::Table arguments{.columns = {"#", "offset", "bytes", "kind"}};
        const bool named = std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                                       [](const KernelArgument& one) { return !one.name.empty(); });
        if (named) arguments.columns.emplace_back("name");
        for (const KernelArgument& argument : kernel.arguments) {
            if (argument.hidden()) continue;
            arguments.rows.push_back({std::to_string(arguments.rows.size()), std::to_string(argument.offset),
                                      std::to_string(argument.size), argument.kind});
            if (named) arguments.rows.back().push_back(argument.name);
        }
        arguments.print(stdout);
    }
}

Result<int> list(const ObjectFlags& flags) {
    const auto code = read_code(flags.path, flags.target);
    if (!code.ok()) return code.status();
    if (!flags.json) {
        print_for_people(code->object);
        return kDone;
    }
    ordered_json kernels = ordered_json::array();
    for (const KernelDescription& kernel : code->object.kernels) kernels.push_back(to_json(kernel));
    const ordered_json object = {{"target", code->object.target},
                                 {"code_bytes", code->object.text_bytes},
                                 {"source_lines", code->object.has_source_lines},
                                 {"kernels", kernels}};
    fmt::print("{}\n", object.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    return kDone;
}

/// The part of a listing that belongs to one kernel: from its label to the next.
std::string kernel_part(const std::string& listing, const std::string& kernel) {
    std::string part;
    bool inside = false;
    for (std::size_t at = 0; at < listing.size();) {
        const std::size_t end = std::min(listing.find('\n', at), listing.size());
        const std::string_view line = std::string_view(listing).substr(at, end - at);
        // Labels stand at the line's start and end in a colon; instructions are indented.
        if (!line.empty() && line.front() != '\t' && line.front() != ' ' && line.back() == ':')
            inside = line.substr(0, line.size() - 1) == kernel || line.find("<" + kernel + ">:") != std::string_view::npos;
        if (inside && line.find("s_code_end") == std::string_view::npos) part.append(line).push_back('\n');
        at = end + 1;
    }
    return part;
}

Result<int> disassemble(const ObjectFlags& flags) {
    const auto code = read_code(flags.path, flags.target);
    if (!code.ok()) return code.status();
    std::string name;
    if (!flags.kernel.empty()) {
        const auto kernel = select_kernel(code->object, flags.kernel);
        if (!kernel.ok()) return kernel.status();
        name = (*kernel)->name;
    }
    auto listing = flashwave::list_code_object(code->bytes, code->object.target);
    if (!listing.ok()) return listing.status();
    const auto image = std::as_bytes(std::span(code->bytes));
    const std::string all = with_true16(std::move(*listing), text_of(code->object, image), code->object.text_address);
    const std::string text = name.empty() ? all : kernel_part(all, name);
    if (flags.json)
        fmt::print("{}\n", ordered_json({{"target", code->object.target}, {"listing", text}})
                               .dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    else fmt::print("{}", text);
    return kDone;
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ObjectFlags>();
    CLI::App* command = app.add_subcommand("list", "The kernels of a code object: registers, LDS, spills, arguments");
    add_object(*command, *flags);
    command->footer("Example:\n  hipemu list kernels.hsaco");
    command->callback([flags, &exit_code] {
        const auto code = list(*flags);
        exit_code = code.ok() ? *code : report_failure(code.status(), flags->json);
    });
}

void add_disassemble(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ObjectFlags>();
    CLI::App* command = app.add_subcommand("disassemble", "The instructions of a code object");
    add_object(*command, *flags);
    command->add_option("--kernel", flags->kernel, "Only this kernel")->option_text("NAME");
    command->footer("Example:\n  hipemu disassemble kernels.hsaco --kernel vector_add");
    command->callback([flags, &exit_code] {
        const auto code = disassemble(*flags);
        exit_code = code.ok() ? *code : report_failure(code.status(), flags->json);
    });
}

}  // namespace hipemu::command
