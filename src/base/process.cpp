#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/file.hpp"

extern char** environ;

namespace flashwave {
namespace {

// A killed process that does not go within this time sits in the kernel (a driver, a dead network file system).
constexpr std::chrono::milliseconds kKillTime{5'000};

// Above stderr, so that giving the child its three descriptors never overwrites one of ours.
Descriptor above_standard(Descriptor fd) {
    if (!fd.valid() || fd.get() > STDERR_FILENO) return fd;
    return Descriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment_of(const ProcessOptions& options) {
    std::vector<std::string> result = options.environment;
    if (!options.inherit_environment) return result;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view inherited = *variable;
        const std::string_view name = inherited.substr(0, inherited.find('='));
        const bool replaced = std::any_of(options.environment.begin(), options.environment.end(),
                                          [&](std::string_view own) { return own.substr(0, own.find('=')) == name; });
        if (!replaced) result.emplace_back(inherited);
    }
    return result;
}

class SpawnPlan {
  public:
    SpawnPlan() {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }

    int run(pid_t& pid, const char* program, int channel, int errors, char* const* arguments,
            char* const* environment) {
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        posix_spawn_file_actions_adddup2(&actions_, channel, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, channel, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
        // The host may have opened files and sockets without O_CLOEXEC; a helper must not keep them alive.
        posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
        return ::posix_spawn(&pid, program, &actions_, &attributes_, arguments, environment);
    }

  private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

void limit(pid_t pid, __rlimit_resource resource, std::uint64_t value) {
    const rlimit bounds{value, value};
    // Best effort: the child may be gone already, and a lower limit that is set already stays.
    ::prlimit(pid, resource, &bounds, nullptr);
}

}  // namespace

std::string ProcessEnd::sentence() const {
    if (exited) return fmt::format("ended with exit code {}", exit_code);
    if (signal != 0) {
        const char* description = ::sigdescr_np(signal);
        return fmt::format("was killed by signal {} ({})", signal, description != nullptr ? description : "unknown");
    }
    return "ended, and its exit status was taken by somebody else";
}

Result<Process> Process::spawn(const ProcessOptions& options) {
    int ends[2] = {-1, -1};
    // A socket rather than two pipes: writing to a child that died is then an error and not a SIGPIPE in the host.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno_status(errno, "cannot make a socket for", options.program);
    Descriptor ours(ends[0]);
    Descriptor theirs = above_standard(Descriptor(ends[1]));
    // Memory, not a pipe: nobody has to read it for the child to go on.
    Descriptor errors = above_standard(Descriptor(::memfd_create("flashwave-stderr", MFD_CLOEXEC)));
    if (!theirs.valid() || !errors.valid()) return errno_status(errno, "cannot make descriptors for", options.program);
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);

    std::vector<std::string> arguments{options.program};
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    std::vector<std::string> environment = environment_of(options);

    Process child;
    const std::vector<char*> argument_pointers = pointers(arguments);
    const std::vector<char*> environment_pointers = pointers(environment);
    const int error = SpawnPlan().run(child.pid_, options.program.c_str(), theirs.get(), errors.get(),
                                      argument_pointers.data(), environment_pointers.data());
    if (error != 0) {
        child.pid_ = -1;
        return errno_status(error, "cannot start", options.program);
    }
    limit(child.pid_, RLIMIT_CORE,
          0);  // a helper that crashes leaves its story in stderr, not a core file in the user's directory
    if (options.memory_limit != 0) limit(child.pid_, RLIMIT_AS, options.memory_limit);
    if (options.cpu_seconds_limit != 0) limit(child.pid_, RLIMIT_CPU, options.cpu_seconds_limit);
    if (options.file_size_limit != 0) limit(child.pid_, RLIMIT_FSIZE, options.file_size_limit);
    child.channel_ = std::move(ours);
    child.errors_ = std::move(errors);
    return child;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      errors_(std::move(other.errors_)),
      end_(other.end_) {}

Process& Process::operator=(Process&& other) noexcept {
    if (this != &other) {
        kill();
        pid_ = std::exchange(other.pid_, -1);
        channel_ = std::move(other.channel_);
        errors_ = std::move(other.errors_);
        end_ = other.end_;
    }
    return *this;
}

Process::~Process() { kill(); }

Result<ProcessEnd> Process::wait(Deadline deadline) {
    std::chrono::microseconds pause{100};
    while (pid_ > 0) {
        int status = 0;
        const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
        if (reaped == pid_ || (reaped < 0 && errno != EINTR)) {
            // ECHILD: the host ignores SIGCHLD or reaps every child itself.
            if (reaped == pid_ && WIFEXITED(status))
                end_ = {.exited = true, .exit_code = WEXITSTATUS(status), .signal = 0};
            if (reaped == pid_ && WIFSIGNALED(status))
                end_ = {.exited = false, .exit_code = 0, .signal = WTERMSIG(status)};
            pid_ = -1;
            break;
        }
        if (expired(deadline))
            return Status(Code::deadline, fmt::format("process {} has not ended in its time.", pid_));
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(2 * pause, std::chrono::milliseconds(5));
    }
    return end_;
}

ProcessEnd Process::kill() {
    if (pid_ > 0) {
        ::kill(-pid_, SIGKILL);
        Result<ProcessEnd> ended = wait(deadline_after(kKillTime));
        if (!ended.ok()) pid_ = -1;  // it sits in the kernel; init will reap it some day
    }
    return end_;
}

void Process::disown() {
    pid_ = -1;
    channel_.close();
    errors_.close();
}

std::string Process::stderr_tail(std::size_t most) const {
    struct stat facts {};
    if (!errors_.valid() || ::fstat(errors_.get(), &facts) != 0) return {};
    const auto size = static_cast<std::size_t>(facts.st_size);
    const std::size_t wanted = std::min(size, most);
    std::string tail(wanted, '\0');
    const ssize_t count = ::pread(errors_.get(), tail.data(), wanted, static_cast<off_t>(size - wanted));
    tail.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return tail;
}

void Process::clear_stderr() {
    if (!errors_.valid()) return;
    // The child shares the open file, so its next write begins at 0 again.
    if (::ftruncate(errors_.get(), 0) == 0) ::lseek(errors_.get(), 0, SEEK_SET);
}

Result<ProcessOutput> run_process(const ProcessOptions& options, std::string_view input, Deadline deadline) {
    Result<Process> child = Process::spawn(options);
    if (!child.ok()) return child.status();
    ProcessOutput result;
    bool writing = true;
    for (;;) {
        if (writing && input.empty()) {
            ::shutdown(child->channel(), SHUT_WR);
            writing = false;
        }
        pollfd channel{
            .fd = child->channel(), .events = static_cast<short>(writing ? POLLIN | POLLOUT : POLLIN), .revents = 0};
        const int ready = ::poll(&channel, 1, poll_timeout(deadline));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            child->kill();
            return Status(Code::deadline,
                          fmt::format("{} was killed, for it had not ended in its time.", options.program));
        }
        if (writing && (channel.revents & (POLLOUT | POLLERR | POLLHUP)) != 0) {
            const ssize_t count = ::send(child->channel(), input.data(), input.size(), MSG_NOSIGNAL);
            if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
            else if (errno != EAGAIN && errno != EINTR) input = {};  // it does not read on, which is its right
        }
        if ((channel.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            char buffer[64 * 1024];
            const ssize_t count = ::recv(child->channel(), buffer, sizeof buffer, 0);
            if (count > 0) result.output.append(buffer, static_cast<std::size_t>(count));
            else if (count == 0 || (errno != EAGAIN && errno != EINTR)) break;
        }
    }
    Result<ProcessEnd> end = child->wait(deadline);
    if (!end.ok()) {
        child->kill();
        return Status(Code::deadline, fmt::format("{} was killed, for it had not ended in its time.", options.program));
    }
    result.end = *end;
    result.error_output = child->stderr_tail(64 * 1024);
    return result;
}

}  // namespace flashwave
