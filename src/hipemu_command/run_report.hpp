// What `hipemu run` tells of a launch: tables for people, one JSON object for programs.
#pragma once

#include <string>

#include "hipemu_command/measured_launch.hpp"

namespace hipemu::command {

struct ReportOptions {
    std::size_t hot = 0;     // so many of the instructions that took the most time, in their listing
    std::size_t values = 4;  // first elements of each buffer
    std::size_t mnemonics = 20;  // most frequent ones that the table shows
};

/// False: a finding stopped the kernel, or an output is not what was expected.
bool passed(const MeasuredLaunch& measured);

std::string to_text(const MeasuredLaunch& measured, const LaunchDescription& launch, const ReportOptions& options);
/// One object on one line.
std::string to_json(const MeasuredLaunch& measured, const LaunchDescription& launch, const ReportOptions& options);

}  // namespace hipemu::command
