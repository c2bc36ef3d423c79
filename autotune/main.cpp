// flashwave-tuner: runs candidates for the process that started it, which talks to it over the socket that is its stdin
// and stdout (autotune/protocol.hpp). Whatever a kernel does to its process, it does here. It ends when that socket is
// closed.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "autotune/benchmark.hpp"
#include "autotune/protocol.hpp"
#include "autotune/validate.hpp"
#include "base/frame.hpp"
#include "base/served_channel.hpp"
#include "hip/device.hpp"
#include "hip/module.hpp"

namespace {

using namespace flashwave;
using cache::Measurement;
using cache::Outcome;

constexpr int kWrongUsage = 2;

// A candidate that came through, kept loaded for a race.
struct Entrant {
    hip::Module module;
    hip::Kernel kernel;
    Candidate candidate;
};

class Tuner {
  public:
    Tuner(hip::Device device, int channel) : device_(std::move(device)), channel_(channel) {}

    Fields answer(const Fields& request) {
        if (!request.empty() && request[0] == "race") return race(request);
        const Result<TryRequest> attempt = decode_try(request);
        if (!attempt.ok()) return encode_error(attempt.status());
        const Result<Measurement> measurement = try_candidate(*attempt);
        return measurement.ok() ? encode(*measurement) : encode_error(measurement.status());
    }

  private:
    void say(std::string_view state) { (void)write_frame(channel_, pack_fields(encode_state(state)), kNoDeadline); }

    // Inputs and references are made once a key and serve all its candidates.
    Status prepare(const ProblemKey& key) {
        if (key_ && *key_ == key) return {};
        key_.reset();
        Result<Validator> validator = Validator::create(device_, key);
        if (!validator.ok()) return validator.status();
        validator_.emplace(*std::move(validator));
        Result<Benchmark> benchmark = Benchmark::create(device_, key);
        if (!benchmark.ok()) return benchmark.status();
        benchmark_.emplace(*std::move(benchmark));
        key_ = key;
        return {};
    }

    Result<Measurement> try_candidate(const TryRequest& attempt) {
        Measurement m{.modelled = device_.facts().emulated};
        const auto ended = [&](Outcome outcome, const Status& why) {
            m.outcome = why.code() == Code::out_of_memory ? Outcome::out_of_memory : outcome;
            m.detail = why.message();
            return m;
        };
        FLASHWAVE_RETURN_IF_ERROR(prepare(attempt.key));
        entrants_.emplace_back();
        auto entrant = std::make_unique<Entrant>();
        entrant->candidate = attempt.candidate;
        Result<hip::Module> module = hip::Module::load(device_, std::as_bytes(std::span(attempt.code)));
        if (!module.ok()) return ended(Outcome::load_error, module.status());
        entrant->module = *std::move(module);
        const Result<hip::Kernel> kernel = entrant->module.kernel(attempt.entry);
        if (!kernel.ok()) return ended(Outcome::load_error, kernel.status());
        entrant->kernel = *kernel;

        say("validating");
        const Validator::Verdict verdict = validator_->check(entrant->kernel, attempt.candidate);
        m.outcome = verdict.outcome;
        m.detail = verdict.detail;
        m.max_error = verdict.max_error;
        m.error_bound = verdict.error_bound;
        if (m.outcome != Outcome::ok) return m;

        say("timing");
        const Result<std::vector<Times>> times = benchmark_->time({{&entrant->kernel, attempt.candidate}});
        if (!times.ok()) return ended(Outcome::crash, times.status());
        m.repetitions = times->front().repetitions;
        m.us_median = times->front().median;
        m.us_p20 = times->front().p20;
        m.us_p80 = times->front().p80;
        entrants_.back() = std::move(entrant);
        return m;
    }

    Fields race(const Fields& request) {
        const Result<std::vector<int>> numbers = decode_race(request);
        if (!numbers.ok()) return encode_error(numbers.status());
        std::vector<Benchmark::Contender> contenders;
        for (const int number : *numbers) {
            if (number < 0 || number >= static_cast<int>(entrants_.size()) ||
                !entrants_[static_cast<std::size_t>(number)])
                return encode_error(Status(Code::not_found, "a contender is not loaded"));
            const Entrant& entrant = *entrants_[static_cast<std::size_t>(number)];
            contenders.push_back({&entrant.kernel, entrant.candidate});
        }
        const Result<std::vector<Times>> times = benchmark_->time(contenders);
        return times.ok() ? encode(*times) : encode_error(times.status());
    }

    hip::Device device_;
    int channel_;
    std::optional<ProblemKey> key_;
    std::optional<Validator> validator_;
    std::optional<Benchmark> benchmark_;
    std::vector<std::unique_ptr<Entrant>> entrants_;  // by the order of attempts; empty for those that failed
};

int serve(std::string_view device_name) {
    const int channel = take_channel();
    end_with_parent(channel);
    const auto send = [&](const Fields& fields) { return write_frame(channel, pack_fields(fields), kNoDeadline).ok(); };
    Result<hip::Device> device = hip::Device::open(device_name);
    if (!device.ok()) {
        send(encode_error(device.status()));
        return 1;
    }
    Tuner tuner(*std::move(device), channel);
    if (!send({"ready"})) return 1;
    for (;;) {
        const Result<std::string> frame = read_frame(channel, kNoDeadline);
        if (!frame.ok()) return frame.status().code() == Code::not_found ? 0 : 1;
        const Result<Fields> request = unpack_fields(*frame);
        if (!send(request.ok() ? tuner.answer(*request) : encode_error(request.status()))) return 1;
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3 && std::string_view(arguments[1]) == "--device") return serve(arguments[2]);
    std::fprintf(stderr,
                 "flashwave-tuner is started by libflashwave to try kernels; to tune, use: flashwave warm --help\n");
    return kWrongUsage;
}
