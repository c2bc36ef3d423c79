#include "emulator/compiled_kernel.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <tuple>

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

std::string compile(const std::string& source, const std::vector<std::string>& options, const std::string& target) {
    static std::map<std::tuple<std::string, std::vector<std::string>, std::string>, std::string> known;
    std::string& code = known[{source, options, target}];
    if (!code.empty()) return code;
    const flashwave::CompileJob job{.target = target, .main_file = "test.hip", .files = {{"test.hip", source}}, .options = options};
    auto compiled = worker().compile(job, flashwave::deadline_after(std::chrono::minutes(2)));
    // A worker that had nothing to do for a while has ended by itself.
    if (!compiled.ok()) compiled = worker().compile(job, flashwave::deadline_after(std::chrono::minutes(2)));
    REQUIRE_MESSAGE(compiled.ok(), compiled.status().to_string());
    code = std::move(compiled->code);
    return code;
}

std::string listing_of(const std::string& code, const std::string& target) {
    auto listing = worker().list(code, target, flashwave::deadline_after(std::chrono::minutes(2)));
    REQUIRE_MESSAGE(listing.ok(), listing.status().to_string());
    return std::move(*listing);
}

}  // namespace hip_test
