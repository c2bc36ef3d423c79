// The names of the public enumerations, as they are printed, stored and taken from the command line.
#include "flashwave/attention.hpp"
#include "flashwave/options.hpp"

namespace flashwave {

std::string_view name(DType dtype) noexcept {
    switch (dtype) {
        case DType::f16: return "f16";
        case DType::bf16: return "bf16";
        case DType::f32: return "f32";
    }
    return "?";
}

std::size_t size_of(DType dtype) noexcept { return dtype == DType::f32 ? 4 : 2; }

std::string_view name(Mask mask) noexcept { return mask == Mask::causal ? "causal" : "none"; }

std::string_view name(Alignment alignment) noexcept {
    switch (alignment) {
        case Alignment::unspecified: return "unspecified";
        case Alignment::bottom_right: return "bottom_right";
        case Alignment::top_left: return "top_left";
    }
    return "?";
}

std::string_view name(PlanSource source) noexcept {
    switch (source) {
        case PlanSource::tuned: return "tuned";
        case PlanSource::disk: return "disk";
        case PlanSource::memory: return "memory";
        case PlanSource::default_geometry: return "default";
    }
    return "?";
}

std::string_view name(TuneMode mode) noexcept {
    switch (mode) {
        case TuneMode::first_use: return "first_use";
        case TuneMode::off: return "off";
        case TuneMode::replay: return "replay";
    }
    return "?";
}

std::optional<TuneMode> parse_tune_mode(std::string_view text) noexcept {
    for (const TuneMode mode : {TuneMode::first_use, TuneMode::off, TuneMode::replay})
        if (text == name(mode)) return mode;
    return std::nullopt;
}

}  // namespace flashwave
