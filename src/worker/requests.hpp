// The answers of the worker: one list of fields to one list of fields.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/worker_protocol.hpp"
#include "worker/comgr.hpp"
#include "worker/hiprtc.hpp"

namespace flashwave {

struct WorkerOptions {
    std::string hiprtc = "libhiprtc.so";  ///< Path, or a name for the loader to find.
    std::string comgr = "libamd_comgr.so";
    /// After so long without a request it ends: LLVM keeps hundreds of megabytes, and a new worker is there in 0.1 s.
    std::chrono::milliseconds idle_time{60'000};
    std::string protocol{kWorkerProtocol};  ///< What it claims to speak; another for tests.
    bool test_requests = false;           ///< Answer "crash", "hang" and "garbage" as a broken worker would.
};

/// Loads the libraries at the first request that needs them. One thread.
class Requests {
public:
    explicit Requests(WorkerOptions options) : options_(std::move(options)) {}

    Fields answer(const Fields& request);

private:
    Status load();
    Fields hello();
    Fields compile(const Fields& request);
    Fields list(const Fields& request);
    Fields source_lines(const Fields& request);
    Fields targets(const Fields& request);
    Result<CompiledObject> checked_compile(const CompileJob& job);

    const WorkerOptions options_;
    std::optional<Comgr> comgr_;
    std::optional<Hiprtc> hiprtc_;
};

}  // namespace flashwave
