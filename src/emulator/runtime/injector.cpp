#include "emulator/runtime/injector.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "emulator/settings/config.hpp"

namespace hipemu {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;
constexpr double kLatestPicoseconds = 4e18;  // seven weeks: clocks stop there rather than overflow
/// Calls that only tell of errors: whoever makes others fail needs them.
constexpr std::string_view kUnreachable[] = {"hipGetLastError", "hipPeekAtLastError", "hipExtGetLastError", "hipGetErrorName",
                                             "hipGetErrorString", "hipDrvGetErrorName", "hipDrvGetErrorString"};

[[noreturn]] void kill_this_process() {
    std::raise(SIGKILL);
    std::abort();  // not reached: nobody survives that signal
}

}  // namespace

bool is_injectable_call(std::string_view name) {
    if (!name.starts_with("hip") || name.starts_with("hipemu")) return false;
    if (std::find(std::begin(kUnreachable), std::end(kUnreachable), name) != std::end(kUnreachable)) return false;
    // The library that this code lies in knows which calls it exports.
    Dl_info here{};
    if (!dladdr(reinterpret_cast<void*>(&is_injectable_call), &here) || !here.dli_fname) return false;
    void* self = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!self) return false;
    void* call = dlsym(self, std::string(name).c_str());
    Dl_info there{};
    const bool ours = call && dladdr(call, &there) && there.dli_fbase == here.dli_fbase;
    dlclose(self);
    return ours;
}

Injector& Injector::instance() {
    static Injector* const injector = new Injector;
    return *injector;
}

Injector::Injector() {
    if (config().faults.empty()) return;
    const flashwave::Status status = set(config().faults);
    if (status.ok()) return;
    trouble_ = fmt::format("HIPEMU_FAULTS: {}", status.message());
    fmt::print(stderr, "hipemu: {}; there is no device\n", trouble_);
}

flashwave::Status Injector::set(std::string_view text) {
    auto parsed = parse_injection(text, is_injectable_call);
    if (!parsed.ok()) return parsed.status();
    const std::lock_guard held(lock_);
    injection_ = *std::move(parsed);
    fails_.assign(injection_.fails.size(), 0);
    delays_.assign(injection_.delays.size(), 0);
    hangs_.assign(injection_.hangs.size(), 0);
    kills_.assign(injection_.kills.size(), 0);
    flips_.assign(injection_.flips.size(), 0);
    noise_ = Random(injection_.noise_seed);
    ++generation_;
    set_anew_.notify_all();
    active_ = text.find(':') != std::string_view::npos;
    return {};
}

hipError_t Injector::at_call(std::string_view call) {
    if (!active_.load(std::memory_order_relaxed)) return hipSuccess;
    at_point(call);
    std::chrono::microseconds wait{0};
    hipError_t error = hipSuccess;
    std::unique_lock held(lock_);
    for (std::size_t i = 0; i < delays_.size(); ++i)
        if (const DelayRule& rule = injection_.delays[i]; rule.call == call && rule.which.include(++delays_[i])) wait += rule.time;
    for (std::size_t i = 0; i < fails_.size(); ++i)
        if (const FailRule& rule = injection_.fails[i]; rule.call == call && rule.which.include(++fails_[i]) && error == hipSuccess)
            error = rule.error;
    if (wait.count() > 0) set_anew_.wait_for(held, wait, [this, generation = generation_] { return generation != generation_; });
    return error;
}

void Injector::at_point(std::string_view point) {
    const std::lock_guard held(lock_);
    for (std::size_t i = 0; i < kills_.size(); ++i)
        if (const KillRule& rule = injection_.kills[i]; rule.point == point && rule.which.include(++kills_[i])) kill_this_process();
}

LaunchOrders Injector::at_launch(std::string_view kernel) {
    LaunchOrders orders;
    if (!active_.load(std::memory_order_relaxed)) return orders;
    at_point("launch");
    const std::lock_guard held(lock_);
    for (std::size_t i = 0; i < hangs_.size(); ++i)
        if (const HangRule& rule = injection_.hangs[i]; matches(rule.kernel, kernel) && rule.which.include(++hangs_[i])) {
            orders.hangs = true;
            orders.blocks = orders.blocks || rule.blocks;
        }
    for (std::size_t i = 0; i < flips_.size(); ++i)
        if (const FlipRule& rule = injection_.flips[i]; matches(rule.kernel, kernel) && rule.which.include(++flips_[i])) {
            orders.flip = rule;
            orders.draw = Random(rule.seed + flips_[i]).next();
        }
    return orders;
}

void Injector::block() {
    std::unique_lock held(lock_);
    set_anew_.wait(held, [this, generation = generation_] { return generation != generation_; });
}

void Injector::before_copy() {
    if (active_.load(std::memory_order_relaxed)) at_point("before-copy");
}

void Injector::after_copy() {
    if (active_.load(std::memory_order_relaxed)) at_point("after-copy");
}

std::optional<std::uint64_t> Injector::memory_limit() {
    if (!active_.load(std::memory_order_relaxed)) return {};
    const std::lock_guard held(lock_);
    return injection_.memory_limit;
}

Picoseconds Injector::stretch(Picoseconds duration, Picoseconds start) {
    if (duration == 0 || !active_.load(std::memory_order_relaxed)) return duration;
    const std::lock_guard held(lock_);
    if (injection_.exact_clock()) return duration;
    const double drift = injection_.drift_per_second * static_cast<double>(start) / kPicosecondsPerSecond;
    const double factor = (1 + injection_.noise * noise_.next_symmetric()) * (1 + drift);
    return static_cast<Picoseconds>(std::clamp(static_cast<double>(duration) * factor, 0.0, std::max(0.0, kLatestPicoseconds - static_cast<double>(start))));
}

bool Injector::exact_clock() {
    const std::lock_guard held(lock_);
    return injection_.exact_clock();
}

}  // namespace hipemu
