#include "runtime/plan_builder.hpp"

#include <fmt/format.h>

#include <set>

#include "autotune/candidates.hpp"
#include "base/file_lock.hpp"
#include "base/log.hpp"
#include "compile/kernel_files.hpp"
#include "runtime/build_id.hpp"

namespace flashwave {
namespace {

// Byte 0 of the lock file is the database's, those below kFirstKeyByte are devices on which somebody measures, and
// those from there on are keys being tuned.
constexpr std::uint64_t kFirstKeyByte = 64;

// The byte of the lock file that stands for tuning this key on this device.
std::uint64_t lock_byte(const ProblemKey& key, const cache::DeviceRecord& device) {
    const Digest digest = Sha256("tuning lock 1").field(fingerprint(key)).field(device.fp).finish();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 5; ++i) bits = bits << 8 | static_cast<std::uint64_t>(digest.bytes[i]);
    return kFirstKeyByte + bits;
}

// The byte that stands for measuring on this card. Two cards may share one: then they are measured one after the other.
std::uint64_t device_byte(const hip::Device& device) {
    return 1 + static_cast<std::uint64_t>(sha256(device.facts().pci).bytes[0]) % (kFirstKeyByte - 1);
}

}  // namespace

cache::DeviceRecord record_of(const hip::Device& device) {
    cache::DeviceRecord record{.fp = {},
                               .identity = device.identity(),
                               .name = device.facts().name,
                               .target = device.facts().target,
                               .emulated = device.facts().emulated};
    // What an emulator says depends on its code as much as on its constants.
    if (record.emulated) record.identity += " build " + loaded_build_id(device.api().path);
    record.fp = Sha256("device 1").field(record.identity).field(record.target).finish();
    return record;
}

cache::ToolchainRecord record_of(const Toolchain& toolchain) {
    cache::ToolchainRecord record{.fp = toolchain.fingerprint,
                                  .kernel_sources = kernel_files_digest(),
                                  .compiler = toolchain.identity.compiler,
                                  .libraries = {}};
    for (const ToolchainLibrary& library : toolchain.identity.libraries)
        record.libraries +=
            fmt::format("{}{} {}", record.libraries.empty() ? "" : ", ", library.name, library.build_id);
    return record;
}

PlanBuilder::PlanBuilder(Setup setup) : setup_(std::move(setup)), device_(record_of(setup_.device)) {}

// Asked for once; a failure is asked for again, for the user may have installed a compiler meanwhile.
Result<const cache::ToolchainRecord*> PlanBuilder::toolchain() {
    const std::lock_guard lock(mutex_);
    if (!toolchain_) {
        const Result<Toolchain> found = identify_toolchain(setup_.pool, setup_.store.directory());
        if (!found.ok()) return found.status();
        toolchain_ = record_of(*found);
    }
    return &*toolchain_;
}

std::optional<BuiltPlan> PlanBuilder::stored(const ProblemKey& key, const cache::ToolchainRecord* toolchain,
                                             Partial partial) {
    const auto found = setup_.store.find_selection({key, device_}, toolchain, kernel_files_digest());
    if (!found) return std::nullopt;
    const bool may_tune = setup_.mode == TuneMode::first_use && toolchain != nullptr;
    if (!found->selection.complete && partial == Partial::go_on && may_tune) return std::nullopt;
    Result<std::unique_ptr<Plan>> plan =
        Plan::load(setup_.device, key, found->kernel, PlanSource::disk, found->selection.us_median);
    if (plan.ok()) return BuiltPlan{.plan = *std::move(plan)};
    log_warn("the stored kernel {} cannot be used and will be compiled again: {}", found->kernel.entry,
             plan.status().message());
    return std::nullopt;
}

Result<BuiltPlan> PlanBuilder::build(const ProblemKey& key, Partial partial, bool meanwhile) {
    if (setup_.mode == TuneMode::off) return build_default(key);
    const Result<const cache::ToolchainRecord*> tools = toolchain();
    if (auto plan = stored(key, tools.ok() ? *tools : nullptr, partial)) return *std::move(plan);
    if (setup_.mode == TuneMode::replay)
        return Status(
            Code::not_found,
            fmt::format("nothing is stored for {} on {}, and tuning mode replay compiles and measures nothing; tune it "
                        "once with `flashwave warm` or FLASHWAVE_TUNE=first_use",
                        to_json(key), device_.name));
    if (!tools.ok()) return tools.status();
    if (setup_.store.lock_path().empty()) return tuned(key, **tools);

    // One process tunes a key; the others run the default geometry and look again later.
    const Result<FileLock> lock =
        FileLock::acquire(setup_.store.lock_path(), FileLock::Kind::exclusive,
                          deadline_after(std::chrono::milliseconds(0)), lock_byte(key, device_));
    if (lock.status().code() == Code::busy) {
        if (meanwhile) return BuiltPlan{.plan = nullptr, .lasting = false};
        Result<BuiltPlan> plan = build_default(key);
        if (plan.ok()) plan->lasting = false;
        return plan;
    }
    if (lock.ok())
        if (auto plan = stored(key, *tools, partial))
            return *std::move(plan);  // it was tuned between the look and the lock
    return tuned(key, **tools);
}

Result<BuiltPlan> PlanBuilder::tuned(const ProblemKey& key, const cache::ToolchainRecord& toolchain) {
    const TunerContext context{.device_name = setup_.device_name,
                               .device = device_,
                               .arch = setup_.arch,
                               .toolchain = toolchain,
                               .store = setup_.store,
                               .pool = setup_.pool,
                               .on_progress = setup_.on_progress,
                               .deterministic_clock = setup_.device.facts().deterministic_clock};
    const Deadline budget = deadline_after(setup_.budget);
    // Two processes that measure on one card disturb each other. A deterministic clock is not disturbed.
    std::optional<FileLock> alone;
    if (!context.deterministic_clock && !setup_.store.lock_path().empty()) {
        Result<FileLock> lock =
            FileLock::acquire(setup_.store.lock_path(), FileLock::Kind::exclusive, budget, device_byte(setup_.device));
        if (lock.ok()) alone = *std::move(lock);
    }
    Result<TuneResult> result = tune(key, context, budget);
    if (!result.ok()) {
        log_warn("{} is not tuned: {}", to_json(key), result.status().message());
        if (result.status().code() == Code::wrong_result) return compiled(key, {.kernel = Kernel::naive}, toolchain);
        return build_default(key);
    }
    const TunedKernel& winner = result->winner;
    Result<std::unique_ptr<Plan>> plan =
        Plan::load(setup_.device, key, winner.kernel, PlanSource::tuned, winner.selection.us_median);
    if (!plan.ok()) {
        log_warn("the tuned kernel {} cannot be loaded: {}", winner.kernel.entry, plan.status().message());
        return build_default(key);
    }
    return BuiltPlan{.plan = *std::move(plan), .compiles = result->compiles, .candidates = result->candidates};
}

Result<BuiltPlan> PlanBuilder::build_default(const ProblemKey& key) {
    const Result<const cache::ToolchainRecord*> tools = toolchain();
    if (!tools.ok()) {
        // Without a compiler whatever is stored serves.
        if (auto plan = stored(key, nullptr, Partial::good_enough)) return *std::move(plan);
        return tools.status();
    }
    return compiled(key, first_trusted(key, **tools), **tools);
}

Candidate PlanBuilder::first_trusted(const ProblemKey& key, const cache::ToolchainRecord& toolchain) {
    using cache::Outcome;
    std::set<Digest> failed;
    for (const cache::StoredMeasurement& known : setup_.store.find_measurements({key, device_}, toolchain)) {
        const Outcome outcome = known.measurement.outcome;
        if (outcome != Outcome::ok && outcome != Outcome::skipped && outcome != Outcome::refused) failed.insert(known.kernel);
    }
    for (const Candidate& candidate : candidates_to_try(key, setup_.arch))
        if (failed.empty() || !failed.contains(make_compile_unit(key, candidate, setup_.arch, toolchain.fp).kernel.fp))
            return candidate;
    return {.kernel = Kernel::naive};
}

Result<BuiltPlan> PlanBuilder::compiled(const ProblemKey& key, const Candidate& candidate,
                                        const cache::ToolchainRecord& toolchain) {
    CompileUnit unit = make_compile_unit(key, candidate, setup_.arch, toolchain.fp);
    if (const auto known = setup_.store.find_kernel(unit.kernel.fp)) {
        Result<std::unique_ptr<Plan>> plan = Plan::load(setup_.device, key, *known, PlanSource::default_geometry, 0);
        if (plan.ok()) return BuiltPlan{.plan = *std::move(plan)};
        log_warn("the stored kernel {} cannot be used and is compiled again: {}", known->entry,
                 plan.status().message());
    }
    const auto begun = std::chrono::steady_clock::now();
    Result<CompiledObject> object = setup_.pool.compile(unit.job);
    if (!object.ok()) return object.status().with_context(unit.kernel.entry);
    const double elapsed_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
    FLASHWAVE_RETURN_IF_ERROR(adopt_code(unit.kernel, std::move(object->code), elapsed_ms));
    (void)setup_.store.record_kernel(toolchain, unit.kernel);
    Result<std::unique_ptr<Plan>> plan = Plan::load(setup_.device, key, unit.kernel, PlanSource::default_geometry, 0);
    if (!plan.ok()) return plan.status();
    return BuiltPlan{.plan = *std::move(plan), .compiles = 1};
}

}  // namespace flashwave
