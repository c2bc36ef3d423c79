// The program in README.md is examples/quickstart.cpp, word for word, and runs.
#include <fstream>
#include <iterator>

#include "program.hpp"

namespace flashwave::cli::test {
namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

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
    ProcessOptions options{.program = FLASHWAVE_BUILD_DIR "/bin/quickstart", .arguments = {}, .environment = {}, .inherit_environment = true};
    options.environment.push_back("FLASHWAVE_CACHE_DIR=" + cache.path());
    const auto output = run_process(options, {}, deadline_after(std::chrono::minutes(5)));
    REQUIRE_MESSAGE(output.ok(), output.status().message());
    CHECK_MESSAGE(output->end.succeeded(), output->end.sentence(), "\n", output->error_output);
    CHECK(output->output == "ok: o[0] is 0x3c00, and 1.0 is 0x3c00\n");
}

}  // namespace flashwave::cli::test
