// bench_emulator: how fast the emulator executes, in million wave instructions a second. Waits, delays and no-ops are not counted.
//
//     bench_emulator            loops of single instructions in both lane builds, then the forward kernel
//     bench_emulator loops      the loops alone
//     bench_emulator forward    the kernel alone: functional (no checks, time not modelled), and strict and timed; on one thread and on all
//     bench_emulator one        the kernel on one thread as the environment has it (HIPEMU_STRICT, HIPEMU_TIMING), for a profiler
//
// The lane build and all settings are settled once in a process, so each setting runs in a child of its own. "A core" counts processor
// time: what others do on the machine matters little; speeds of several threads are also given by the clock on the wall, where it matters.
#include "bench/emulator.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Environment = std::vector<std::pair<const char*, const char*>>;

/// `work` in a child with these variables; what it returns comes back in `result`. False if the child did not end well.
template <class Result, class Work>
bool in_child(const Environment& environment, Result& result, const Work& work) {
    std::fflush(stdout);
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) {
        for (const auto& [name, value] : environment) setenv(name, value, 1);
        work(result);
        std::fflush(stdout);
        _exit(write(ends[1], &result, sizeof(result)) == sizeof(result) ? 0 : 1);
    }
    close(ends[1]);
    const bool whole = child > 0 && read(ends[0], &result, sizeof(result)) == sizeof(result);  // less than a pipe holds: in one piece
    close(ends[0]);
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && whole;
}

struct Rates {
    bench::ForwardRate of[bench::kForwardProblems];
};

bool forward(const Environment& environment, Rates& rates) {
    return in_child(environment, rates, [](Rates& to) { bench::run_forward(to.of); });
}

/// Prints a problem's failure, if it has one.
bool failed(const bench::ForwardRate& rate) {
    if (rate.failure[0] != 0) std::printf("  %s: %s\n", rate.problem, rate.failure);
    return rate.failure[0] != 0;
}

int print_one_thread(const char* title, const Environment& environment) {
    std::printf("\nForward kernel, %s, one thread\n", title);
    Rates rates;
    if (!forward(environment, rates)) return 1;
    int failures = 0;
    for (const bench::ForwardRate& rate : rates.of) {
        if (failed(rate)) {
            ++failures;
            continue;
        }
        std::printf("  %s: %5.1f million wave instructions and %5.2f million WMMA a second; a launch of one work-group %4.0f us"
                    "  (%.1f million instructions, %.0f %% of them WMMA)\n",
                    rate.problem, rate.instructions / rate.processor_seconds / 1e6, rate.matrix / rate.processor_seconds / 1e6,
                    rate.small_wall_seconds * 1e6, rate.instructions / 1e6, 100.0 * rate.matrix / rate.instructions);
    }
    return failures;
}

/// One thread against all of the host's.
int print_all_threads(const char* title, Environment environment) {
    std::printf("\nForward kernel, %s, AVX2 lanes: million wave instructions a second\n", title);
    std::printf("  %-18s %10s %12s %8s %16s %8s %22s\n", "", "a core", "all threads", "ratio", "in processor", "ratio", "us, one-group launch");
    Rates one, all;
    environment.emplace_back("HIPEMU_PORTABLE", "0");
    environment.emplace_back("HIPEMU_THREADS", "1");
    if (!forward(environment, one)) return 1;
    environment.back().second = "0";
    if (!forward(environment, all)) return 1;
    const double threads = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    int failures = 0;
    for (std::size_t i = 0; i < bench::kForwardProblems; ++i) {
        if (failed(one.of[i]) || failed(all.of[i])) {
            ++failures;
            continue;
        }
        const double a_core = one.of[i].instructions / one.of[i].processor_seconds / 1e6, wall = one.of[i].instructions / one.of[i].wall_seconds / 1e6;
        const double all_wall = all.of[i].instructions / all.of[i].wall_seconds / 1e6;
        const double all_processor = threads * all.of[i].instructions / all.of[i].processor_seconds / 1e6;
        std::printf("  %-18s %10.1f %12.1f %8.2f %16.1f %8.2f %22.0f\n", one.of[i].problem, a_core, all_wall, all_wall / wall, all_processor,
                    all_processor / a_core, all.of[i].small_wall_seconds * 1e6);
    }
    return failures;
}

int print_loops(const char* title, const char* portable) {
    std::printf("\nLoops, %s\n", title);
    int failures = 1;
    return in_child({{"HIPEMU_PORTABLE", portable}}, failures, [](int& result) { result = bench::run_loops(); }) ? failures : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "all";
    if (argc > 2 || (what != "all" && what != "loops" && what != "forward" && what != "one")) {
        std::fprintf(stderr, "usage: %s [loops|forward|one]\n", argv[0]);
        return 2;
    }
    const Environment functional{{"HIPEMU_STRICT", "none"}, {"HIPEMU_TIMING", "off"}};
    int failures = 0;
    if (what == "one") return print_one_thread("as the environment has it", {{"HIPEMU_PORTABLE", "0"}, {"HIPEMU_THREADS", "1"}}) == 0 ? 0 : 1;
    if (what != "forward") failures += print_loops("AVX2 lanes", "0") + print_loops("portable lanes", "1");
    if (what != "loops") {
        failures += print_all_threads("functional (no checks, time not modelled)", functional);
        failures += print_all_threads("strict and timed", {{"HIPEMU_STRICT", "all"}, {"HIPEMU_TIMING", ""}});
        Environment portable = functional;
        portable.emplace_back("HIPEMU_PORTABLE", "1");
        portable.emplace_back("HIPEMU_THREADS", "1");
        failures += print_one_thread("functional, portable lanes", portable);
    }
    return failures == 0 ? 0 : 1;
}
