// `hipemu cards`: the cards that are emulated, and every constant of the timing model with its value and source.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table.hpp"
#include "emulator/timing/chips.hpp"
#include "hipemu_command/command.hpp"

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;
using nlohmann::ordered_json;

namespace {

struct CardFlags {
    std::string card;
    bool json = false;
};

ordered_json to_json(const Chip& chip) {
    ordered_json constants;
    for (const ChipConstant& constant : chip_constants())
        constants[std::string(constant.name)] = {{"value", constant.value_in(chip)},
                                                 {"unit", constant.unit},
                                                 {"meaning", constant.meaning},
                                                 {"source", constant.source_in(chip)}};
    return {{"name", chip.name},
            {"target", chip.target},
            {"model", chip.marketing_name},
            {"timing_table_hash", timing_table_hash(chip)},
            {"constants", constants}};
}

void print_cards() {
    flashwave::cli::Table table{.columns = {"card", "target", "model", "compute units", "GHz", "GB/s", "MiB"}};
    for (const Chip& chip : chips())
        table.rows.push_back({std::string(chip.name), std::string(chip.target), std::string(chip.marketing_name),
                              std::to_string(chip.compute_units), fmt::format("{:.2f}", chip.clock_ghz),
                              fmt::format("{:g}", chip.memory_gbs), std::to_string(chip.memory_bytes >> 20)});
    table.print(stdout);
    fmt::print("\n`hipemu cards CARD` shows the constants of its timing model with their sources.\n");
}

void print_constants(const Chip& chip) {
    fmt::print("{} ({}, {}), timing table {}\n\n", chip.name, chip.marketing_name, chip.target,
               timing_table_hash(chip).substr(0, 16));
    flashwave::cli::Table table{.columns = {"constant", "value", "unit", "meaning", "source"}};
    for (const ChipConstant& constant : chip_constants())
        table.rows.push_back({std::string(constant.name), fmt::format("{:.10g}", constant.value_in(chip)),
                              std::string(constant.unit), std::string(constant.meaning), std::string(constant.source_in(chip))});
    table.print(stdout);
}

Result<int> cards(const CardFlags& flags) {
    FLASHWAVE_RETURN_IF_ERROR(timing_file_status());
    const Chip* chosen = flags.card.empty() ? nullptr : find_chip(flags.card);
    if (!flags.card.empty() && chosen == nullptr) {
        std::string names;
        for (const Chip& chip : chips()) names += (names.empty() ? "" : ", ") + std::string(chip.name);
        return Status(Code::invalid_argument, fmt::format("there is no card \"{}\"; there are {}", flags.card, names));
    }
    if (flags.json) {
        ordered_json all = ordered_json::array();
        for (const Chip& chip : chips()) all.push_back(to_json(chip));
        fmt::print("{}\n", chosen != nullptr ? to_json(*chosen).dump() : all.dump());
    } else if (chosen != nullptr) {
        print_constants(*chosen);
    } else {
        print_cards();
    }
    return kDone;
}

}  // namespace

void add_cards(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<CardFlags>();
    CLI::App* command =
        app.add_subcommand("cards", "The emulated cards; of one, every constant of its timing model with its source");
    command->add_option("card", flags->card, "A card by name or gfx target")->option_text("CARD");
    command->add_flag("--json", flags->json, "JSON on stdout: a list of cards, or the one that was named");
    command->footer("Examples:\n  hipemu cards\n  hipemu cards rx7900xtx");
    command->callback([flags, &exit_code] {
        const auto code = cards(*flags);
        exit_code = code.ok() ? *code : report_failure(code.status(), flags->json);
    });
}

}  // namespace hipemu::command
