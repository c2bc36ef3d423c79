// The file of HIPEMU_TIMING: constants of the chip table that a user knows better. Read once, at the first look at a card.
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "emulator/settings/config.hpp"
#include "emulator/timing/chips.hpp"

namespace hipemu {
namespace {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;
using nlohmann::json;

Status wrong(std::string_view what, std::string why) { return Status(Code::invalid_argument, fmt::format("{}: {}", what, why)); }

Status override_constants(Chip& chip, const json& values, std::string_view what) {
    if (!values.is_object()) return wrong(what, fmt::format("'{}' is not followed by an object of constants", chip.name));
    for (const auto& [name, value] : values.items()) {
        const ChipConstant* known = nullptr;
        for (const ChipConstant& constant : chip_constants())
            if (constant.name == name) known = &constant;
        if (!known) return wrong(what, fmt::format("{}: there is no constant '{}'; `hipemu cards` lists them", chip.name, name));
        if (!value.is_number()) return wrong(what, fmt::format("{}.{} is no number", chip.name, name));
        const double number = value.get<double>();
        const bool whole = !std::holds_alternative<double Chip::*>(known->member);
        if (!std::isfinite(number) || number < 0 || number > 1e15 || (whole && number != std::floor(number)))
            return wrong(what, fmt::format("{}.{} = {} is not a {} of at least 0", chip.name, name, number, whole ? "whole number" : "number"));
        known->set(chip, number);
    }
    return {};
}

struct InForce {
    std::vector<Chip> chips;
    Status status;
};

InForce load() {
    const std::string& path = config().timing_file;
    if (path.empty()) return {.chips = table_chips(), .status = {}};
    std::ifstream file(path);
    if (!file) return {.chips = {}, .status = wrong("HIPEMU_TIMING", fmt::format("'{}' cannot be read", path))};
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Result<std::vector<Chip>> made = override_chips(text, fmt::format("HIPEMU_TIMING={}", path));
    if (!made.ok()) return {.chips = {}, .status = made.status()};
    return {.chips = std::move(*made), .status = {}};
}

const InForce& in_force() {
    static const InForce chips = load();
    return chips;
}

}  // namespace

Result<std::vector<Chip>> override_chips(std::string_view text, std::string_view what) {
    std::vector<Chip> made = table_chips();
    const json file = json::parse(text, nullptr, false);
    if (!file.is_object()) return wrong(what, "it is no JSON object of cards, like {\"rx7900xtx\": {\"wmma_cycles\": 32}}");
    for (const auto& [name, values] : file.items()) {
        Chip* card = nullptr;
        std::vector<std::string_view> names;
        for (Chip& chip : made) {
            names.push_back(chip.name);
            if (chip.name == name) card = &chip;
        }
        if (!card) return wrong(what, fmt::format("there is no card '{}'; the cards are {}", name, fmt::join(names, ", ")));
        FLASHWAVE_RETURN_IF_ERROR(override_constants(*card, values, what));
    }
    return made;
}

std::span<const Chip> chips() { return in_force().chips; }

const flashwave::Status& timing_file_status() { return in_force().status; }

}  // namespace hipemu
