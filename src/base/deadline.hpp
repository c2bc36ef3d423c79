// A point in time by which an operation has to be done. Monotonic: setting the machine's clock changes nothing.
#pragma once

#include <algorithm>
#include <chrono>

namespace flashwave {

using Deadline = std::chrono::steady_clock::time_point;

inline constexpr Deadline kNoDeadline = Deadline::max();

inline Deadline deadline_after(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
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
