// The program in README.md is examples/quickstart.cpp, word for word, and runs; its tables name every variable there
// is.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "program.hpp"

namespace flashwave::cli::test {
namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
        found.insert((*match)[1]);
    return found;
}

}  // namespace

TEST_CASE("the README names the environment variables that are read, and no other") {
    std::set<std::string> read;
    for (const char* folder : {"src", "cache", "autotune"})
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(std::string(FLASHWAVE_SOURCE_DIR "/") + folder))
            if (entry.path().extension() == ".cpp")
                read.merge(matches(text_of(entry.path()), R"re("((FLASHWAVE|HIPEMU)_[A-Z_]+)")re"));
    CHECK(read.size() > 10);
    const auto told =
        matches(text_of(FLASHWAVE_SOURCE_DIR "/README.md"), R"re(\| `((FLASHWAVE|HIPEMU)_[A-Z_]+)` \|)re");
    for (const std::string& name : read) CHECK_MESSAGE(told.count(name) == 1, name, " is missing in the README");
    for (const std::string& name : told)
        CHECK_MESSAGE(read.count(name) == 1, name, " is in the README and read by nobody");
}

TEST_CASE("what the documents point at is there") {
    for (const std::string document : {"README.md", "docs/command.md", "docs/emulator.md", "docs/timing-model.md"}) {
        const std::filesystem::path file = std::filesystem::path(FLASHWAVE_SOURCE_DIR) / document;
        const auto targets = matches(text_of(file), R"re(\]\(([^)#: ]+)(?:#[^)]*)?\))re");
        CHECK_FALSE(targets.empty());
        for (const std::string& target : targets)
            CHECK_MESSAGE(std::filesystem::exists(file.parent_path() / target), document, " points at ", target);
    }
}

TEST_CASE("the program in the README is the example that is built") {
    const std::string readme = text_of(FLASHWAVE_SOURCE_DIR "/README.md");
    const std::string fence = "```cpp\n";
    const std::size_t begin = readme.find(fence);
    REQUIRE(begin != std::string::npos);
    const std::size_t code = begin + fence.size();
    const std::size_t end = readme.find("```\n", code);
    REQUIRE(end != std::string::npos);
    CHECK(readme.substr(code, end - code) == text_of(FLASHWAVE_SOURCE_DIR "/examples/quickstart.cpp"));
}

TEST_CASE("the example computes attention on the emulator") {
    const TemporaryDirectory cache;
    ProcessOptions options{.program = FLASHWAVE_BUILD_DIR "/bin/quickstart",
                           .arguments = {},
                           .environment = {},
                           .inherit_environment = true};
    options.environment.push_back("FLASHWAVE_CACHE_DIR=" + cache.path());
    const auto output = run_process(options, {}, deadline_after(std::chrono::minutes(5)));
    REQUIRE_MESSAGE(output.ok(), output.status().message());
    CHECK_MESSAGE(output->end.succeeded(), output->end.sentence(), "\n", output->error_output);
    CHECK(output->output == "ok: o[0] is 0x3c00, and 1.0 is 0x3c00\n");
}

}  // namespace flashwave::cli::test
