#include "autotune/tuner_process.hpp"

#include <fmt/format.h>

#include "base/file_system.hpp"
#include "base/frame.hpp"

namespace flashwave {
namespace {

// The child's own refusal, where the answer is one.
Status refusal(const Fields& answer) {
    return !answer.empty() && answer.front() == "error" ? decode_outcome(answer) : Status();
}

}  // namespace

Status TunerProcess::start(Deadline deadline) {
    if (process_) return {};
    if (program_.empty()) {
        Result<std::string> program = find_program("flashwave-tuner");
        if (!program.ok()) return program.status();
        program_ = *std::move(program);
    }
    Result<Process> process =
        Process::spawn({.program = program_, .arguments = {"--device", device_}, .inherit_environment = true});
    if (!process.ok()) return process.status();
    process_ = *std::move(process);
    attempts_ = 0;
    ++starts_;
    // It greets when the device is open, or says why that failed.
    const Result<Fields> greeting = ask({}, deadline, {});
    if (!greeting.ok()) return greeting.status().with_context("flashwave-tuner did not start");
    const Status outcome = refusal(*greeting);
    if (!outcome.ok()) (void)end();
    return outcome;
}

// Kills it and tells how it had ended.
std::string TunerProcess::end() {
    if (!process_) return {};
    const ProcessEnd ended = process_->kill();
    const std::string last = process_->stderr_tail(2000);
    process_.reset();
    return last.empty() ? ended.sentence() : fmt::format("{}; its last words: {}", ended.sentence(), last);
}

Result<Fields> TunerProcess::ask(const Fields& request, Deadline deadline,
                                 const std::function<void(std::string_view)>& on_state) {
    Status status = request.empty() ? Status() : write_frame(process_->channel(), pack_fields(request), deadline);
    while (status.ok()) {
        const Result<std::string> frame = read_frame(process_->channel(), deadline);
        if (!frame.ok()) {
            status = frame.status();
            break;
        }
        Result<Fields> fields = unpack_fields(*frame);
        if (!fields.ok()) {
            status = fields.status();
        } else if (fields->size() == 2 && fields->front() == "state") {
            if (on_state) on_state(fields->back());
        } else {
            return fields;
        }
    }
    if (status.code() == Code::deadline) {
        (void)end();
        return Status(Code::deadline, "it had not finished at its deadline and was stopped");
    }
    // Let a process that is dying finish, so that its own end is told and not our kill.
    (void)process_->wait(deadline_after(std::chrono::milliseconds(500)));
    return Status(Code::crashed, fmt::format("flashwave-tuner {}", end()));
}

Result<cache::Measurement> TunerProcess::attempt(const TryRequest& request, Deadline deadline,
                                                 const std::function<void(std::string_view)>& on_state) {
    FLASHWAVE_RETURN_IF_ERROR(start(deadline));
    ++attempts_;
    const Result<Fields> answer = ask(encode(request), deadline, on_state);
    if (answer.status().code() == Code::deadline)
        return cache::Measurement{.outcome = cache::Outcome::timeout, .detail = answer.status().message()};
    if (!answer.ok()) return cache::Measurement{.outcome = cache::Outcome::crash, .detail = answer.status().message()};
    FLASHWAVE_RETURN_IF_ERROR(refusal(*answer));
    Result<cache::Measurement> measurement = decode_measurement(*answer);
    // After a fault a HIP context is of no further use.
    if (measurement.ok() && measurement->outcome == cache::Outcome::crash) (void)end();
    return measurement;
}

Result<std::vector<Times>> TunerProcess::race(const std::vector<int>& contenders, Deadline deadline) {
    if (!process_) return Status(Code::crashed, "flashwave-tuner is gone");
    const Result<Fields> answer = ask(encode_race(contenders), deadline, {});
    if (!answer.ok()) return answer.status();
    FLASHWAVE_RETURN_IF_ERROR(refusal(*answer));
    return decode_times(*answer);
}

}  // namespace flashwave
