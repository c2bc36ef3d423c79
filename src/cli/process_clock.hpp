// Time since this process began, what a user waits for before the first kernel.
#pragma once

namespace flashwave::cli {

/// To be called first in main.
void note_process_start() noexcept;

/// Milliseconds since the process was started, loading of its libraries included.
double milliseconds_since_start() noexcept;

}  // namespace flashwave::cli
