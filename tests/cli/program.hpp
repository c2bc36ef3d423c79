// Starts the built `flashwave` as a user would, with an environment of its own.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "temporary_directory.hpp"

namespace flashwave::cli::test {

using testing::TemporaryDirectory;

struct Run {
    int exit_code = -1;
    std::string out, err;

    /// stdout as JSON; the test fails where it is none.
    nlohmann::json json() const {
        auto value = nlohmann::json::parse(out, nullptr, false);
        REQUIRE_MESSAGE(!value.is_discarded(), "stdout is no JSON: ", out, "\nstderr: ", err);
        return value;
    }
};

using Arguments = std::vector<std::string>;

inline ProcessOptions flashwave_process(const std::string& cache_dir, const Arguments& arguments,
                                        const std::vector<std::string>& environment = {}) {
    ProcessOptions options{.program = FLASHWAVE_BUILD_DIR "/bin/flashwave",
                           .arguments = arguments,
                           .environment = environment,
                           .inherit_environment = true};
    options.environment.push_back("FLASHWAVE_CACHE_DIR=" + cache_dir);
    options.environment.emplace_back("HIPEMU_CACHE_DIR=" FLASHWAVE_BUILD_DIR "/test-listings");
    // Whatever the caller has set, the tests mean the defaults.
    for (const char* name : {"FLASHWAVE_DEVICE=", "FLASHWAVE_TUNE=", "FLASHWAVE_LOG="})
        options.environment.emplace_back(name);
    return options;
}

inline Run run_flashwave(const std::string& cache_dir, const Arguments& arguments, std::string_view input = {},
                         const std::vector<std::string>& environment = {}) {
    const auto output = run_process(flashwave_process(cache_dir, arguments, environment), input,
                                    deadline_after(std::chrono::minutes(10)));
    REQUIRE_MESSAGE(output.ok(), output.status().message());
    REQUIRE_MESSAGE(output->end.exited, "flashwave ", output->end.sentence(), "\n", output->error_output);
    return {.exit_code = output->end.exit_code, .out = output->output, .err = output->error_output};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace flashwave::cli::test
