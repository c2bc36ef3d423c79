// What is compiled and under which key its code object is stored. The key covers every byte that reaches the compiler and
// the identity of the compiler itself; nothing else. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/worker_protocol.hpp"

namespace flashwave {

/// `main_file` of the embedded kernel sources with every header beside it.
CompileJob kernel_job(std::string_view main_file, std::string target, std::vector<std::string> options);

/// Key of the code object: the job's target, main file, files (in any order), options (their order counts) and the
/// toolchain's fingerprint.
Digest compile_key(const CompileJob& job, const Digest& toolchain);

}  // namespace flashwave
