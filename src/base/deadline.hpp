// A point in time by which an operation has to be done. Monotonic: setting the machine's clock changes nothing.
#pragma once

#include <algorithm>
#include <chrono>

namespace flashwave {

using Deadline = std::chrono::steady_clock::time_point;

inline constexpr Deadline kNoDeadline = Deadline::max();

/// A duration longer than the clock can hold means none.
inline Deadline deadline_after(std::chrono::milliseconds duration) {
    const Deadline now = std::chrono::steady_clock::now();
    return duration < std::chrono::duration_cast<std::chrono::milliseconds>(kNoDeadline - now) ? now + duration : kNoDeadline;
}

inline bool expired(Deadline deadline) {
    return deadline != kNoDeadline && std::chrono::steady_clock::now() >= deadline;
}

/// What poll(2) takes: -1 for no deadline, otherwise the rest in milliseconds, rounded up so that it never spins.
inline int poll_timeout(Deadline deadline) {
    if (deadline == kNoDeadline) return -1;
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    return static_cast<int>(std::clamp<long long>(rest, 0, 3'600'000));
}

}  // namespace flashwave
