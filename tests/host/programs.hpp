// Programs of this build as tests start them, and what the machine must have for some of them.
#pragma once

#include <string>
#include <vector>

#include "base/process.hpp"
#include "compile/worker_pool.hpp"

namespace flashwave::testing {

inline std::string program(const std::string& name) { return std::string(FLASHWAVE_BUILD_DIR) + "/bin/" + name; }

inline ProcessOptions host_forward(const std::string& cache, const std::string& mode, int seq, int dim,
                                   std::vector<std::string> environment = {}) {
    return {.program = program("host_forward"),
            .arguments = {cache, mode, std::to_string(seq), std::to_string(dim)},
            .environment = std::move(environment),
            .inherit_environment = true};
}

/// Runs it to its end; its output line, or how it ended.
inline std::string run(const ProcessOptions& options) {
    const Result<ProcessOutput> output = run_process(options, {}, deadline_after(std::chrono::minutes(8)));
    if (!output.ok()) return output.status().to_string();
    if (!output->end.succeeded() && output->output.empty()) return output->end.sentence() + ": " + output->error_output;
    return output->output;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// There is a compiler. Without one these tests have nothing to launch, and say so.
inline bool has_compiler() {
    WorkerPool pool;
    return pool.launch().ok();
}

}  // namespace flashwave::testing
