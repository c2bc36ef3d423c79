// A child process: posix_spawn of a program of ours (never a fork of the host), one socket as its stdin and stdout, its
// stderr kept. It inherits no other descriptor, starts with default signals in a process group of its own, and is killed
// and reaped when its owner goes. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "base/descriptor.hpp"
#include "flashwave/status.hpp"

namespace flashwave {

struct ProcessOptions {
    std::string program;                   ///< A path; PATH is not searched.
    std::vector<std::string> arguments;    ///< Without the program's name.
    std::vector<std::string> environment;  ///< "NAME=value": all that the child has, unless
    bool inherit_environment = false;      ///< it also gets the variables of this process that are not named above.
    std::uint64_t memory_limit = 0;        ///< Bytes of address space; 0 is no limit.
    std::uint64_t cpu_seconds_limit = 0;   ///< 0 is no limit.
    std::uint64_t file_size_limit = 0;     ///< Bytes of the largest file it may write; 0 is no limit.
};

/// How a process ended.
struct ProcessEnd {
    bool exited = false;    ///< With `exit_code`; otherwise by `signal`, or unknown when both are 0.
    int exit_code = 0;
    int signal = 0;

    bool succeeded() const { return exited && exit_code == 0; }
    std::string sentence() const;  ///< "ended with exit code 3", "was killed by signal 11 (Segmentation fault)"
};

class Process {
public:
    static Result<Process> spawn(const ProcessOptions& options);

    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();  ///< Kills the process group if it is still there.

    /// The parent's end of the socket; non-blocking, closed by close_channel() or the destructor.
    int channel() const { return channel_.get(); }
    void close_channel() { channel_.close(); }
    pid_t pid() const { return pid_; }

    /// deadline if it has not ended by then; it goes on running.
    Result<ProcessEnd> wait(Deadline deadline);
    /// SIGKILL to its process group, then wait.
    ProcessEnd kill();
    /// Closes what this object holds and neither kills nor waits, now or later.
    void disown();

    /// The last `most` bytes it wrote to stderr.
    std::string stderr_tail(std::size_t most = 4096) const;
    /// Forgets what was written to stderr so far, so that a long-lived child does not fill memory.
    void clear_stderr();

private:
    Process() = default;

    pid_t pid_ = -1;
    Descriptor channel_;
    Descriptor errors_;  // an anonymous file that is the child's stderr
    ProcessEnd end_;
};

struct ProcessOutput {
    ProcessEnd end;
    std::string output;       ///< stdout
    std::string error_output; ///< the last 64 KiB of stderr
};

/// Runs a program to its end, `input` as its stdin. deadline: it was killed.
Result<ProcessOutput> run_process(const ProcessOptions& options, std::string_view input, Deadline deadline);

}  // namespace flashwave
