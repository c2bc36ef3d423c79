// HIP source to code object, for tests that need a real one. Every failure ends the test case.
#pragma once

#include <string>
#include <vector>

namespace hip_test {

/// A code object, by hiprtc in a worker that serves all tests of this process.
std::string compile(const std::string& source, const std::vector<std::string>& options = {"-O3"}, const std::string& target = "gfx1100");

/// The disassembly of a code object, as the emulator gets it.
std::string listing_of(const std::string& code, const std::string& target);

}  // namespace hip_test
