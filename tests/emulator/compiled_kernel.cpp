#include "emulator/compiled_kernel.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <tuple>

#include <doctest/doctest.h>

#include "base/worker_channel.hpp"

namespace hip_test {
namespace {

using flashwave::WorkerChannel;

/// One of the two workers of this process.
WorkerChannel& worker(std::size_t which = 0) {
    static std::unique_ptr<WorkerChannel> channels[2];
    std::unique_ptr<WorkerChannel>& channel = channels[which];
    if (!channel || channel->broken()) {
        auto found = flashwave::find_worker();
        REQUIRE_MESSAGE(found.ok(), found.status().to_string());
        auto started = WorkerChannel::start(*found);
        REQUIRE_MESSAGE(started.ok(), started.status().to_string());
        channel = std::move(*started);
    }
    return *channel;
}

using Key = std::tuple<std::string, std::vector<std::string>, std::string>;  // source, options, target

std::map<Key, std::string>& known() {
    static std::map<Key, std::string> objects;
    return objects;
}

flashwave::CompileJob job_of(const std::string& source, const Compilation& compilation, const std::map<std::string, std::string>& headers) {
    flashwave::CompileJob job{.target = compilation.target, .main_file = "test.hip", .files = {{"test.hip", source}}, .options = compilation.options};
    for (const auto& [name, text] : headers) job.files.push_back({name, text});
    return job;
}

flashwave::Result<flashwave::CompiledObject> run(WorkerChannel& channel, const flashwave::CompileJob& job) {
    return channel.compile(job, flashwave::deadline_after(std::chrono::minutes(2)));
}

}  // namespace

std::string compile(const std::string& source, const std::vector<std::string>& options, const std::string& target,
                    const std::map<std::string, std::string>& headers) {
    std::string& code = known()[{source, options, target}];
    if (!code.empty()) return code;
    auto compiled = run(worker(), job_of(source, {target, options}, headers));
    // A worker that had nothing to do for a while has ended by itself.
    if (!compiled.ok()) compiled = run(worker(), job_of(source, {target, options}, headers));
    REQUIRE_MESSAGE(compiled.ok(), compiled.status().to_string());
    code = std::move(compiled->code);
    return code;
}

std::vector<std::string> compile_all(const std::string& source, const std::vector<Compilation>& compilations,
                                     const std::map<std::string, std::string>& headers) {
    std::vector<const Compilation*> missing;
    for (const Compilation& one : compilations) {
        if (known()[{source, one.options, one.target}].empty()) missing.push_back(&one);
    }
    std::vector<flashwave::Result<flashwave::CompiledObject>> results(missing.size(), flashwave::Status(flashwave::Code::internal, "not compiled"));
    std::atomic<std::size_t> next = 0;
    const auto work = [&](WorkerChannel& channel) {
        for (std::size_t i = next++; i < missing.size(); i = next++) results[i] = run(channel, job_of(source, *missing[i], headers));
    };
    if (!missing.empty()) {
        WorkerChannel &first = worker(0), &second = worker(1);
        std::thread beside([&] { work(second); });
        work(first);
        beside.join();
    }
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (!results[i].ok()) results[i] = run(worker(), job_of(source, *missing[i], headers));
        REQUIRE_MESSAGE(results[i].ok(), missing[i]->target, ": ", results[i].status().to_string());
        known()[{source, missing[i]->options, missing[i]->target}] = std::move(results[i]->code);
    }
    std::vector<std::string> objects;
    for (const Compilation& one : compilations) objects.push_back(known()[{source, one.options, one.target}]);
    return objects;
}

std::string listing_of(const std::string& code, const std::string& target) {
    auto listing = worker().list(code, target, flashwave::deadline_after(std::chrono::minutes(2)));
    REQUIRE_MESSAGE(listing.ok(), listing.status().to_string());
    return std::move(*listing);
}

}  // namespace hip_test
