// Many small kernels with one mistake each, and each without it: planted/*.hip, where a line of directives stands above every kernel:
//   //@ NAME [block=N] [grid=N] [lds=BYTES] [n=N] : TEXT
// TEXT stands in the finding, or in the warning, that the kernel compiled with BUG=1 gives; one with BUG=0 runs without. `clean`: both do. Where
// lines of the kernel end in //! the finding names one of them. A kernel gets `out`, 64 KiB of zeros; `in`, where word i of 1024 is i; `raw`,
// the same and never written from word 512 on; and n, 1024 by default.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "emulator/hip_program.hpp"

namespace {

using namespace hip_test;

constexpr std::uint64_t kInstructionLimit = 2'000'000;
constexpr std::size_t kWords = 1024, kDefinedWords = 512, kOutWords = 16384;

struct Pair {
    std::string name, text;
    unsigned block = 32, grid = 1, lds = 0, n = 1024;
    std::set<int> lines;   // that the finding may name
};

std::string text_of(const std::string& file) {
    std::ifstream in(std::string(HIPEMU_PLANTED_DIR "/") + file);
    std::stringstream text;
    text << in.rdbuf();
    REQUIRE_MESSAGE(!text.str().empty(), file);
    return text.str();
}

std::vector<Pair> pairs_of(const std::string& source) {
    std::vector<Pair> pairs;
    std::istringstream lines(source);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (!pairs.empty() && line.ends_with("//!")) pairs.back().lines.insert(number);
        if (!line.starts_with("//@ ")) continue;
        const std::size_t colon = line.find(" : ");
        REQUIRE_MESSAGE(colon != std::string::npos, line);
        Pair pair{.name = {}, .text = line.substr(colon + 3), .lines = {}};
        std::istringstream words(line.substr(4, colon - 4));
        words >> pair.name;
        for (std::string word; words >> word;) {
            const std::size_t equals = word.find('=');
            const std::string key = word.substr(0, equals);
            const auto value = static_cast<unsigned>(std::stoul(word.substr(equals + 1), nullptr, 0));
            if (key == "block") pair.block = value;
            else if (key == "grid") pair.grid = value;
            else if (key == "lds") pair.lds = value;
            else if (key == "n") pair.n = value;
            else FAIL("unknown directive: ", line);
        }
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

/// What a launch is found to do wrong; empty if nothing.
std::string finding_of(const Module& module, const Pair& pair) {
    std::vector<unsigned> numbers(kWords);
    for (unsigned i = 0; i < kWords; ++i) numbers[i] = i;
    const Array<unsigned> out(kOutWords), in(numbers), raw(kWords);
    HIP_OK(hipMemset(out.get(), 0, kOutWords * 4));
    HIP_OK(hipMemcpy(raw.get(), numbers.data(), kDefinedWords * 4, hipMemcpyHostToDevice));
    std::uint64_t warnings_before = 0, warnings = 0;
    char text[4096] = "";
    HIP_OK(hipemuLastWarning(&warnings_before, text, sizeof text));
    HIP_OK(launch(module.kernel(pair.name.c_str()), {pair.grid}, {pair.block}, pair.lds, nullptr, out.get(), in.get(), raw.get(), pair.n));
    if (hipDeviceSynchronize() != hipSuccess) return explanation();
    HIP_OK(hipemuLastWarning(&warnings, text, sizeof text));
    return warnings == warnings_before ? "" : text;
}

bool names_line(const std::string& finding, const std::set<int>& lines) {
    return std::any_of(lines.begin(), lines.end(), [&](int line) { return finding.find(fmt::format("test.hip:{})", line)) != std::string::npos; });
}

void check(const std::string& file) {
    const std::string source = text_of(file);
    const auto options = [](const char* bug) { return std::vector<std::string>{"-O3", "-g", "-std=c++17", bug}; };
    const std::vector<std::string> codes = compile_all(source, {{"gfx1100", options("-DBUG=0")}, {"gfx1100", options("-DBUG=1")}});
    const Module right(codes[0]), wrong(codes[1]);
    HIP_OK(hipemuSetInstructionLimit(kInstructionLimit));
    for (const Pair& pair : pairs_of(source)) {
        CAPTURE(pair.name);
        const std::string finding = finding_of(wrong, pair);
        if (pair.text == "clean") {
            CHECK_EQ(finding, "");
        } else {
            CHECK_MESSAGE(finding.find(pair.text) != std::string::npos, finding);
            CHECK_MESSAGE(finding.find(fmt::format("kernel {}, group (", pair.name)) != std::string::npos, finding);
            if (!pair.lines.empty()) CHECK_MESSAGE(names_line(finding, pair.lines), finding);
        }
        CHECK_EQ(finding_of(right, pair), "");
    }
    HIP_OK(hipemuSetInstructionLimit(0));
}

}  // namespace

TEST_CASE("pairs: undefined bits") { check("undefined.hip"); }
TEST_CASE("pairs: missing waits") { check("waits.hip"); }
TEST_CASE("pairs: accesses out of bounds and misaligned") { check("memory.hip"); }
TEST_CASE("pairs: races, barriers, kernels without end") { check("races.hip"); }
TEST_CASE("pairs: hazards and matrix halves") { check("hazards.hip"); }
TEST_CASE("pairs: what is no mistake") { check("clean.hip"); }
