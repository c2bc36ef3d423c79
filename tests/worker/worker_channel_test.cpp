#include "base/worker_channel.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "worker/compiler.hpp"

namespace {

using namespace flashwave;
using namespace std::chrono_literals;

std::unique_ptr<WorkerChannel> started(const WorkerLaunch& launch, const std::vector<std::string>& arguments = {}) {
    auto channel = WorkerChannel::start(launch, arguments);
    INFO(channel.status().to_string());
    REQUIRE(channel.ok());
    return std::move(*channel);
}

std::unique_ptr<WorkerChannel> misbehaving() { return started(launch_without_rocm(), {"--test-requests"}); }

TEST_CASE("a kernel in two files becomes a code object") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto channel = started(*launch);
    const auto object = channel->compile(small_job(), soon());
    INFO(object.status().to_string());
    REQUIRE(object.ok());
    CHECK(object->code.substr(0, 4) ==
          "\x7f"
          "ELF");
    CHECK(object->log.empty());
    // The same request gives the same bytes, or keys would be worth nothing.
    CHECK(channel->compile(small_job(), soon())->code == object->code);
    CHECK(started(*launch)->compile(small_job(), soon())->code == object->code);
}

TEST_CASE("a compile error gives file, line and sentence first, also in an included file") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto channel = started(*launch);
    CompileJob job = small_job();
    job.files[1].text = "\n\n__attribute__((device)) inline float square(float x) { return unheard_of; }\n";
    const Status included = channel->compile(job, soon()).status();
    CHECK(included.code() == Code::compile_error);
    CHECK(included.message().starts_with("part/square.h:3: use of undeclared identifier 'unheard_of'\n"));
    // The log follows, with the author's names and not those of a temporary folder.
    CHECK(included.message().find("In file included from small.hip:1:") != std::string::npos);
    CHECK(included.message().find("/tmp") == std::string::npos);

    job = small_job();
    job.files[0].text = "\nstatic_assert(sizeof(int) == 3, \"three bytes\");\n";
    const Status main_file = channel->compile(job, soon()).status();
    CHECK(main_file.code() == Code::compile_error);
    CHECK(main_file.message().starts_with("small.hip:2: static assertion failed"));
    CHECK(main_file.message().find("three bytes") != std::string::npos);

    job.files[0].text = "#include \"missing.h\"\n";
    CHECK(channel->compile(job, soon()).status().message().starts_with("small.hip:1: 'missing.h' file not found"));
    // The worker is as good as before.
    CHECK(channel->compile(small_job(), soon()).ok());
}

TEST_CASE("warnings of a compile that succeeds are kept") {
    const auto launch = compiler_here();
    if (!launch) return;
    CompileJob job = small_job();
    job.files[0].text += "#warning watch out\n";
    const auto object = started(*launch)->compile(job, soon());
    REQUIRE(object.ok());
    CHECK(object->log.find("small.hip:9:2: warning: watch out") != std::string::npos);
}

TEST_CASE("requests that would end the compiler are refused before it sees them") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto channel = started(*launch);
    for (const char* target : {"gfx9999", "gfx1100:xnack+", "nonsense", "gfx1100:", "GFX1100"}) {
        CAPTURE(target);
        const Status status = channel->compile(small_job(target), soon()).status();
        CHECK(status.code() == Code::unsupported);
        CHECK(status.message().find(target) != std::string::npos);
        CHECK(status.message().find("gfx1100") != std::string::npos);
    }
    CHECK(channel->compile(small_job(""), soon()).status().code() == Code::unsupported);
    CompileJob job = small_job();
    job.main_file = "other.hip";
    CHECK(channel->compile(job, soon()).status().message() ==
          "the main file 'other.hip' is not among the source files.");
    job = small_job();
    job.files[0].text.push_back('\0');
    CHECK(channel->compile(job, soon()).status().code() == Code::invalid_argument);
    job = small_job();
    job.options.emplace_back("-fno-such-option");
    CHECK(channel->compile(job, soon()).status().code() == Code::compile_error);
    CHECK(channel->compile(job, soon()).status().message().find("-fno-such-option") != std::string::npos);
    CHECK_FALSE(channel->broken());
}

TEST_CASE("a code object is listed with symbols, addresses and words") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto channel = started(*launch);
    const auto object = channel->compile(small_job(), soon());
    REQUIRE(object.ok());
    const auto listing = channel->list(object->code, "gfx1100", soon());
    INFO(listing.status().to_string());
    REQUIRE(listing.ok());
    CHECK(listing->find("\nsmall:\n") != std::string::npos);
    CHECK(listing->find("ds_store_b32") != std::string::npos);
    CHECK(listing->find("BFB00000") != std::string::npos);  // s_endpgm of gfx11
    CHECK(*list_code_object(object->code, "gfx1100") == *listing);
}

TEST_CASE("what cannot be listed is refused and the worker goes on") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto channel = started(*launch);
    const auto object = channel->compile(small_job(), soon());
    REQUIRE(object.ok());
    CHECK_FALSE(channel->list("not an ELF file", "gfx1100", soon()).ok());
    CHECK_FALSE(channel->list(object->code, "gfx9999", soon()).ok());
    CHECK_FALSE(channel->list("", "gfx1100", soon()).ok());
    CHECK_FALSE(channel->broken());
    CHECK(channel->list(object->code, "gfx1100", soon()).ok());
}

TEST_CASE("the compiler says what it is") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto identity = started(*launch)->hello(soon());
    INFO(identity.status().to_string());
    REQUIRE(identity.ok());
    CHECK(identity->compiler.find("lang") != std::string::npos);
    CHECK_FALSE(identity->comgr_version.empty());
    const auto has = [&](std::string_view stem) {
        return std::any_of(
            identity->libraries.begin(), identity->libraries.end(), [&](const ToolchainLibrary& library) {
                return library.name.starts_with(stem) && library.path.starts_with("/") && library.build_id.size() >= 16;
            });
    };
    CHECK(has("libhiprtc"));
    CHECK(has("libamd_comgr"));
}

TEST_CASE("targets are tried, not assumed") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto channel = started(*launch);
    CHECK(*channel->targets({"gfx1100", "gfx9999", "gfx942:xnack-", "gfx1100:xnack-"}, soon()) ==
          std::vector<std::string>{"gfx1100", "gfx942:xnack-"});
}

TEST_CASE("nothing of the host's environment reaches the compiler") {
    const auto launch = compiler_here();
    if (!launch) return;
    const auto without = started(*launch)->compile(small_job(), soon());
    ::setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "-fno-such-option", 1);
    ::setenv("AMD_COMGR_EMIT_VERBOSE_LOGS", "1", 1);
    const auto with = started(*launch)->compile(small_job(), soon());
    ::unsetenv("HIPRTC_COMPILE_OPTIONS_APPEND");
    ::unsetenv("AMD_COMGR_EMIT_VERBOSE_LOGS");
    REQUIRE(with.ok());
    CHECK(with->code == without->code);
    CHECK(with->log.empty());
}

TEST_CASE("without ROCm the worker says what to do, and lives") {
    const auto channel = started(launch_without_rocm());
    const Status status = channel->compile(small_job(), soon()).status();
    CHECK(status.code() == Code::unavailable);
    CHECK(status.message().find("scripts/fetch-rocm") != std::string::npos);
    CHECK(channel->hello(soon()).status().code() == Code::unavailable);
    CHECK_FALSE(channel->broken());
}

TEST_CASE("a crash is a status with the signal and the last words") {
    const auto channel = misbehaving();
    const Status status = channel->request({"crash"}, soon()).status();
    CHECK(status.code() == Code::crashed);
    CHECK(status.message() ==
          "the compiler's worker process was killed by signal 11 (Segmentation fault). Its last output: about to crash "
          "as asked");
    CHECK(channel->broken());
    CHECK(channel->request({"echo"}, soon()).status().code() == Code::crashed);
}

TEST_CASE("an abort and an exit without an answer are crashes") {
    CHECK(misbehaving()->request({"abort"}, soon()).status().message().find("signal 6") != std::string::npos);
    CHECK(misbehaving()->request({"exit"}, soon()).status().message().find("exit code 3") != std::string::npos);
    CHECK(misbehaving()->request({"half"}, soon()).status().code() == Code::crashed);
}

TEST_CASE("a hang ends at the deadline, and so does the process") {
    const auto channel = misbehaving();
    const pid_t pid = channel->pid();
    const auto begin = std::chrono::steady_clock::now();
    CHECK(channel->request({"hang"}, deadline_after(100ms)).status().code() == Code::deadline);
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
    CHECK(::kill(pid, 0) != 0);
    CHECK(channel->broken());
}

/// The directory that a worker was given for temporary files, from its command line.
std::string scratch_of(pid_t worker) {
    const auto command = read_file("/proc/" + std::to_string(worker) + "/cmdline");
    REQUIRE(command.ok());
    const std::string_view flag("--scratch\0", 10);
    const std::size_t at = command->find(flag);
    REQUIRE(at != std::string::npos);
    return command->c_str() + at + flag.size();
}

TEST_CASE("what a worker that is stopped had in its temporary directory is removed") {
    std::string own;
    {
        const auto channel = misbehaving();
        own = scratch_of(channel->pid());
        CHECK(std::filesystem::is_directory(own));
        CHECK(channel->request({"litter"}, deadline_after(200ms)).status().code() == Code::deadline);
    }
    CHECK_FALSE(std::filesystem::exists(own));
}

TEST_CASE("garbage and impossible lengths are corrupt, and the process is ended") {
    for (const char* verb : {"garbage", "huge"}) {
        const auto channel = misbehaving();
        const pid_t pid = channel->pid();
        CHECK(channel->request({verb}, soon()).status().code() == Code::corrupt);
        CHECK(::kill(pid, 0) != 0);
    }
}

TEST_CASE("test requests are unknown to a worker that was not asked to have them") {
    const auto channel = started(launch_without_rocm());
    const Status status = channel->request({"crash"}, soon()).status();
    CHECK(status.code() == Code::invalid_argument);
    CHECK(status.message() == "the worker knows no request 'crash'.");
    CHECK(channel->request({}, soon()).status().code() == Code::invalid_argument);
}

TEST_CASE("large requests and answers pass") {
    const auto channel = misbehaving();
    const std::string large(20'000'000, 'l');
    const auto answer = channel->request({"echo", large}, soon());
    REQUIRE(answer.ok());
    CHECK((*answer)[1] == large);
}

TEST_CASE("an answer that is too long is called so, and the worker goes on") {
    const auto channel = misbehaving();
    const Status status = channel->request({"twice", std::string((std::size_t{128} << 20) + 1, 'l')}, soon()).status();
    CHECK(status.code() == Code::unsupported);
    CHECK(status.message().find("the answer is too long for the compiler's worker process") != std::string::npos);
    CHECK(channel->request({"twice", "la"}, soon()).ok());
}

TEST_CASE("another program in the worker's place is noticed") {
    WorkerLaunch launch = launch_without_rocm();
    launch.program = "/bin/cat";
    CHECK_FALSE(WorkerChannel::start(launch).ok());
    launch.program = "/bin/true";
    CHECK(WorkerChannel::start(launch).status().code() == Code::crashed);
    launch.program = "/no/such/worker";
    CHECK(WorkerChannel::start(launch).status().code() == Code::not_found);
}

TEST_CASE("a worker of another version is refused") {
    WorkerLaunch launch = launch_without_rocm();
    const Status status = WorkerChannel::start(launch, {"--test-requests", "--test-protocol", "0"}).status();
    CHECK(status.code() == Code::unavailable);
    CHECK(status.message().find("another version of flashwave") != std::string::npos);
}

TEST_CASE("a worker ends when the process that started it is killed, even while it is busy") {
    int pipe_ends[2];
    REQUIRE(::pipe(pipe_ends) == 0);
    const pid_t host = ::fork();
    REQUIRE(host >= 0);
    if (host == 0) {
        auto channel = WorkerChannel::start(launch_without_rocm(), {"--test-requests"});
        if (!channel.ok()) ::_exit(1);
        const pid_t worker = (*channel)->pid();
        if (::write(pipe_ends[1], &worker, sizeof worker) != sizeof worker) ::_exit(1);
        (void)(*channel)->request({"litter"}, kNoDeadline);
        ::_exit(0);
    }
    pid_t worker = 0;
    REQUIRE(::read(pipe_ends[0], &worker, sizeof worker) == sizeof worker);
    std::this_thread::sleep_for(50ms);
    REQUIRE(::kill(worker, 0) == 0);
    const std::string scratch = scratch_of(worker);
    for (int i = 0; i < 500 && !std::filesystem::exists(scratch + "/half-compiled.o"); ++i) std::this_thread::sleep_for(10ms);
    CHECK(std::filesystem::exists(scratch + "/half-compiled.o"));
    ::kill(host, SIGKILL);
    ::waitpid(host, nullptr, 0);
    bool gone = false;
    for (int i = 0; i < 500 && !gone; ++i) {
        // Orphans are reaped by whoever adopts them; until then they are zombies, which have no command line.
        const auto command = read_file("/proc/" + std::to_string(worker) + "/cmdline");
        gone = !command.ok() || command->empty();
        std::this_thread::sleep_for(10ms);
    }
    CHECK(gone);
    CHECK_FALSE(std::filesystem::exists(scratch));
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
}

}  // namespace
