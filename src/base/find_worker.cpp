#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>

#include "base/file.hpp"
#include "base/file_system.hpp"
#include "base/settings.hpp"
#include "base/worker_channel.hpp"

namespace flashwave {
namespace {

// hiprtc before ROCm 6 aborts its process on targets it does not know (5.2.3 does on gfx1100).
constexpr int kOldestHiprtc = 6;
constexpr int kNewestHiprtc = 19;  // as far as is looked; 7 is the newest at the time of writing
constexpr int kOldestComgr = 2;
constexpr int kNewestComgr = 9;

// The highest N of the files "stem.so.N", asked for one by one: reading all of /usr/lib takes milliseconds.
std::optional<int> highest_version(const std::string& directory, std::string_view stem, int oldest, int newest) {
    for (int version = newest; version >= oldest; --version)
        if (is_file(fmt::format("{}/{}.so.{}", directory, stem, version))) return version;
    return std::nullopt;
}

// hiprtc and comgr in one directory of libraries, started through the loader beside them where there is one.
std::optional<WorkerLaunch> libraries_in(const std::string& directory, bool through_loader) {
    const std::optional<int> hiprtc = highest_version(directory, "libhiprtc", kOldestHiprtc, kNewestHiprtc);
    const std::optional<int> comgr = highest_version(directory, "libamd_comgr", kOldestComgr, kNewestComgr);
    if (!hiprtc || !comgr) return std::nullopt;
    WorkerLaunch launch;
    launch.library_path = directory;
    launch.hiprtc = fmt::format("{}/libhiprtc.so.{}", directory, *hiprtc);
    launch.comgr = fmt::format("{}/libamd_comgr.so.{}", directory, *comgr);
    if (through_loader) {
        launch.loader = directory + "/ld-linux-x86-64.so.2";
        if (!is_executable_file(launch.loader)) return std::nullopt;
    }
    return launch;
}

// A prefix made by scripts/fetch-rocm brings its own C library and loader; a ROCm installation uses the system's.
std::optional<WorkerLaunch> rocm_in(const std::string& root) {
    if (auto launch = libraries_in(root + "/usr/lib/x86_64-linux-gnu", true)) return launch;
    for (const char* place : {"/lib", "/lib64", "/lib/x86_64-linux-gnu"})
        if (auto launch = libraries_in(root + place, false)) return launch;
    return std::nullopt;
}

std::vector<std::string> installed_rocms() {
    std::vector<std::string> roots{"/opt/rocm"};
    std::error_code ignored;  // without /opt there is nothing in it
    for (std::filesystem::directory_iterator entry("/opt", ignored), end; !ignored && entry != end;
         entry.increment(ignored))
        if (entry->path().filename().native().starts_with("rocm-")) roots.push_back(entry->path());
    std::sort(roots.begin() + 1, roots.end(), std::greater<>());  // of several versions the newest
    roots.emplace_back("/usr");                                   // a distribution's own packages
    return roots;
}

Result<WorkerLaunch> find_libraries(const std::string& rocm) {
    if (!rocm.empty()) {
        if (auto launch = rocm_in(rocm)) {
            launch->origin = "FLASHWAVE_ROCM=" + rocm;
            return *std::move(launch);
        }
        return Status(
            Code::unavailable,
            fmt::format("FLASHWAVE_ROCM={} has no libhiprtc of version {} or newer with libamd_comgr beside it; {}.",
                        rocm, kOldestHiprtc, how_to_get_rocm()));
    }
    std::vector<std::string> places = installed_rocms();
    places.emplace_back(FLASHWAVE_ROCM_PREFIX);
    for (const std::string& place : places) {
        if (auto launch = rocm_in(place)) {
            launch->origin = place;
            return *std::move(launch);
        }
    }
    return Status(Code::unavailable,
                  fmt::format("there is no compiler for AMD GPUs (hiprtc {} or newer and comgr) in {}; {}.",
                              kOldestHiprtc, fmt::join(places, ", "), how_to_get_rocm()));
}

}  // namespace

std::string how_to_get_rocm() {
    // Installed, the script lies beside the worker, and what it fetches goes where it is looked for.
    const Result<std::string> script = find_program("fetch-rocm");
    const std::string fetch =
        script.ok() ? fmt::format("{} '{}'", *script, FLASHWAVE_ROCM_PREFIX) : std::string("scripts/fetch-rocm");
    return fmt::format("run {}, or install ROCm {} or newer, or set FLASHWAVE_ROCM to the directory of one", fetch,
                       kOldestHiprtc);
}

Result<WorkerLaunch> find_worker(const std::string& rocm) {
    Result<WorkerLaunch> launch = find_libraries(rocm);
    if (!launch.ok()) return launch.status();
    Result<std::string> program = find_program("flashwave-worker");
    if (!program.ok()) return Status(Code::unavailable, program.status().message());
    launch->program = std::move(*program);
    return launch;
}

Result<WorkerLaunch> find_worker() { return find_worker(settings().rocm); }

}  // namespace flashwave
