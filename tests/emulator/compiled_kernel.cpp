#include "emulator/compiled_kernel.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include "base/worker_channel.hpp"

namespace hip_test {
namespace {

flashwave::WorkerChannel& worker() {
    static std::unique_ptr<flashwave::WorkerChannel> channel;
    if (!channel || channel->broken()) {
        auto found = flashwave::find_worker();
        REQUIRE_MESSAGE(found.ok(), found.status().to_string());
        auto started = flashwave::WorkerChannel::start(*found);
        REQUIRE_MESSAGE(started.ok(), started.status().to_string());
        channel = std::move(*started);
    }
    return *channel;
}

}  // namespace

std::string compile(const std::string& source, const std::vector<std::string>& options) {
    static std::map<std::pair<std::string, std::vector<std::string>>, std::string> known;
    std::string& code = known[{source, options}];
    if (!code.empty()) return code;
    const flashwave::CompileJob job{.target = "gfx1100", .main_file = "test.hip", .files = {{"test.hip", source}}, .options = options};
    auto compiled = worker().compile(job, flashwave::deadline_after(std::chrono::minutes(2)));
    REQUIRE_MESSAGE(compiled.ok(), compiled.status().to_string());
    code = std::move(compiled->code);
    return code;
}

}  // namespace hip_test
