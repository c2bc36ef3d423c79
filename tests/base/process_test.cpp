#include "base/process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

namespace {

using namespace flashwave;
using namespace std::chrono_literals;

ProcessOptions shell(const std::string& script) {
    return {.program = "/bin/sh", .arguments = {"-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}

TEST_CASE("a process gets its input and gives output, errors and exit code") {
    const auto ran = run_process(shell("cat; echo wrong >&2; exit 3"), "hello", deadline_after(10s));
    REQUIRE(ran.ok());
    CHECK(ran->output == "hello");
    CHECK(ran->error_output == "wrong\n");
    CHECK(ran->end.exited);
    CHECK(ran->end.exit_code == 3);
    CHECK(ran->end.sentence() == "ended with exit code 3");
    CHECK_FALSE(ran->end.succeeded());
}

TEST_CASE("megabytes pass in both directions") {
    const std::string input(5'000'000, 'z');
    const auto ran = run_process(shell("cat"), input, deadline_after(30s));
    REQUIRE(ran.ok());
    CHECK(ran->output == input);
}

TEST_CASE("a process that reads nothing is no error") {
    const auto ran = run_process(shell("exit 0"), std::string(1'000'000, 'x'), deadline_after(10s));
    REQUIRE(ran.ok());
    CHECK(ran->end.succeeded());
}

TEST_CASE("death by a signal is said by its name") {
    const auto ran = run_process(shell("kill -SEGV $$"), "", deadline_after(10s));
    REQUIRE(ran.ok());
    CHECK(ran->end.signal == SIGSEGV);
    CHECK(ran->end.sentence() == "was killed by signal 11 (Segmentation fault)");
}

TEST_CASE("a process and its children are gone after the deadline") {
    const auto begin = std::chrono::steady_clock::now();
    // The child of the shell would keep the socket open.
    const auto ran = run_process(shell("sleep 100 & sleep 100"), "", deadline_after(100ms));
    CHECK(ran.status().code() == Code::deadline);
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
}

TEST_CASE("only the named variables are handed on unless asked") {
    ::setenv("FLASHWAVE_TEST_VARIABLE", "inherited", 1);
    ProcessOptions options = shell("echo \"$FLASHWAVE_TEST_VARIABLE$OWN\"");
    options.environment.emplace_back("OWN=own");
    CHECK(run_process(options, "", deadline_after(10s))->output == "own\n");
    options.inherit_environment = true;
    CHECK(run_process(options, "", deadline_after(10s))->output == "inheritedown\n");
    options.environment.emplace_back("FLASHWAVE_TEST_VARIABLE=replaced");
    CHECK(run_process(options, "", deadline_after(10s))->output == "replacedown\n");
    ::unsetenv("FLASHWAVE_TEST_VARIABLE");
}

TEST_CASE("no descriptor of this process is inherited") {
    const int leaky = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as an application might
    const int high = ::fcntl(leaky, F_DUPFD, 200);
    REQUIRE(high >= 200);
    const auto ran = run_process(shell("ls /proc/self/fd | tr '\\n' ' '"), "", deadline_after(10s));
    REQUIRE(ran.ok());
    CHECK(ran->output == "0 1 2 3 ");  // 3 is the directory that ls reads
    ::close(leaky);
    ::close(high);
}

TEST_CASE("signals that this process ignores or blocks are the child's as usual") {
    struct sigaction before {};
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    REQUIRE(::sigaction(SIGUSR1, &ignore, &before) == 0);
    const auto ran = run_process(shell("kill -USR1 $$; echo alive"), "", deadline_after(10s));
    ::sigaction(SIGUSR1, &before, nullptr);
    REQUIRE(ran.ok());
    CHECK(ran->end.signal == SIGUSR1);
    CHECK(ran->output.empty());
}

TEST_CASE("a file-size limit holds, also for what goes to stderr") {
    // The limit is set just after the start, so the child waits for a word first.
    ProcessOptions options = shell("read go; exec head -c 10000000 /dev/zero >&2");
    CHECK(run_process(options, "go\n", deadline_after(10s))->end.succeeded());
    options.file_size_limit = 1'000'000;
    CHECK(run_process(options, "go\n", deadline_after(10s))->end.signal == SIGXFSZ);
}

TEST_CASE("a program that is not there is said at once") {
    const auto started = Process::spawn({.program = "/no/such/program"});
    CHECK(started.status().code() == Code::not_found);
    CHECK(started.status().message().find("/no/such/program") != std::string::npos);
    CHECK(Process::spawn({.program = "/etc/passwd"}).status().code() == Code::unavailable);
}

TEST_CASE("a process ends with its owner") {
    pid_t pid = 0;
    {
        auto process = Process::spawn(shell("sleep 100"));
        REQUIRE(process.ok());
        pid = process->pid();
        CHECK(process->wait(deadline_after(10ms)).status().code() == Code::deadline);
        CHECK(::kill(pid, 0) == 0);
    }
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("what a long-lived process said before can be forgotten") {
    auto process = Process::spawn(shell("echo first >&2; echo; read line; echo second >&2; echo; read line"));
    REQUIRE(process.ok());
    char byte = 0;
    ::fcntl(process->channel(), F_SETFL, 0);  // this test may wait
    REQUIRE(::recv(process->channel(), &byte, 1, 0) == 1);
    CHECK(process->stderr_tail() == "first\n");
    CHECK(process->stderr_tail(3) == "st\n");
    process->clear_stderr();
    CHECK(process->stderr_tail().empty());
    REQUIRE(::send(process->channel(), "\n", 1, MSG_NOSIGNAL) == 1);
    REQUIRE(::recv(process->channel(), &byte, 1, 0) == 1);
    CHECK(process->stderr_tail() == "second\n");
}

TEST_CASE("a host that ignores its children's ends gets an honest sentence") {
    struct sigaction before {};
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    REQUIRE(::sigaction(SIGCHLD, &ignore, &before) == 0);
    const auto ran = run_process(shell("exit 0"), "", deadline_after(10s));
    ::sigaction(SIGCHLD, &before, nullptr);
    REQUIRE(ran.ok());
    CHECK(ran->end.sentence() == "ended, and its exit status was taken by somebody else");
}

}  // namespace
