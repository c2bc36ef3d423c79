// One flashwave-worker process and the requests it answers. The worker holds the compiler (hiprtc) and the disassembler
// (comgr), so that no compiler is ever loaded into the host.
//
// A channel belongs to one thread at a time and answers one request at a time; several channels make a pool
// (compile/worker_pool.hpp). After crashed, deadline, corrupt or io_error the channel is broken: its process is gone
// and every further request says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "base/process.hpp"
#include "base/scratch_directory.hpp"
#include "base/worker_protocol.hpp"
#include "flashwave/status.hpp"

namespace flashwave {

/// How the worker is started: found once, from settings and the places documented there.
struct WorkerLaunch {
    std::string program;       ///< flashwave-worker
    std::string loader;        ///< The prefix's own dynamic loader; empty: started directly.
    std::string library_path;  ///< Where hiprtc and comgr lie.
    std::string hiprtc;        ///< Path of the library.
    std::string comgr;
    std::string origin;        ///< "FLASHWAVE_ROCM=/opt/rocm-6.4", "/opt/rocm": the place that was chosen, for people.
};

/// unavailable: no worker program, or no hiprtc and comgr of ROCm 6 or newer; the sentence says how to get them.
Result<WorkerLaunch> find_worker();
/// The same with the places named: `rocm` empty searches, otherwise only that directory counts.
Result<WorkerLaunch> find_worker(const std::string& rocm);

/// The command that gives this machine a compiler, as one would type it.
std::string how_to_get_rocm();

class WorkerChannel {
public:
    /// `extra_arguments`: for tests ("--test-requests").
    static Result<std::unique_ptr<WorkerChannel>> start(const WorkerLaunch& launch, const std::vector<std::string>& extra_arguments = {});

    Result<WorkerIdentity> hello(Deadline deadline);
    /// compile_error: the message begins with "file:line: " and the compiler's sentence, the whole log follows.
    Result<CompiledObject> compile(const CompileJob& job, Deadline deadline);
    /// The disassembly of a code object by comgr, symbols and hex words included.
    Result<std::string> list(std::string_view code_object, std::string_view target, Deadline deadline);
    /// The source line of each address of a code object compiled with -g: "k.hip:2, inlined into k.hip:7", empty where none is known.
    Result<std::vector<std::string>> source_lines(std::string_view code_object, const std::vector<std::uint64_t>& addresses, Deadline deadline);
    /// Those of `candidates` for which a small kernel really compiles, 0.05 to 0.1 s each; none given: all the compiler names.
    Result<std::vector<std::string>> targets(const std::vector<std::string>& candidates, Deadline deadline);
    /// Any request; what the five above are made of. The answer begins with "ok".
    Result<Fields> request(const Fields& fields, Deadline deadline);

    bool broken() const { return broken_; }
    /// The request was not read, because the worker had just ended for want of work: ask another one.
    bool said_goodbye() const { return said_goodbye_; }
    /// Lets go of the process without ending it: after fork it is the parent's.
    void disown() {
        process_.disown();
        scratch_.disown();
    }
    pid_t pid() const { return process_.pid(); }

private:
    WorkerChannel(Process process, ScratchDirectory scratch) : scratch_(std::move(scratch)), process_(std::move(process)) {}

    /// Ends the process and says how it ended.
    Status fail(const Status& why);
    Result<Fields> receive(Deadline deadline);

    ScratchDirectory scratch_;  // of the process; above it, so that it goes when the process is gone
    Process process_;
    bool broken_ = false;
    bool said_goodbye_ = false;
};

/// Starts a worker, lists one code object and lets the worker go. `target`: "gfx1100", or a full name with features.
Result<std::string> list_code_object(std::string_view code_object, std::string_view target);
/// The same for source lines.
Result<std::vector<std::string>> source_lines_of(std::string_view code_object, const std::vector<std::uint64_t>& addresses);

}  // namespace flashwave
