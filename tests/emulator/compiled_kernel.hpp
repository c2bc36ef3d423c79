// HIP source to code object, for tests that need a real one. Every failure ends the test case.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace hip_test {

/// A code object, by hiprtc in a worker that serves all tests of this process.
/// `headers`: texts that the source includes, by name.
std::string compile(const std::string& source, const std::vector<std::string>& options = {"-O3"}, const std::string& target = "gfx1100",
                    const std::map<std::string, std::string>& headers = {});

struct Compilation {
    std::string target;
    std::vector<std::string> options;
};
/// The same source for several targets and options, by two workers side by side.
std::vector<std::string> compile_all(const std::string& source, const std::vector<Compilation>& compilations,
                                     const std::map<std::string, std::string>& headers = {});

/// The disassembly of a code object, as the emulator gets it.
std::string listing_of(const std::string& code, const std::string& target);

}  // namespace hip_test
