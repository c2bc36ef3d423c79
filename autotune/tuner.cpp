#include "autotune/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

#include "autotune/candidates.hpp"
#include "autotune/tuner_process.hpp"
#include "base/log.hpp"
#include "compile/code_object_info.hpp"
#include "compile/compile_request.hpp"
#include "problem/kernel_spec.hpp"

namespace flashwave {
namespace {

using cache::Measurement;
using cache::Outcome;
using Clock = std::chrono::steady_clock;

// Validating and timing one candidate takes well under a second on a GPU and a few on the emulator; beyond this it
// hangs.
constexpr std::chrono::seconds kAttemptTime{60};
constexpr std::chrono::seconds kWorkerAnswerTime{20};  // a first start reads 100 MB of compiler from disk
constexpr int kLostAttemptsAllowed = 2;  // a process died of it so often, and nobody knows why
constexpr int kFinalists = 3;
constexpr double kNoiseMeasured = 0.03;  // the least difference worth believing on a GPU
constexpr double kNoiseModelled = 0.002;

// One candidate on its way.
struct Entry {
    Candidate candidate;
    CompileUnit unit;
    std::optional<Measurement> measurement;
    int number = -1;  // of the attempt in the running tuner process
    int process = 0;  // which start of that process
};

// Compiles in the background, as many at a time as there are workers; results are taken in the order in which they
// come.
class Compiling {
  public:
    struct Done {
        std::size_t index;
        Result<CompiledObject> object;
        double ms;
    };

    Compiling(WorkerPool& pool, std::vector<CompileJob> jobs, Deadline deadline) : jobs_(std::move(jobs)) {
        const auto work = [this, &pool, deadline] {
            for (std::size_t index; (index = next_.fetch_add(1)) < jobs_.size();) {
                const auto begun = Clock::now();
                Result<CompiledObject> object =
                    expired(deadline) ? Status(Code::deadline, "the budget was used up before it was compiled")
                                      : pool.compile(jobs_[index], deadline);
                const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
                const std::lock_guard lock(mutex_);
                done_.push({index, std::move(object), ms});
                changed_.notify_one();
            }
        };
        const std::size_t threads = std::min(jobs_.size(), static_cast<std::size_t>(std::max(pool.size(), 1)));
        for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back(work);
    }
    ~Compiling() {
        next_ = jobs_.size();  // what was not begun is not wanted any more
        for (std::thread& thread : threads_) thread.join();
    }

    Done take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !done_.empty(); });
        Done first = std::move(done_.front());
        done_.pop();
        return first;
    }

  private:
    const std::vector<CompileJob> jobs_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<Done> done_;
    std::vector<std::thread> threads_;
};

class Tuning {
  public:
    Tuning(const ProblemKey& key, const TunerContext& context, Deadline budget)
        : key_(key),
          context_(context),
          budget_(budget),
          subject_{key, context.device},
          child_(context.device_name),
          key_text_(to_json(key)) {}

    Result<TuneResult> run() {
        for (const Candidate& candidate : candidates_to_try(key_, context_.arch))
            entries_.push_back({.candidate = candidate,
                                .unit = make_compile_unit(key_, candidate, context_.arch, context_.toolchain.fp),
                                .measurement = {}});
        log_info("tuning {}: {} candidates, FLASHWAVE_TUNE=off turns this off", key_text_, entries_.size());
        recall();
        record_refusals();
        FLASHWAVE_RETURN_IF_ERROR(compile_and_try());
        race_finalists();
        return decide();
    }

  private:
    // What an earlier tuning under the same compiler found out is taken as it is, failures included.
    void recall() {
        std::map<Digest, Measurement> known;
        for (const cache::StoredMeasurement& stored : context_.store.find_measurements(subject_, context_.toolchain)) {
            // Refusals are this version's word, not a result; they are made anew.
            if (stored.measurement.outcome != Outcome::skipped && stored.measurement.outcome != Outcome::refused)
                known.emplace(stored.kernel, stored.measurement);
        }
        for (Entry& entry : entries_)
            if (const auto found = known.find(entry.unit.kernel.fp); found != known.end())
                entry.measurement = found->second;
        for (Entry& entry : entries_) {
            if (entry.measurement) continue;
            const int lost = context_.store.count_lost_attempts(entry.unit.kernel.fp, context_.device);
            if (lost >= kLostAttemptsAllowed)
                finish(entry,
                       {.outcome = Outcome::crash,
                        .detail = fmt::format("the machine went down {} times while it was tried", lost)},
                       {});
        }
    }

    // Kept beside the results, so that whoever asks why a geometry was not chosen finds its sentence.
    void record_refusals() {
        if (std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.measurement.has_value(); })) return;
        std::vector<std::pair<cache::KernelRecord, std::string>> rows;
        for (Refusal& refusal : refusals(key_, context_.arch))
            rows.emplace_back(make_compile_unit(key_, refusal.candidate, context_.arch, context_.toolchain.fp).kernel,
                              std::move(refusal.why));
        (void)context_.store.record_refusals(subject_, context_.toolchain, rows);
    }

    Status compile_and_try() {
        std::vector<CompileJob> jobs;
        std::vector<Entry*> compiled, stored;
        for (Entry& entry : entries_) {
            if (entry.measurement) continue;
            if (auto kernel = context_.store.find_kernel(entry.unit.kernel.fp)) {
                entry.unit.kernel = *std::move(kernel);
                stored.push_back(&entry);
            } else {
                jobs.push_back(entry.unit.job);
                compiled.push_back(&entry);
            }
        }
        if (!compiled.empty()) report(*compiled.front(), "compiling");
        std::optional<Compiling> compiling;
        if (!jobs.empty()) compiling.emplace(context_.pool, std::move(jobs), budget_);
        for (Entry* entry : stored) FLASHWAVE_RETURN_IF_ERROR(attempt(*entry));
        for (std::size_t i = 0; i < compiled.size(); ++i) {
            if (i > 0) report(*compiled[i], "compiling");
            Compiling::Done done = compiling->take();
            FLASHWAVE_RETURN_IF_ERROR(take_compiled(*compiled[done.index], std::move(done.object), done.ms));
        }
        return {};
    }

    Status take_compiled(Entry& entry, Result<CompiledObject> object, double compile_ms) {
        if (!object.ok()) {
            const Status& why = object.status();
            if (why.code() == Code::unavailable) return why;  // there is no compiler: no candidate's fault
            // A worker that died may have died of this kernel; where a fresh one cannot even say who it is, it did not.
            if (why.code() == Code::crashed || why.code() == Code::io_error || why.code() == Code::corrupt) {
                const Result<WorkerIdentity> worker = context_.pool.identity(deadline_after(kWorkerAnswerTime));
                if (!worker.ok()) return worker.status();
            }
            const bool late = why.code() == Code::deadline && expired(budget_);
            finish(entry, {.outcome = late ? Outcome::skipped : Outcome::compile_error, .detail = why.message()}, {});
            return {};
        }
        ++compiles_;
        const Status adopted = adopt_code(entry.unit.kernel, std::move(object->code), compile_ms);
        if (!adopted.ok()) {
            finish(entry, {.outcome = Outcome::compile_error, .detail = adopted.message()}, {});
            return {};
        }
        return attempt(entry);
    }

    Status attempt(Entry& entry) {
        const cache::KernelRecord& kernel = entry.unit.kernel;
        if (kernel.lds_bytes > context_.arch.lds_per_group) {
            finish(entry,
                   {.outcome = Outcome::refused,
                    .detail = fmt::format("LDS {} bytes > {}", kernel.lds_bytes, context_.arch.lds_per_group)},
                   {});
            return {};
        }
        if (expired(budget_)) {
            finish(entry, {.outcome = Outcome::skipped, .detail = "the budget was used up before it was tried"}, {});
            return {};
        }
        const cache::Attempt journal = context_.store.begin_attempt(kernel, context_.device, "try");
        ++tried_;
        const Deadline deadline = deadline_after(kAttemptTime);
        Result<Measurement> measurement = child_.attempt({key_, entry.candidate, kernel.entry, kernel.code}, deadline,
                                                         [&](std::string_view state) { report(entry, state); });
        if (!measurement.ok()) {
            context_.store.end_attempt(journal);
            return measurement.status();
        }
        entry.number = child_.attempts() - 1;
        entry.process = child_.starts();
        finish(entry, *std::move(measurement), journal);
        return {};
    }

    void finish(Entry& entry, Measurement measurement, cache::Attempt journal) {
        if (measurement.outcome != Outcome::ok)
            log_debug("candidate {}: {}: {}", entry.unit.kernel.entry, enum_name(measurement.outcome),
                      measurement.detail);
        (void)context_.store.record_measurement(subject_, context_.toolchain, entry.unit.kernel, measurement, journal);
        entry.measurement = std::move(measurement);
        report(entry, entry.measurement->outcome == Outcome::ok ? "done" : enum_name(entry.measurement->outcome));
    }

    // Clocks drift: on a GPU the best few and the default are timed again, in turns. A deterministic clock has nothing
    // to add.
    void race_finalists() {
        if (context_.deterministic_clock) return;
        std::vector<Entry*> finalists;
        for (Entry& entry : entries_)
            if (entry.measurement && entry.measurement->outcome == Outcome::ok && entry.number >= 0 &&
                entry.process == child_.starts())
                finalists.push_back(&entry);
        std::stable_sort(finalists.begin(), finalists.end(),
                         [](Entry* a, Entry* b) { return a->measurement->us_median < b->measurement->us_median; });
        for (std::size_t i = kFinalists; i < finalists.size();)
            if (finalists[i] == &entries_.front()) ++i;
            else finalists.erase(finalists.begin() + static_cast<std::ptrdiff_t>(i));
        if (finalists.size() < 2) return;
        std::vector<int> numbers;
        for (const Entry* entry : finalists) numbers.push_back(entry->number);
        const Result<std::vector<Times>> times = child_.race(numbers, deadline_after(kAttemptTime));
        if (!times.ok() || times->size() != finalists.size()) return;
        for (std::size_t i = 0; i < finalists.size(); ++i) {
            Measurement m = *finalists[i]->measurement;
            const Times& one = (*times)[i];
            m.repetitions = one.repetitions;
            m.us_median = one.median;
            m.us_p20 = one.p20;
            m.us_p80 = one.p80;
            finish(*finalists[i], std::move(m), {});
        }
    }

    Result<TuneResult> decide() {
        std::vector<Measurement> measurements;
        for (const Entry& entry : entries_) measurements.push_back(*entry.measurement);
        const std::size_t best = choose_winner(measurements, context_.deterministic_clock);
        if (best == measurements.size()) return nothing_worked();
        Entry& winner = entries_[best];
        // Recalled measurements come without code; the object itself may have been evicted since.
        if (winner.unit.kernel.code.empty()) FLASHWAVE_RETURN_IF_ERROR(fetch_code(winner));

        const Measurement& first = measurements.front();
        TuneResult result{
            .winner = {.kernel = winner.unit.kernel, .selection = {}}, .compiles = compiles_, .candidates = tried_};
        cache::Selection& selection = result.winner.selection;
        selection.complete = std::none_of(measurements.begin(), measurements.end(),
                                          [](const Measurement& m) { return m.outcome == Outcome::skipped; });
        selection.us_median = winner.measurement->us_median;
        selection.us_default = first.outcome == Outcome::ok ? first.us_median : 0;
        selection.reason = reason(best, measurements);
        (void)context_.store.record_selection(subject_, context_.toolchain, winner.unit.kernel, selection);
        log_info("tuned {}: {} {:.1f} us {}, {}", key_text_, winner.unit.kernel.entry, selection.us_median,
                 context_.device.emulated ? "modelled" : "measured", selection.reason);
        return result;
    }

    static std::string reason(std::size_t best, const std::vector<Measurement>& all) {
        const auto right =
            std::count_if(all.begin(), all.end(), [](const Measurement& m) { return m.outcome == Outcome::ok; });
        if (best == 0)
            return fmt::format("the default; none of {} right candidates is faster by more than the noise", right);
        if (all.front().outcome != Outcome::ok)
            return fmt::format("the fastest of {} right candidates; the default did not work", right);
        return fmt::format("{:.1f}% faster than the default, the fastest of {} right candidates",
                           100 * (all.front().us_median / all[best].us_median - 1), right);
    }

    Status fetch_code(Entry& entry) {
        if (auto kernel = context_.store.find_kernel(entry.unit.kernel.fp)) {
            entry.unit.kernel = *std::move(kernel);
            return {};
        }
        Result<CompiledObject> object = context_.pool.compile(entry.unit.job);
        if (!object.ok()) return object.status();
        ++compiles_;
        return adopt_code(entry.unit.kernel, std::move(object->code), 0);
    }

    Status nothing_worked() const {
        std::string list;
        bool skipped = false;
        for (const Entry& entry : entries_) {
            skipped = skipped || entry.measurement->outcome == Outcome::skipped;
            list += fmt::format("\n  {}: {}: {}", entry.unit.kernel.entry, enum_name(entry.measurement->outcome),
                                entry.measurement->detail);
        }
        if (skipped)
            return Status(Code::deadline,
                          fmt::format("the budget was used up before a candidate for {} gave a right answer:{}",
                                      key_text_, list));
        return Status(Code::wrong_result, fmt::format("no candidate for {} gave right answers:{}", key_text_, list));
    }

    void report(const Entry& entry, std::string_view state) {
        if (!context_.on_progress) return;
        const std::string geometry = to_text(entry.candidate);
        context_.on_progress({.key = key_text_,
                              .candidate = static_cast<int>(&entry - entries_.data()) + 1,
                              .candidates = static_cast<int>(entries_.size()),
                              .geometry = geometry,
                              .state = state,
                              .time_us = entry.measurement ? entry.measurement->us_median : 0,
                              .modelled = context_.device.emulated,
                              .elapsed_seconds = std::chrono::duration<double>(Clock::now() - begun_).count()});
    }

    const ProblemKey key_;
    const TunerContext& context_;
    const Deadline budget_;
    const cache::Subject subject_;
    TunerProcess child_;
    const std::string key_text_;
    const Clock::time_point begun_ = Clock::now();
    std::vector<Entry> entries_;
    int compiles_ = 0;
    int tried_ = 0;
};

}  // namespace

std::size_t choose_winner(const std::vector<Measurement>& measurements, bool deterministic_clock) {
    std::size_t best = measurements.size();
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        if (measurements[i].outcome != Outcome::ok) continue;
        if (best == measurements.size() || measurements[i].us_median < measurements[best].us_median) best = i;
    }
    if (best == measurements.size() || best == 0 || measurements.front().outcome != Outcome::ok) return best;
    const Measurement& first = measurements.front();
    // On a GPU the default's own spread counts as noise where it is wider.
    const double spread = first.us_median > 0 ? (first.us_p80 - first.us_p20) / first.us_median / 2 : 0;
    const double noise = deterministic_clock ? kNoiseModelled : std::max(kNoiseMeasured, spread);
    return measurements[best].us_median < first.us_median * (1 - noise) ? best : 0;
}

CompileUnit make_compile_unit(const ProblemKey& key, const Candidate& candidate, const Arch& arch,
                              const Digest& toolchain) {
    KernelSpec spec = make_kernel_spec(key, candidate, arch);
    CompileUnit unit{.job = kernel_job(spec.main_file, std::string(key.target), spec.options), .kernel = {}};
    unit.kernel.fp = compile_key(unit.job, toolchain);
    unit.kernel.target = std::string(key.target);
    unit.kernel.entry = std::move(spec.entry);
    unit.kernel.geometry = candidate;
    for (const std::string& option : spec.options)
        unit.kernel.options += (unit.kernel.options.empty() ? "" : " ") + option;
    return unit;
}

Status adopt_code(cache::KernelRecord& kernel, std::string code, double compile_ms) {
    FLASHWAVE_RETURN_IF_ERROR(check_code_object(code, kernel.target));
    const Result<CodeObjectInfo> info = read_code_object(code);
    if (!info.ok()) return info.status();
    const KernelInfo* facts = info->find(kernel.entry);
    if (facts == nullptr) return Status(Code::corrupt, fmt::format("the code object has no kernel {}", kernel.entry));
    kernel.vgprs = facts->vgprs;
    kernel.sgprs = facts->sgprs;
    kernel.lds_bytes = facts->lds_bytes;
    kernel.scratch_bytes = facts->scratch_bytes;
    kernel.spills = facts->vgpr_spills + facts->sgpr_spills;
    kernel.code = std::move(code);
    kernel.compile_ms = compile_ms;
    return {};
}

Result<TuneResult> tune(const ProblemKey& key, const TunerContext& context, Deadline budget) {
    return Tuning(key, context, budget).run();
}

}  // namespace flashwave
