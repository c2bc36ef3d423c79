// Starts the built `hipemu` as a user would, in a directory of its own.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "temporary_directory.hpp"

namespace hipemu::command::test {

struct Run {
    int exit_code = -1;
    std::string out, err;

    nlohmann::json json() const {
        auto value = nlohmann::json::parse(out, nullptr, false);
        REQUIRE_MESSAGE(!value.is_discarded(), "stdout is no JSON: ", out, "\nstderr: ", err);
        return value;
    }
};

inline Run run_hipemu(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) {
    flashwave::ProcessOptions options{
        .program = FLASHWAVE_BUILD_DIR "/bin/hipemu", .arguments = arguments, .environment = environment, .inherit_environment = true};
    options.environment.emplace_back("HIPEMU_CACHE_DIR=" FLASHWAVE_BUILD_DIR "/test-listings");
    // Whatever the caller has set, the tests mean the defaults.
    for (const std::string name : {"HIPEMU_DEVICE", "HIPEMU_STRICT", "HIPEMU_SAMPLE", "HIPEMU_TIMING", "HIPEMU_TRACE", "HIPEMU_FAULTS"}) {
        bool given = false;
        for (const std::string& one : environment) given = given || one.starts_with(name + "=");
        if (!given) options.environment.push_back(name + "=");
    }
    const auto output = flashwave::run_process(options, {}, flashwave::deadline_after(std::chrono::minutes(3)));
    REQUIRE_MESSAGE(output.ok(), output.status().message());
    REQUIRE_MESSAGE(output->end.exited, "hipemu ", output->end.sentence(), "\n", output->error_output);
    return {.exit_code = output->end.exit_code, .out = output->output, .err = output->error_output};
}

/// A directory with the files of a launch.
class LaunchFolder {
public:
    std::string path(const std::string& file) const { return directory_.path() + "/" + file; }
    std::string write(const std::string& file, const std::string& text) const {
        std::ofstream(path(file), std::ios::binary) << text;
        return path(file);
    }
    std::string read(const std::string& file) const {
        std::ifstream stream(path(file), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

private:
    flashwave::testing::TemporaryDirectory directory_;
};

inline constexpr const char* kSaxpy =
    "extern \"C\" __global__ void saxpy(float a, const float* x, float* y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

/// saxpy over 1000 elements, x = 0, 1, 2, ..., y = 1: y becomes 2 i + 1. `more` goes into the description of y, `launch` into the launch.
inline std::string saxpy_launch(const std::string& more = "", const std::string& launch = "", int n = 1000) {
    return R"({"source": "saxpy.hip", "kernel": "saxpy", "grid": 4, "block": 256, )" + launch + R"("arguments": [
        {"name": "a", "type": "f32", "value": 2},
        {"name": "x", "type": "f32", "shape": 1000, "fill": "iota"},
        {"name": "y", "type": "f32", "shape": 1000, "fill": "ones")" + more + R"(},
        {"name": "n", "type": "i32", "value": )" + std::to_string(n) + "}]}";
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace hipemu::command::test
