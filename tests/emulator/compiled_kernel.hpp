// HIP source to code object, for tests that need a real one. Every failure ends the test case.
#pragma once

#include <string>
#include <vector>

namespace hip_test {

/// A code object for gfx1100, by hiprtc in a worker that serves all tests of this process.
std::string compile(const std::string& source, const std::vector<std::string>& options = {"-O3"});

}  // namespace hip_test
