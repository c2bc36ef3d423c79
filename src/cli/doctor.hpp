// What this machine has and lacks for flashwave: each thing that is needed is tried, not assumed.
#pragma once

#include <string>
#include <vector>

#include "base/worker_protocol.hpp"

namespace flashwave::cli {

enum class Verdict {
    good,
    note,     ///< works, or is not needed for everything; worth knowing
    missing,  ///< something that flashwave needs is not there
};

struct Finding {
    std::string part;  ///< "HIP library"
    Verdict verdict = Verdict::good;
    std::string text;    ///< what was found
    std::string remedy;  ///< the command or setting that mends it; empty where there is nothing to mend
};

struct DoctorDevice {
    std::string name;  ///< as --device takes it: "hip:0", "emulated:gfx1100"
    std::string model;
    std::string target;
};

struct DoctorReport {
    std::vector<Finding> findings;  ///< in the order in which a reader wants them

    // The same as facts, for programs. Empty where it was not found.
    std::string hip_library;
    std::string emulator_library;
    std::vector<DoctorDevice> devices;
    std::string worker;
    std::string rocm;  ///< where the compiler was found
    WorkerIdentity compiler;
    std::vector<std::string> targets;  ///< for which a kernel was compiled just now
    std::string cache_directory;
    std::string cache_file_system;

    /// 0: nothing is missing; 3: something is.
    int exit_code() const;
};

struct DoctorOptions {
    std::string cache_directory;
    bool all_targets = false;  ///< try every target the compiler names, not only those flashwave has kernels for
};

/// Takes about a second: it starts the compiler and opens every HIP library.
DoctorReport make_doctor_report(const DoctorOptions& options);

std::string to_text(const DoctorReport& report);
/// One object on one line.
std::string to_json(const DoctorReport& report);

}  // namespace flashwave::cli
