// Where the library's messages go. Without a word they go to stderr, warnings and errors only; FLASHWAVE_LOG=debug,
// info, warn, error or off chooses others.
#pragma once

#include <functional>
#include <string_view>

#include "flashwave/export.hpp"

namespace flashwave {

/// Gives every message that FLASHWAVE_LOG lets through to `sink` instead of stderr: its level ("debug", "info",
/// "warning", "error") and one line of text. It holds for the whole process. The sink is called from any thread, one
/// call at a time, and must not call flashwave; the views are valid during the call only. An empty sink brings stderr
/// back.
FLASHWAVE_API void route_log(std::function<void(std::string_view level, std::string_view message)> sink);

}  // namespace flashwave
