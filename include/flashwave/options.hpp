// How a Runtime is set up: device, cache, tuning. A field that is left alone takes its value from the environment
// variable named beside it, and the stated default where that is not set. A field that is set wins over the
// environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "flashwave/export.hpp"

namespace flashwave {

/// What happens the first time a problem is seen.
enum class TuneMode : std::uint8_t {
    /// The first caller compiles and measures the candidates within the budget and then runs the winner; callers of the
    /// same
    /// problem that come meanwhile run the default geometry.
    first_use,
    /// The default geometry, compiled if it is not stored. Nothing is measured; a stored winner is not looked for.
    off,
    /// Only what is stored: nothing is compiled and nothing measured. A problem with no stored winner is
    /// Code::not_found.
    replay,
};

/// "first_use", "off", "replay".
FLASHWAVE_API std::string_view name(TuneMode mode) noexcept;
/// The mode of that name, if there is one.
FLASHWAVE_API std::optional<TuneMode> parse_tune_mode(std::string_view text) noexcept;

/// One step of tuning, reported to Options::on_progress.
struct TuneProgress {
    std::string_view key;        ///< The problem, in its text form.
    int candidate = 0;           ///< 1 .. candidates
    int candidates = 0;          ///< How many there are for this problem, refused ones not counted.
    std::string_view geometry;   ///< The candidate, in its text form.
    std::string_view state;      ///< "compiling", "validating", "timing", "done", "wrong", "crash", "timeout", ...
    double time_us = 0;          ///< Its time, in state "done".
    bool modelled = false;       ///< The time is an emulator's, not a measured one.
    double elapsed_seconds = 0;  ///< Since tuning of this problem began.
};

struct Options {
    /// "hip:N": the N-th GPU that HIP shows. "emulated:gfx1100": the built-in emulator. A GPU that is missing is an
    /// error; the emulator never stands in for it unasked. FLASHWAVE_DEVICE; default "hip:0".
    std::string device = {};

    /// The folder of cache.db. It is created with mode 0700. ":memory:" keeps nothing between processes.
    /// FLASHWAVE_CACHE_DIR; default $XDG_CACHE_HOME/flashwave or ~/.cache/flashwave.
    std::string cache_dir = {};

    /// FLASHWAVE_TUNE (first_use, off, replay); default first_use.
    std::optional<TuneMode> tune = std::nullopt;

    /// How long one problem may be tuned. What was measured until then decides; what was not is left for another time.
    /// FLASHWAVE_TUNE_BUDGET, in seconds; default 120 s.
    std::optional<std::chrono::milliseconds> tune_budget = std::nullopt;

    /// Compilers that work side by side while tuning.
    /// FLASHWAVE_WORKERS; default half the processors, at least one.
    std::optional<unsigned> compile_workers = std::nullopt;

    /// The stored code objects are trimmed, least recently used first, when they exceed this many bytes.
    /// FLASHWAVE_CACHE_LIMIT, in MiB; default 512 MiB.
    std::optional<std::uint64_t> cache_limit_bytes = std::nullopt;

    /// Called while a problem is tuned, by the thread that tunes it. Views in its argument are valid during the call
    /// only.
    std::function<void(const TuneProgress&)> on_progress = {};
};

}  // namespace flashwave
