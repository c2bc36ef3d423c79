// --device, --cache-dir, --tune, --tune-budget: what `run` and `warm` share about the Runtime they open.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "flashwave/options.hpp"
#include "flashwave/runtime.hpp"
#include "flashwave/status.hpp"

namespace CLI {
class App;
}

namespace flashwave::cli {

class ProgressLine;

class RuntimeFlags {
  public:
    void add_to(CLI::App& app);

    /// Opens the device. While a problem is tuned and `progress` is on a terminal, `show` is called with one line of
    /// text: the candidate, of how many, its state, the time. What it refers to must outlive the Runtime.
    Result<Runtime> open(const ProgressLine& progress, std::function<void(const std::string&)> show) const;

    /// The device that open() asks for: the flag, FLASHWAVE_DEVICE or hip:0.
    std::string device() const;

  private:
    std::string device_, cache_dir_, tune_;
    std::optional<double> budget_seconds_;
};

/// "candidate 3 of 14, m128n64w8: timing, 12.3 s"
std::string progress_text(const TuneProgress& progress);

/// The short name of a geometry, "m128n64w8", from the text form in which the library tells it.
std::string short_geometry(std::string_view text);

/// "modelled" or "measured": a time never stands without saying which it is.
std::string_view kind_of_time(bool modelled) noexcept;

}  // namespace flashwave::cli
