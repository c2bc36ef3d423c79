#include "cli/runtime_flags.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "base/settings.hpp"
#include "cli/command.hpp"
#include "cli/progress_line.hpp"
#include "problem/candidate.hpp"

namespace flashwave::cli {

void RuntimeFlags::add_to(CLI::App& app) {
    const auto add = [&](const char* flag, auto& value, const char* kind, const char* help) {
        app.add_option(flag, value, help)->option_text(kind)->group("Device and cache");
    };
    add("--device", device_, "DEVICE", "hip:N, a GPU, or emulated:gfx1100, the emulator [FLASHWAVE_DEVICE, hip:0]");
    add("--cache-dir", cache_dir_, "DIR",
        "Folder of cache.db; :memory: keeps nothing [FLASHWAVE_CACHE_DIR, ~/.cache/flashwave]");
    add("--tune", tune_, "first_use|off|replay",
        "Tune what is new, run the default geometry, or only what is stored [FLASHWAVE_TUNE, first_use]");
    add("--tune-budget", budget_seconds_, "SECONDS", "How long one problem may be tuned [FLASHWAVE_TUNE_BUDGET, 120]");
}

Result<Runtime> RuntimeFlags::open(const ProgressLine& progress, std::function<void(const std::string&)> show) const {
    Options options{.device = device(), .cache_dir = cache_dir_};
    if (!tune_.empty()) {
        options.tune = parse_tune_mode(tune_);
        if (!options.tune) return bad_flag("--tune", tune_, "use one of first_use, off, replay");
    }
    if (budget_seconds_) {
        constexpr double kMost = 86400;
        if (!(*budget_seconds_ > 0 && *budget_seconds_ <= kMost))
            return bad_flag("--tune-budget", fmt::format("{}", *budget_seconds_),
                            fmt::format("seconds above 0, at most {}, are needed", kMost));
        options.tune_budget = std::chrono::milliseconds(std::llround(std::ceil(*budget_seconds_ * 1e3)));
    }
    if (progress.visible())
        options.on_progress = [show = std::move(show)](const TuneProgress& step) { show(progress_text(step)); };
    return Runtime::create(options);
}

std::string RuntimeFlags::device() const {
    if (!device_.empty()) return device_;
    return settings().device.empty() ? "hip:0" : settings().device;
}

std::string progress_text(const TuneProgress& progress) {
    return fmt::format("candidate {} of {}, {}: {}, {:.1f} s", progress.candidate, progress.candidates,
                       short_geometry(progress.geometry), progress.state, progress.elapsed_seconds);
}

std::string short_geometry(std::string_view text) {
    const auto candidate = parse_text<Candidate>(text);
    return candidate ? short_name(*candidate) : std::string(text);
}

std::string_view kind_of_time(bool modelled) noexcept { return modelled ? "modelled" : "measured"; }

}  // namespace flashwave::cli
