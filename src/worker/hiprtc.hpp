// hiprtc, the compiler: the few functions that are used, declared here so that no ROCm header is needed.
// One request at a time, as hiprtc holds one lock over all of its functions anyway.
#pragma once

#include <string>

#include "base/worker_protocol.hpp"
#include "flashwave/status.hpp"
#include "worker/library.hpp"

namespace flashwave {

class Hiprtc {
public:
    static Result<Hiprtc> load(const std::string& path);

    /// compile_error: "file:line: sentence", then the whole log.
    Result<CompiledObject> compile(const CompileJob& job) const;
    std::string version() const;

private:
    struct Program;
    using ProgramHandle = Program*;

    explicit Hiprtc(Library library) : library_(library) {}
    Status error(const char* function, int result) const;
    std::string log_of(ProgramHandle program) const;

    Library library_;
    int (*version_)(int*, int*) = nullptr;
    const char* (*error_string_)(int) = nullptr;
    int (*create_)(ProgramHandle*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy_)(ProgramHandle*) = nullptr;
    int (*compile_)(ProgramHandle, int, const char* const*) = nullptr;
    int (*log_size_)(ProgramHandle, std::size_t*) = nullptr;
    int (*log_)(ProgramHandle, char*) = nullptr;
    int (*code_size_)(ProgramHandle, std::size_t*) = nullptr;
    int (*code_)(ProgramHandle, char*) = nullptr;
};

}  // namespace flashwave
