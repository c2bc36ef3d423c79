#include "base/worker_channel.hpp"

#include <fmt/format.h>

#include "base/frame.hpp"
#include "base/settings.hpp"

namespace flashwave {
namespace {

constexpr std::chrono::milliseconds kStartTime{30'000};
constexpr std::chrono::milliseconds kListTime{60'000};
constexpr std::chrono::milliseconds kEndTime{2'000};
// LLVM maps a few hundred megabytes; a compile that wants this much has lost its way.
constexpr std::uint64_t kMemoryLimit = std::uint64_t{16} << 30;
constexpr std::uint64_t kFileSizeLimit = std::uint64_t{1} << 30;

// The compiler reads many variables; it gets none of the host's, so that nothing outside the key changes its output.
std::vector<std::string> worker_environment() {
    return {"LC_ALL=C", "PATH=/usr/bin:/bin", "AMD_COMGR_CACHE=0"};
}

// What a process said before it ended, short enough for a message.
std::string last_words(const Process& process) {
    std::string text = process.stderr_tail(1000);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text.empty() ? std::string() : fmt::format(" Its last output: {}", text);
}

}  // namespace

Result<std::unique_ptr<WorkerChannel>> WorkerChannel::start(const WorkerLaunch& launch,
                                                            const std::vector<std::string>& extra_arguments) {
    // comgr unpacks every program it compiles into files; of a worker that is killed meanwhile they would stay.
    Result<ScratchDirectory> scratch = ScratchDirectory::create(settings().temporary_directory, "flashwave-worker");
    if (!scratch.ok()) return scratch.status().with_context("the compiler's worker process");
    ProcessOptions options{
        .program = launch.program,
        .arguments = {"--hiprtc", launch.hiprtc, "--comgr", launch.comgr, "--scratch", scratch->path()},
        .environment = worker_environment(),
        .memory_limit = kMemoryLimit,
        .file_size_limit = kFileSizeLimit,
    };
    options.arguments.insert(options.arguments.end(), extra_arguments.begin(), extra_arguments.end());
    if (!launch.loader.empty()) {
        options.arguments.insert(options.arguments.begin(), {"--library-path", launch.library_path, launch.program});
        options.program = launch.loader;
    }
    Result<Process> process = Process::spawn(options);
    if (!process.ok()) return process.status().with_context("the compiler's worker process");

    std::unique_ptr<WorkerChannel> channel(new WorkerChannel(std::move(*process), std::move(*scratch)));
    // The first frame is the worker's, so that a wrong or broken program is known before anything is asked of it.
    Result<Fields> greeting = channel->receive(deadline_after(kStartTime));
    if (!greeting.ok()) return greeting.status();
    if (*greeting != Fields{"flashwave-worker", std::string(kWorkerProtocol)})
        return channel->fail(
            Status(Code::unavailable,
                   fmt::format("{} is of another version of flashwave; install both together.", launch.program)));
    return channel;
}

Status WorkerChannel::fail(const Status& why) {
    broken_ = true;
    const bool ended_by_itself = why.code() == Code::not_found || why.code() == Code::io_error;
    process_.close_channel();
    if (!ended_by_itself) {
        process_.kill();
        return Status(why.code(), fmt::format("the compiler's worker process was stopped: {}{}", why.message(),
                                              last_words(process_)));
    }
    Result<ProcessEnd> end = process_.wait(deadline_after(kEndTime));
    if (!end.ok()) end = process_.kill();
    return Status(Code::crashed,
                  fmt::format("the compiler's worker process {}.{}", end->sentence(), last_words(process_)));
}

Result<Fields> WorkerChannel::receive(Deadline deadline) {
    Result<std::string> frame = read_frame(process_.channel(), deadline);
    if (!frame.ok()) return fail(frame.status());
    Result<Fields> fields = unpack_fields(*frame);
    if (!fields.ok()) return fail(fields.status());
    return fields;
}

Result<Fields> WorkerChannel::request(const Fields& fields, Deadline deadline) {
    if (broken_) return Status(Code::crashed, "the compiler's worker process is gone.");
    process_.clear_stderr();
    const Status sent = write_frame(process_.channel(), pack_fields(fields), deadline);
    // A request that is too long to send was not begun: the worker is as good as before.
    if (sent.code() == Code::invalid_argument) return sent;
    if (sent.code() == Code::deadline) return fail(sent);
    // A worker that has just ended for want of work takes nothing any more, but its goodbye can still be read.
    Result<Fields> answer = receive(deadline);
    if (!answer.ok()) return answer.status();
    if (*answer == Fields{std::string(kWorkerGoodbye)}) {
        said_goodbye_ = true;
        return fail(Status(Code::io_error, "it had nothing to do"));
    }
    const Status outcome = decode_outcome(*answer);
    if (outcome.code() == Code::corrupt) return fail(outcome);
    if (!outcome.ok()) return outcome;
    return answer;
}

Result<WorkerIdentity> WorkerChannel::hello(Deadline deadline) {
    Result<Fields> answer = request({"hello"}, deadline);
    if (!answer.ok()) return answer.status();
    Result<WorkerIdentity> identity = decode_identity(*answer);
    if (!identity.ok()) return fail(identity.status());
    return identity;
}

Result<CompiledObject> WorkerChannel::compile(const CompileJob& job, Deadline deadline) {
    Result<Fields> answer = request(encode(job), deadline);
    if (!answer.ok()) return answer.status();
    if (answer->size() != 3) return fail(Status(Code::corrupt, "the answer to a compile request is not well-formed."));
    return CompiledObject{.code = std::move((*answer)[1]), .log = std::move((*answer)[2])};
}

Result<std::string> WorkerChannel::list(std::string_view code_object, std::string_view target, Deadline deadline) {
    Result<Fields> answer = request({"list", std::string(target), std::string(code_object)}, deadline);
    if (!answer.ok()) return answer.status();
    if (answer->size() != 2) return fail(Status(Code::corrupt, "the answer to a listing request is not well-formed."));
    return std::move((*answer)[1]);
}

Result<std::vector<std::string>> WorkerChannel::source_lines(std::string_view code_object,
                                                             const std::vector<std::uint64_t>& addresses,
                                                             Deadline deadline) {
    Fields fields{"lines", std::string(code_object)};
    for (const std::uint64_t address : addresses) fields.push_back(std::to_string(address));
    Result<Fields> answer = request(fields, deadline);
    if (!answer.ok()) return answer.status();
    answer->erase(answer->begin());
    if (answer->size() != addresses.size())
        return fail(Status(Code::corrupt, "the answer to a request for source lines is not well-formed."));
    return answer;
}

Result<std::vector<std::string>> WorkerChannel::targets(const std::vector<std::string>& candidates, Deadline deadline) {
    Fields fields{"targets"};
    fields.insert(fields.end(), candidates.begin(), candidates.end());
    Result<Fields> answer = request(fields, deadline);
    if (!answer.ok()) return answer.status();
    answer->erase(answer->begin());
    return answer;
}

namespace {

/// A worker for one request.
Result<std::unique_ptr<WorkerChannel>> start_worker() {
    Result<WorkerLaunch> launch = find_worker();
    if (!launch.ok()) return launch.status();
    return WorkerChannel::start(*launch);
}

}  // namespace

Result<std::string> list_code_object(std::string_view code_object, std::string_view target) {
    Result<std::unique_ptr<WorkerChannel>> channel = start_worker();
    if (!channel.ok()) return channel.status();
    return (*channel)->list(code_object, target, deadline_after(kListTime));
}

Result<std::vector<std::string>> source_lines_of(std::string_view code_object, const std::vector<std::uint64_t>& addresses) {
    Result<std::unique_ptr<WorkerChannel>> channel = start_worker();
    if (!channel.ok()) return channel.status();
    return (*channel)->source_lines(code_object, addresses, deadline_after(kListTime));
}

}  // namespace flashwave
