#include "emulator/settings/strictness.hpp"

#include <array>

#include <fmt/format.h>

namespace hipemu {
namespace {

struct Check {
    std::string_view name;
    bool Strictness::* member;
};

constexpr std::array kChecks{
    Check{"undefined", &Strictness::undefined},       Check{"waits", &Strictness::waits},
    Check{"lds_races", &Strictness::lds_races},       Check{"global_races", &Strictness::global_races},
    Check{"misaligned", &Strictness::misaligned},     Check{"wmma", &Strictness::wmma},
    Check{"hazards", &Strictness::hazards},           Check{"barriers", &Strictness::barriers},
};

}  // namespace

Strictness Strictness::none() {
    Strictness strictness;
    for (const Check& check : kChecks) strictness.*check.member = false;
    return strictness;
}

flashwave::Result<Strictness> parse_strictness(std::string_view text) {
    if (text == "1" || text == "all") return Strictness{};
    if (text == "0" || text == "none") return Strictness::none();
    Strictness strictness = text.starts_with('-') ? Strictness{} : Strictness::none();
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        std::string_view word = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        const bool on = !word.starts_with('-');
        if (!on) word.remove_prefix(1);
        bool known = false;
        for (const Check& check : kChecks) {
            if (check.name != word) continue;
            strictness.*check.member = on;
            known = true;
        }
        if (!known) {
            std::string names;
            for (const Check& check : kChecks) names += fmt::format("{}{}", names.empty() ? "" : ", ", check.name);
            return flashwave::Status(flashwave::Code::invalid_argument,
                                     fmt::format("`{}` is no check of the emulator; write all, none, or a list of {}", word, names));
        }
    }
    return strictness;
}

std::string to_string(const Strictness& strictness) {
    if (strictness == Strictness{}) return "all";
    std::string text;
    for (const Check& check : kChecks) {
        if (strictness.*check.member) text += fmt::format("{}{}", text.empty() ? "" : ",", check.name);
    }
    return text.empty() ? "none" : text;
}

}  // namespace hipemu
