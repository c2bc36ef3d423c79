#include "emulator/run/launch.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <fmt/format.h>

#include "emulator/checks/global_races.hpp"
#include "emulator/run/launch_tables.hpp"
#include "emulator/run/workgroup.hpp"
#include "emulator/timing/estimate.hpp"

namespace hipemu {
namespace {

/// Stretches of straight-line code, and as many cache lines, that are recorded of a launch, and of a wave where there are many waves. A longer
/// wave is taken to go on as it began.
constexpr std::size_t kMostTraced = 1 << 25, kLeastTraced = 1 << 14;

/// The groups of a launch that run, in grid order, and those among them that are traced for the timing model, if there is one.
class GroupList {
public:
    GroupList(const LaunchRequest& request, const Chip& chip, const Footprint& footprint) : grid_(request.grid) {
        total_ = std::uint64_t{grid_[0]} * grid_[1] * grid_[2];
        runs_all_ = request.sample_groups == 0;
        if (request.timed || !runs_all_) timed_ = groups_to_time(chip, footprint, total_, request.sample_groups);
        if (!request.timed) return;
        traces_.resize(timed_.size());
        const std::size_t most = std::max(kMostTraced / std::max<std::size_t>(timed_.size() * footprint.waves, 1), kLeastTraced);
        for (std::size_t i = 0; i < timed_.size(); ++i) {
            traces_[i].index = timed_[i];
            traces_[i].most = most;
        }
        work_.resize(count());
    }

    std::uint64_t total() const { return total_; }
    std::uint64_t count() const { return runs_all_ ? total_ : timed_.size(); }

    /// The i-th of those that run, as an index in grid order.
    std::uint64_t index(std::uint64_t i) const { return runs_all_ ? i : timed_[i]; }
    std::array<std::uint32_t, 3> id(std::uint64_t i) const {
        const std::uint64_t flat = index(i);
        return {static_cast<std::uint32_t>(flat % grid_[0]), static_cast<std::uint32_t>(flat / grid_[0] % grid_[1]),
                static_cast<std::uint32_t>(flat / grid_[0] / grid_[1])};
    }

    // Each entry is written by the host thread that runs its group.

    GroupTrace* trace(std::uint64_t i) {
        if (traces_.empty()) return nullptr;
        if (!runs_all_) return &traces_[i];
        const auto found = std::lower_bound(timed_.begin(), timed_.end(), i);
        return found != timed_.end() && *found == i ? &traces_[static_cast<std::size_t>(found - timed_.begin())] : nullptr;
    }
    void set_work(std::uint64_t i, std::uint64_t work) {
        if (!work_.empty()) work_[i] = {.index = index(i), .work = work};
    }

    std::span<const GroupTrace> traces() const { return traces_; }
    std::span<const GroupWork> work() const { return work_; }

private:
    std::array<std::uint32_t, 3> grid_;
    std::uint64_t total_ = 0;
    bool runs_all_ = true;
    std::vector<std::uint64_t> timed_;  // or, in a sample that is not timed, those that run
    std::vector<GroupTrace> traces_;
    std::vector<GroupWork> work_;
};

/// What the host threads share.
struct Shared {
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> first_stopped{UINT64_MAX};
    std::atomic<bool> abandoned{false};       // groups that poll are not run to their end
    std::uint64_t most_resident = 1;          // groups that a host thread may have begun at a time
    std::optional<GlobalRaces> global_races;  // if they are to be found
    std::mutex mutex;  // guards what follows
    std::optional<Fault> fault;
    std::uint64_t fault_group = UINT64_MAX;
    std::optional<Flow> flow;
    std::vector<MemorySpan> spans;
    Warnings warnings;
    std::exception_ptr failure;  // the host ran out of memory
};

/// The floating-point environment that the lanes' arithmetic expects, whatever the calling program (-ffast-math, fesetround) made of it:
/// round to nearest, denormals kept, no traps. Threads that start meanwhile inherit it.
class DefaultArithmetic {
public:
#if defined(__x86_64__)
    DefaultArithmetic() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
    ~DefaultArithmetic() { _mm_setcsr(saved_); }

private:
    static constexpr unsigned kDefault = 0x1f80;  // MXCSR after a reset: all exceptions masked
    unsigned saved_;
#else
    DefaultArithmetic() : saved_(std::fegetround()) { std::fesetround(FE_TONEAREST); }
    ~DefaultArithmetic() { std::fesetround(saved_); }

private:
    int saved_;
#endif

public:
    DefaultArithmetic(const DefaultArithmetic&) = delete;
    DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;
};

/// Joins its threads also when the scope is left by an exception.
class Threads {
public:
    Threads() = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { join(); }

    /// A thread fewer is no failure: the others take its groups.
    template <class Work>
    void start(Work work) {
        try {
            threads_.emplace_back(std::move(work));
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

private:
    std::vector<std::thread> threads_;
};

void merge_spans(std::vector<MemorySpan>& into, const std::vector<MemorySpan>& from) {
    for (const MemorySpan& span : from) {
        const auto known = std::find_if(into.begin(), into.end(), [&](const MemorySpan& one) { return one.allocation == span.allocation; });
        if (known == into.end()) {
            into.push_back(span);
        } else {
            known->low = std::min(known->low, span.low);
            known->high = std::max(known->high, span.high);
        }
    }
}

/// The work-groups that one host thread has on the card. Usually that is one after the other; while one polls memory, others take turns with it,
/// as many as the card holds at a time, for they may be what it waits for.
class Resident {
public:
    Resident(const LaunchRequest& request, const CostSums& sums, GroupList& groups, Shared& shared)
        : request_(request), sums_(sums), groups_(groups), shared_(shared) {}

    void run() {
        bool begin = true;
        while (!shared_.abandoned) {
            std::optional<Group> group;
            if (polling_.empty() || (begin && polling_.size() < shared_.most_resident)) group = next();
            if (!group) group = oldest();
            if (!group) break;
            begin = !begin;
            if (!take_turn(std::move(*group))) break;
        }
        for (Group& group : polling_) spare_.push_back(std::move(group.runner));
        const std::lock_guard lock(shared_.mutex);
        for (const std::unique_ptr<WorkgroupRunner>& runner : spare_) {
            merge_spans(shared_.spans, runner->spans());
            shared_.warnings.merge(std::move(runner->warnings()));
            if (shared_.flow) *shared_.flow += runner->flow();
            else shared_.flow = runner->flow();
        }
    }

private:
    struct Group {
        std::unique_ptr<WorkgroupRunner> runner;
        std::uint64_t index = 0;  // in the list
    };
    /// Wave instructions of a turn while several groups take turns.
    static constexpr std::uint64_t kShortSlice = 10'000;

    std::optional<Group> next() {
        const std::uint64_t i = shared_.next.fetch_add(1);
        if (i >= groups_.count() || i > shared_.first_stopped.load()) return std::nullopt;
        if (spare_.empty()) {
            spare_.push_back(std::make_unique<WorkgroupRunner>(request_, sums_, shared_.global_races ? &*shared_.global_races : nullptr));
        }
        Group group{.runner = std::move(spare_.back()), .index = i};
        spare_.pop_back();
        group.runner->start(groups_.id(i), groups_.trace(i));
        polled_ = 0;
        return group;
    }

    std::optional<Group> oldest() {
        if (polling_.empty()) return std::nullopt;
        Group group = std::move(polling_.front());
        polling_.pop_front();
        return group;
    }

    /// False if that was the end of the launch.
    bool take_turn(Group group) {
        WorkgroupRunner& runner = *group.runner;
        const std::uint64_t before = runner.instructions();
        GroupState state = polling_.empty() ? runner.go_on() : runner.go_on(kShortSlice);
        if (state == GroupState::polling) {
            polled_ += runner.instructions() - before;
            if (polled_ <= runner.limit()) {
                polling_.push_back(std::move(group));
                return true;
            }
            runner.give_up(why_in_vain());
            state = GroupState::stopped;
        }
        polled_ = 0;
        if (state == GroupState::ended) groups_.set_work(group.index, runner.work());
        else stop(group);
        spare_.push_back(std::move(group.runner));
        return state == GroupState::ended;
    }

    std::string why_in_vain() const {
        std::string text = fmt::format("polls memory, and nothing has changed for {} instructions", polled_);
        if (!polling_.empty()) text += fmt::format("; so do {} other work-groups on the card", polling_.size());
        const std::uint64_t begun = std::min(shared_.next.load(), groups_.count());
        if (polling_.size() + 1 >= shared_.most_resident && begun < groups_.count())
            text += fmt::format(", which holds no more: {} have not begun", groups_.count() - begun);
        return text;
    }

    void stop(Group& group) {
        const std::lock_guard lock(shared_.mutex);
        if (!polling_.empty()) shared_.abandoned = true;  // what waits for this group waits in vain
        if (group.index >= shared_.fault_group) return;
        shared_.fault_group = group.index;
        shared_.fault = group.runner->take_fault();
        shared_.first_stopped = group.index;
    }

    const LaunchRequest& request_;
    const CostSums& sums_;
    GroupList& groups_;
    Shared& shared_;
    std::deque<Group> polling_;
    std::vector<std::unique_ptr<WorkgroupRunner>> spare_;
    std::uint64_t polled_ = 0;  // wave instructions since a group has begun or done anything else
};

/// A host thread's whole life: an exception is kept, and no more groups are taken.
void run_groups_to_the_end(const LaunchRequest& request, const CostSums& sums, GroupList& groups, Shared& shared) {
    try {
        Resident(request, sums, groups, shared).run();
    } catch (...) {
        const std::lock_guard lock(shared.mutex);
        if (!shared.failure) shared.failure = std::current_exception();
        shared.next = groups.count();
        shared.abandoned = true;
    }
}

Fault refused(const LaunchRequest& request, std::string message) {
    Fault fault;
    fault.kind = FaultKind::unsupported;
    fault.message = std::move(message);
    if (request.kernel != nullptr) fault.kernel = request.kernel->name;
    return fault;
}

}  // namespace

Footprint Kernel::footprint(std::uint32_t threads, std::uint32_t dynamic_lds) const {
    return {.vgprs = vgprs, .lds_bytes = group_bytes + dynamic_lds, .waves = (threads + kLanes - 1) / kLanes, .wgp_mode = wgp_mode};
}

LaunchResult run(const LaunchRequest& request) {
    const DefaultArithmetic arithmetic;  // of the model, too
    LaunchResult result;
    const Chip* chip = request.chip != nullptr ? request.chip : find_chip("gfx1100");
    if (request.kernel == nullptr || request.kernel->program == nullptr || request.memory == nullptr || chip == nullptr) {
        result.fault = refused(request, "the launch names no kernel, no memory or no card");
        return result;
    }
    const Kernel& kernel = *request.kernel;
    if (kernel.program->index_of(kernel.entry_offset) < 0) {
        result.fault = refused(request, "the kernel's entry is no instruction of its code");
        return result;
    }
    if ((kernel.properties & 1u << 10) == 0 && kernel.properties != 0) {
        result.fault = refused(request, "the kernel is compiled for wave64; the emulator runs wave32");
        return result;
    }

    const std::uint32_t threads_a_group = request.block[0] * request.block[1] * request.block[2];
    const Footprint footprint = kernel.footprint(threads_a_group, request.dynamic_lds);
    // What was made when the kernel was loaded, where it is of this card.
    const std::shared_ptr<const TimedProgram> made = kernel.timed != nullptr && kernel.timed->chip == chip ? kernel.timed : nullptr;
    const std::shared_ptr<const LaunchTables> tables = launch_tables(kernel.program, *chip, request.timed, made);
    GroupList groups(request, *chip, footprint);
    Shared shared;
    if (request.strict.global_races) shared.global_races.emplace(request);
    if (shared.global_races && !shared.global_races->is_needed()) shared.global_races.reset();
    const unsigned wanted = request.host_threads != 0 ? request.host_threads : std::max(std::thread::hardware_concurrency(), 1u);
    const auto workers = static_cast<unsigned>(std::clamp<std::uint64_t>(groups.count(), 1, wanted));
    const std::uint64_t wgps = std::max(chip->compute_units / 2, 1u);
    shared.most_resident = (occupancy_of(*chip, footprint).groups_per_wgp * wgps + workers - 1) / workers;
    {
        Threads threads;
        const auto work = [&] { run_groups_to_the_end(request, tables->costs, groups, shared); };
        for (unsigned i = 1; i < workers; ++i) threads.start(work);
        work();
    }
    if (shared.failure) std::rethrow_exception(shared.failure);
    if (shared.global_races && !shared.fault) {
        shared.fault = shared.global_races->find();
        shared.fault_group = groups.count();
    }

    result.counts = shared.flow->counts();
    for (std::size_t i = 0; i < tables->units.size(); ++i) result.instructions[tables->units[i]] += result.counts[i];
    // Those of groups behind the one that stopped the launch would depend on the number of threads.
    result.warnings = shared.warnings.take(shared.fault ? shared.fault->group : request.grid);
    for (Fault& warning : result.warnings) {
        warning.kernel = kernel.name;
        if (kernel.source_lines) warning.source = kernel.source_lines->at(warning.code_address);
    }
    if (shared.fault) {
        result.fault = std::move(shared.fault);
        if (kernel.source_lines) result.fault->source = kernel.source_lines->at(result.fault->code_address);
        result.groups_run = shared.fault_group;
        return result;
    }
    result.groups_run = groups.count();
    if (!tables->timed) {
        result.time = estimate_time({.chip = chip,
                                     .footprint = footprint,
                                     .issue_cycles = tables->issue_cycles,
                                     .counts = result.counts,
                                     .total_groups = groups.total(),
                                     .groups_run = result.groups_run});
        return result;
    }

    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    for (const MemorySpan& span : shared.spans) spans.push_back({span.low, span.high});
    result.time = model_time({.chip = chip,
                              .footprint = footprint,
                              .program = &*tables->timed,
                              .total_groups = groups.total(),
                              .traces = groups.traces(),
                              .work = groups.work(),
                              .spans = spans,
                              .host_threads = wanted});
    return result;
}

}  // namespace hipemu
