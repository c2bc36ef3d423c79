#include "emulator/instruction_cases.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "emulator/instruction_harness.hpp"

namespace emulator_test {

using namespace hipemu;

namespace {

struct Setting {
    std::string name;      // v, s, vcc, exec, scc, mode
    unsigned index = 0;
    unsigned words = 1;
    std::uint64_t value = 0;
};

/// Bits of a half that holds `value` exactly.
std::uint64_t half_bits(double value) {
    const std::uint64_t sign = std::signbit(value) ? 0x8000u : 0u;
    const double magnitude = std::fabs(value);
    if (magnitude == 0.0) return sign;
    int exponent = 0;
    const double mantissa = std::frexp(magnitude, &exponent);  // in [0.5, 1)
    if (exponent < -13) return sign | static_cast<std::uint64_t>(std::ldexp(magnitude, 24));
    return sign | static_cast<std::uint64_t>(exponent + 14) << 10 | (static_cast<std::uint64_t>(std::ldexp(mantissa, 11)) & 0x3ffu);
}

std::uint64_t parse_value(const std::string& text, unsigned& words) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("-0x");
    const char last = text.back();
    if (!hexadecimal && (last == 'f' || last == 'h' || last == 'd')) {
        const double number = std::strtod(text.substr(0, text.size() - 1).c_str(), nullptr);
        if (last == 'f') return bits_of(static_cast<float>(number));
        if (last == 'h') return half_bits(number);
        words = 2;
        return bits_of(number);
    }
    const auto bits = text[0] == '-' ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), nullptr, 0)) : std::strtoull(text.c_str(), nullptr, 0);
    return words == 2 ? bits : bits & 0xffffffffu;
}

std::vector<Setting> parse_settings(std::string_view text) {
    std::vector<Setting> settings;
    while (!text.empty()) {
        const std::size_t start = text.find_first_not_of(' ');
        if (start == std::string_view::npos) break;
        text.remove_prefix(start);
        const std::string token(text.substr(0, text.find(' ')));
        text.remove_prefix(token.size());
        const std::size_t equals = token.find('=');
        if (equals == std::string::npos) throw std::runtime_error("no '=' in " + token);
        Setting setting;
        const std::string left = token.substr(0, equals);
        if (left == "vcc" || left == "exec" || left == "scc" || left == "mode") {
            setting.name = left;
        } else {
            setting.name = left.substr(0, 1);
            setting.index = static_cast<unsigned>(std::strtoul(left.c_str() + 1, nullptr, 10));
            if (left.find(':') != std::string::npos) setting.words = 2;
        }
        setting.value = parse_value(token.substr(equals + 1), setting.words);
        settings.push_back(setting);
    }
    return settings;
}

std::set<std::string, std::less<>>& covered() {
    static std::set<std::string, std::less<>> set;
    return set;
}

void note_mnemonics(std::string_view line) {
    for (;;) {
        const std::size_t joint = line.find(" :: ");
        std::string mnemonic(line.substr(0, line.find(' ')));
        for (const std::string_view suffix : {"_e32", "_e64", "_dpp"}) {
            if (mnemonic.ends_with(suffix)) mnemonic.resize(mnemonic.size() - suffix.size());
        }
        covered().insert(mnemonic);
        if (joint == std::string_view::npos) return;
        line.remove_prefix(joint + 4);
    }
}

constexpr std::uint32_t kSomeLanes = 0x0ff0a5c3u;
constexpr std::uint32_t kOldValue = 0x5a5a1234u;

void check_case(const Case& one, LaneBuild build, std::uint32_t exec) {
    INFO("case: ", one.line, " | ", one.before, " -> ", one.after, " exec ", exec, build == LaneBuild::avx2 ? " avx2" : " portable");
    WaveRun run(one.line, build);
    const auto after = parse_settings(one.after);
    const auto before = parse_settings(one.before);
    const auto is_input = [&](unsigned r) {
        for (const Setting& in : before) {
            if (in.name == "v" && r >= in.index && r < in.index + in.words) return true;
        }
        return false;
    };
    for (const Setting& out : after) {
        if (out.name == "v" && !is_input(out.index)) {
            for (unsigned w = 0; w < out.words; ++w) run.set_v(out.index + w, kOldValue);
        }
    }
    run.set_exec(exec);
    for (const Setting& in : before) {
        const auto low = static_cast<std::uint32_t>(in.value);
        if (in.name == "v" && in.words == 1) run.set_v(in.index, low);
        if (in.name == "v" && in.words == 2) run.set_v64(in.index, in.value);
        if (in.name == "s" && in.words == 1) run.set_s(in.index, low);
        if (in.name == "s" && in.words == 2) run.set_s64(in.index, in.value);
        if (in.name == "vcc") run.set_vcc(low);
        if (in.name == "scc") run.set_scc(low != 0);
        if (in.name == "mode") run.set_mode(low);
    }
    std::vector<std::uint32_t> old(256);
    for (unsigned r = 0; r < 256; ++r) old[r] = run.v(r);
    run.go();
    REQUIRE_MESSAGE(run.fault() == nullptr, (run.fault() ? run.fault()->message : std::string()));
    for (const Setting& out : after) {
        const auto low = static_cast<std::uint32_t>(out.value);
        if (out.name == "vcc") CHECK(run.vcc() == (one.every_lane ? low : low & exec));
        if (out.name == "exec") CHECK(run.exec() == (one.every_lane ? low : low & exec));
        if (out.name == "s") {
            CHECK(run.s(out.index) == (one.every_lane ? low : low & exec));
            if (out.words == 2) CHECK(run.s(out.index + 1) == static_cast<std::uint32_t>(out.value >> 32));
        }
        if (out.name != "v") continue;
        for (unsigned w = 0; w < out.words; ++w) {
            const unsigned r = out.index + w;
            const auto expected = static_cast<std::uint32_t>(out.value >> (32 * w));
            for (int lane = 0; lane < kLanes; ++lane) {
                const bool on = one.every_lane || (exec >> lane & 1) != 0;
                INFO("register v", r, " lane ", lane);
                REQUIRE(run.v(r, lane) == (on ? expected : old[r]));
            }
        }
    }
}

}  // namespace

CaseTable::CaseTable(std::vector<Case> cases) : cases_(std::move(cases)) {
    for (const Case& one : cases_) note_mnemonics(one.line);
}

void CaseTable::check() const {
    for (const Case& one : cases_) {
        for (const LaneBuild build : runnable_builds()) {
            check_case(one, build, 0xffffffffu);
            if (!one.every_lane) check_case(one, build, kSomeLanes);
        }
    }
}

bool covers(std::initializer_list<std::string_view> mnemonics) {
    for (const std::string_view mnemonic : mnemonics) note_mnemonics(mnemonic);
    return true;
}

const std::set<std::string, std::less<>>& covered_mnemonics() { return covered(); }

}  // namespace emulator_test
