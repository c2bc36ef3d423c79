// Runs one call on the device, some times over, and brings its results back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/problem.hpp"
#include "flashwave/runtime.hpp"
#include "flashwave/status.hpp"

namespace flashwave::cli {

/// What outputs hold before a launch: a NaN in every element type, so that an element nobody wrote shows.
inline constexpr int kPoisonByte = 0xff;

struct Outputs {
    std::vector<std::uint16_t> o;  ///< bits, in the problem's memory layout
    std::vector<float> lse;        ///< [batch, heads, seq_q]; empty where it was not wanted
    double median_us = 0;          ///< by the device's own clock
    bool repeatable = true;        ///< the first and the last launch gave the same bits
    ForwardInfo info;              ///< of the first of them; where another process changed the plan meanwhile, of the new one
};

/// `repeat` >= 1. The problem is one that Runtime::warm has accepted; `device_name` is what the Runtime was opened
/// with.
Result<Outputs> timed_call(Runtime& runtime, const std::string& device_name, const Problem& problem,
                           const Inputs& inputs, bool want_lse, int repeat);

}  // namespace flashwave::cli
