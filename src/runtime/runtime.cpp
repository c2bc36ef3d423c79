#include "runtime/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "hip/current_device.hpp"

namespace flashwave {
namespace {

constexpr std::chrono::seconds kLookAgainAfter{1};  // whether another process has finished tuning
constexpr std::uint64_t kMiB = 1 << 20;

DeviceInfo info_of(const hip::Device& device) {
    const hip::DeviceFacts& facts = device.facts();
    return {
        .name = facts.name, .target = facts.target, .compute_units = facts.compute_units, .emulated = facts.emulated};
}

bool is_capturing(const hip::Device& device, void* stream) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    return device.api().hipStreamIsCapturing(static_cast<hipStream_t>(stream), &status) == hipSuccess &&
           status != hipStreamCaptureStatusNone;
}

}  // namespace

Result<Runtime::Impl::Resolved> Runtime::Impl::resolve(const Options& options) {
    const Settings& environment = settings();
    Resolved resolved;
    resolved.device_name = !options.device.empty()       ? options.device
                           : !environment.device.empty() ? environment.device
                                                         : "hip:0";
    resolved.cache_directory = !options.cache_dir.empty() ? options.cache_dir : environment.cache_directory;
    if (options.tune) {
        resolved.mode = *options.tune;
    } else if (!environment.tune.empty()) {
        const auto mode = parse_tune_mode(environment.tune);
        if (!mode)
            return Status(
                Code::invalid_argument,
                fmt::format("FLASHWAVE_TUNE is '{}'; first_use, off and replay are allowed", environment.tune));
        resolved.mode = *mode;
    }
    resolved.budget = options.tune_budget.value_or(std::chrono::seconds(environment.tune_budget_seconds));
    if (resolved.budget.count() <= 0)
        return Status(Code::invalid_argument,
                      fmt::format("tune_budget is {} ms; more than 0 is needed", resolved.budget.count()));
    resolved.cache_limit =
        options.cache_limit_bytes.value_or(static_cast<std::uint64_t>(environment.cache_limit_mib) * kMiB);
    resolved.workers =
        options.compile_workers ? static_cast<int>(std::min(*options.compile_workers, 64u)) : environment.workers;
    return resolved;
}

Result<std::unique_ptr<Runtime::Impl>> Runtime::Impl::create(const Options& options) {
    for (const std::string& warning : settings().warnings) log_warn("{}", warning);
    const Result<Resolved> resolved = resolve(options);
    if (!resolved.ok()) return resolved.status();
    Result<hip::Device> device = hip::Device::open(resolved->device_name);
    if (!device.ok()) return device.status();
    const std::string& target = device->facts().target;
    const Arch* arch = find_arch(target);
    TargetName name;
    if (arch == nullptr || !arch->supported || !name.assign(target)) {
        std::string supported;
        for (const Arch& one : all_archs())
            if (one.supported) supported += fmt::format("{}{}", supported.empty() ? "" : ", ", one.target);
        return Status(Code::unsupported, fmt::format("{} is a {}; this version has kernels for {}",
                                                     resolved->device_name, target, supported));
    }
    return std::unique_ptr<Impl>(new Impl(*resolved, options, *std::move(device), *arch));
}

Runtime::Impl::Impl(const Resolved& resolved, const Options& options, hip::Device device, const Arch& arch)
    : mode_(resolved.mode),
      device_(std::move(device)),
      device_info_(info_of(device_)),
      store_(resolved.cache_directory, resolved.cache_limit),
      pool_({.workers = resolved.workers}),
      builder_({.device_name = resolved.device_name,
                .device = device_,
                .arch = arch,
                .store = store_,
                .pool = pool_,
                .mode = resolved.mode,
                .budget = resolved.budget,
                .on_progress = options.on_progress}) {
    target_.assign(device_info_.target);
}

Status Runtime::Impl::forward(const ForwardArgs& args, ForwardInfo* info) {
    return serve(args, info,
                 {.pointers = Pointers::checked, .partial = PlanBuilder::Partial::good_enough, .launch = true});
}

Status Runtime::Impl::warm(const ForwardArgs& args, ForwardInfo* info) {
    return serve(args, info, {.pointers = Pointers::ignored, .partial = PlanBuilder::Partial::go_on, .launch = false});
}

Status Runtime::Impl::serve(const ForwardArgs& args, ForwardInfo* info, const Way& way) {
    ForwardCall call;
    FLASHWAVE_RETURN_IF_ERROR(check_forward(args, way.pointers, call));
    if (call.empty()) {
        if (info != nullptr) *info = {.modelled = device_info_.emulated};
        return {};
    }
    const hip::CurrentDevice current(device_);
    FLASHWAVE_RETURN_IF_ERROR(current.status());
    const ProblemKey key = make_problem_key(call, target_);
    Made made{.plan = plans_.find(key)};
    if (made.plan == nullptr) {
        Result<Made> found = find_or_make(call, key, way.partial);
        if (!found.ok()) return found.status();
        made = *found;
    }
    if (way.launch) FLASHWAVE_RETURN_IF_ERROR(made.plan->launch(call));
    fill(info, made, way.launch);
    return {};
}

void Runtime::Impl::fill(ForwardInfo* info, const Made& made, bool launched) const {
    if (info == nullptr) return;
    *info = {.source = made.source,
             .key = made.plan->key_text(),
             .geometry = made.plan->geometry_text(),
             .kernel = made.plan->entry(),
             .compiles = made.compiles,
             .candidates = made.candidates,
             .tuned_time_us = made.plan->tuned_time_us(),
             .modelled = device_info_.emulated,
             .launched = launched};
}

Result<Runtime::Impl::Made> Runtime::Impl::find_or_make(const ForwardCall& call, const ProblemKey& key,
                                                        PlanBuilder::Partial partial) {
    if (const Plan* plan = still_meanwhile(key)) return Made{.plan = plan, .source = PlanSource::default_geometry};
    if (is_capturing(device_, call.args.stream)) {
        if (const Plan* plan = meanwhile_.find(key)) return Made{.plan = plan, .source = PlanSource::default_geometry};
        return Status(
            Code::unsupported,
            fmt::format(
                "the stream is being captured and there is no plan yet for {}; call warm for it before capturing",
                to_json(key)));
    }
    const Flights::Ticket ticket = flights_.board(key);
    if (!ticket.first) {
        if (mode_ == TuneMode::first_use) return make_meanwhile(key);
        const Result<const Plan*> plan = Flights::wait(ticket);
        if (!plan.ok()) return plan.status();
        return Made{.plan = *plan};
    }
    // It may have landed between the look-up and boarding.
    if (const Plan* plan = plans_.find(key)) {
        flights_.land(key, ticket, plan);
        return Made{.plan = plan};
    }
    const Flights::Landing landing(flights_, key, ticket);
    const Result<Made> made = make(key, partial);
    flights_.land(key, ticket, made.ok() ? Result<const Plan*>(made->plan) : made.status());
    return made;
}

Result<Runtime::Impl::Made> Runtime::Impl::make(const ProblemKey& key, PlanBuilder::Partial partial) {
    const Plan* meanwhile = meanwhile_.find(key);
    Result<BuiltPlan> built = builder_.build(key, partial, meanwhile != nullptr);
    if (!built.ok()) return built.status();
    Made made{.plan = meanwhile,
              .source = PlanSource::default_geometry,
              .compiles = built->compiles,
              .candidates = built->candidates};
    if (built->plan) {
        made.source = built->plan->source();
        made.plan = (built->lasting ? plans_ : meanwhile_).put(std::move(built->plan));
    }
    if (built->lasting) return made;
    const std::lock_guard lock(retry_mutex_);
    retry_at_[key] = std::chrono::steady_clock::now() + kLookAgainAfter;
    return made;
}

// The default geometry for a key that another process tunes, until it is time to look again.
const Plan* Runtime::Impl::still_meanwhile(const ProblemKey& key) {
    const Plan* plan = meanwhile_.find(key);
    if (plan == nullptr) return nullptr;
    const std::lock_guard lock(retry_mutex_);
    const auto at = retry_at_.find(key);
    return at != retry_at_.end() && std::chrono::steady_clock::now() < at->second ? plan : nullptr;
}

// The default geometry for a key that another thread tunes.
Result<Runtime::Impl::Made> Runtime::Impl::make_meanwhile(const ProblemKey& key) {
    if (const Plan* plan = meanwhile_.find(key)) return Made{.plan = plan, .source = PlanSource::default_geometry};
    const Flights::Ticket ticket = meanwhile_flights_.board(key);
    if (!ticket.first) {
        const Result<const Plan*> plan = Flights::wait(ticket);
        if (!plan.ok()) return plan.status();
        return Made{.plan = *plan, .source = PlanSource::default_geometry};
    }
    const Flights::Landing landing(meanwhile_flights_, key, ticket);
    Result<BuiltPlan> built = builder_.build_default(key);
    if (!built.ok()) {
        meanwhile_flights_.land(key, ticket, built.status());
        return built.status();
    }
    const int compiles = built->compiles;
    const Plan* plan = meanwhile_.put(std::move(built->plan));
    meanwhile_flights_.land(key, ticket, plan);
    return Made{.plan = plan, .source = PlanSource::default_geometry, .compiles = compiles};
}

}  // namespace flashwave
