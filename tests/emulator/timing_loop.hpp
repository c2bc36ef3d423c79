// Modelled cycles of hand-written instructions: a kernel that runs them over and over, in as many waves and work-groups as asked for.
//
//     CHECK(TimedLoop("v_add_f32 v1, v1, v2").cycles_each() == doctest::Approx(5));
//
// s[0:1] points at a buffer of the launch, s2 is the work-group's number, v0 the lane's number in its work-group. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/run/launch.hpp"

namespace emulator_test {

class TimedLoop {
public:
    /// `body` is what is timed; `before` runs once.
    explicit TimedLoop(std::string_view body, std::string_view before = "");

    TimedLoop& card(std::string_view name);
    TimedLoop& waves(std::uint32_t count);        // of a work-group
    TimedLoop& groups(std::uint32_t count);
    TimedLoop& vgprs(std::uint32_t count);        // of the kernel, for occupancy
    TimedLoop& lds(std::uint32_t bytes);
    TimedLoop& buffer(std::size_t bytes);         // zeros
    TimedLoop& host_threads(unsigned count);
    TimedLoop& sample(std::uint64_t groups);
    std::vector<std::byte>& memory() { return memory_; }

    /// The launch with so many copies of the body behind one another, that code run so many times in a loop (s40 counts; 1: no loop).
    hipemu::KernelTime time(unsigned copies, unsigned iterations = 1) const;
    hipemu::LaunchResult launch(unsigned copies, unsigned iterations = 1) const;

    /// Cycles that one more copy takes in a loop, what comes before and after it left out.
    double cycles_each(unsigned copies = 32) const;

private:
    std::string body_, before_;
    std::string card_ = "rx7900xtx";
    std::uint32_t waves_ = 1, groups_ = 1, vgprs_ = 32, lds_ = 0;
    std::uint64_t sample_ = 0;
    unsigned host_threads_ = 1;
    mutable std::vector<std::byte> memory_;
};

/// Where the buffer of a TimedLoop lies.
inline constexpr std::uint64_t kTimedBuffer = 0x7f0000000000;

}  // namespace emulator_test
