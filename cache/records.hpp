// What the store keeps, as values: devices, toolchains, kernels, measurements, selections.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/fields.hpp"
#include "base/hash.hpp"
#include "problem/candidate.hpp"
#include "problem/problem_key.hpp"

namespace flashwave::cache {

struct DeviceRecord {
    Digest fp;  ///< of identity and target
    std::string
        identity;  ///< what measurements are kept apart by; an emulated device's has the hash of its timing table
    std::string name;
    std::string target;
    bool emulated = false;
};

struct ToolchainRecord {
    Digest fp;
    Digest kernel_sources;
    std::string compiler;
    std::string libraries;  ///< "libamd_comgr.so.3 1a2b..., libhiprtc.so.6 ..."
};

/// A compiled kernel, or one that could not be compiled (no code).
struct KernelRecord {
    Digest fp;  ///< key of the code object: every byte that reached the compiler, and the compiler
    std::string target;
    std::string entry;
    Candidate geometry;
    std::string options;
    std::string code;
    double compile_ms = 0;
    int vgprs = 0;
    int sgprs = 0;
    int lds_bytes = 0;
    int scratch_bytes = 0;
    int spills = 0;
};

/// What became of a candidate. The names are stored: do not change them.
enum class Outcome : std::uint8_t {
    ok,
    refused,           ///< cannot work or cannot win by what is known before it runs
    compile_error,     ///< the compiler refused, crashed or hung
    load_error,        ///< HIP refused the code object
    wrong,             ///< broke the error rule, wrote outside its output, or left some of it unwritten
    nondeterministic,  ///< two runs gave different bits
    timeout,
    crash,
    out_of_memory,
    skipped,  ///< the budget was used up
};
constexpr auto enum_names(Outcome) {
    return std::array{EnumName{Outcome::ok, "ok"},
                      EnumName{Outcome::refused, "refused"},
                      EnumName{Outcome::compile_error, "compile_error"},
                      EnumName{Outcome::load_error, "load_error"},
                      EnumName{Outcome::wrong, "wrong"},
                      EnumName{Outcome::nondeterministic, "nondeterministic"},
                      EnumName{Outcome::timeout, "timeout"},
                      EnumName{Outcome::crash, "crash"},
                      EnumName{Outcome::out_of_memory, "out_of_memory"},
                      EnumName{Outcome::skipped, "skipped"}};
}

struct Measurement {
    Outcome outcome = Outcome::skipped;
    std::string detail;  ///< why, in a sentence; for ok what is worth knowing
    bool modelled = false;
    int repetitions = 0;
    double us_median = 0, us_p20 = 0, us_p80 = 0;
    double max_error = 0, error_bound = 0;
};

struct Selection {
    bool complete = true;  ///< false: the budget ended before every candidate was measured
    double us_median = 0;
    double us_default = 0;
    std::string reason;  ///< why this one, in a sentence
};

struct StoredSelection {
    KernelRecord kernel;
    Selection selection;
};

struct StoredMeasurement {
    Digest kernel;
    Candidate geometry;
    Measurement measurement;
};

}  // namespace flashwave::cache
