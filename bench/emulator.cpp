// bench_emulator: how fast the emulator executes, in wave instructions and WMMAs a second a core. Waits, delays and no-ops are not counted.
//
//     bench_emulator            both lane builds: loops of single instructions, then the forward kernel on one core and on all
//     bench_emulator loops      the loops alone
//     bench_emulator forward    the kernel alone
//     bench_emulator one        the kernel on one core with AVX2 lanes, for a profiler
//
// The lane build and the number of threads are settled once in a process, so each setting runs in a child of its own.
#include "bench/emulator.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

int in_child(const char* title, const char* portable, const char* threads, int (*work)()) {
    std::printf("\n%s\n", title);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) {
        std::perror("fork");
        return 1;
    }
    if (child == 0) {
        setenv("HIPEMU_PORTABLE", portable, 1);
        setenv("HIPEMU_THREADS", threads, 1);
        const int result = work();
        std::fflush(stdout);
        _exit(result);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 1;
    return WEXITSTATUS(status);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "all";
    if (argc > 2 || (what != "all" && what != "loops" && what != "forward" && what != "one")) {
        std::fprintf(stderr, "usage: %s [loops|forward|one]\n", argv[0]);
        return 2;
    }
    int failures = 0;
    if (what == "one") return in_child("Forward kernel, AVX2 lanes, one thread", "0", "1", bench::run_forward);
    if (what != "forward") {
        failures += in_child("Loops, AVX2 lanes", "0", "1", bench::run_loops);
        failures += in_child("Loops, portable lanes", "1", "1", bench::run_loops);
    }
    if (what != "loops") {
        failures += in_child("Forward kernel, AVX2 lanes, one thread", "0", "1", bench::run_forward);
        failures += in_child("Forward kernel, AVX2 lanes, all threads", "0", "0", bench::run_forward);
        failures += in_child("Forward kernel, portable lanes, one thread", "1", "1", bench::run_forward);
    }
    return failures == 0 ? 0 : 1;
}
