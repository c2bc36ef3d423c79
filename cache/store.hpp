// Store: what flashwave remembers between processes. Code objects, what each candidate's measurement said, and which
// candidate was chosen for a problem on a device.
//
// Trouble with the file never stops attention: a look-up that fails is a miss, a record that fails is not kept, and the
// first such trouble of a Store is one warning. Whatever is read is proved first: checksums of rows and code objects,
// readable columns against the question. Thread-safe; every call is one transaction and leaves nothing open.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "cache/database.hpp"
#include "flashwave/status.hpp"
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

/// The problem and the device that a row is about.
struct Subject {
    const ProblemKey& key;
    const DeviceRecord& device;
};

/// A candidate being tried; a row of the journal, so that a process that dies of it leaves its name.
struct Attempt {
    std::int64_t id = 0;  ///< 0: could not be recorded
};

class Store {
  public:
    /// `directory` as Options::cache_dir gives it; it is made when it is missing. ":memory:" or empty: nothing is kept.
    Store(const std::string& directory, std::uint64_t limit_bytes);

    /// The folder with links resolved; empty where nothing is kept.
    const std::string& directory() const { return directory_; }
    /// Side file for locks between processes; empty where nothing is kept.
    std::string lock_path() const;

    /// The winner, with its code object. `toolchain` nullptr: made by any compiler from these kernel sources, the
    /// newest; for machines where no compiler can be asked.
    std::optional<StoredSelection> find_selection(const Subject& subject, const ToolchainRecord* toolchain,
                                                  const Digest& kernel_sources);
    /// A code object by its key.
    std::optional<KernelRecord> find_kernel(const Digest& fp);
    /// What is known of candidates under this toolchain, code objects not included.
    std::vector<StoredMeasurement> find_measurements(const Subject& subject, const ToolchainRecord& toolchain);
    /// How often a process died while it tried this kernel on this device, its parent not knowing why.
    int count_lost_attempts(const Digest& kernel, const DeviceRecord& device);

    Attempt begin_attempt(const KernelRecord& kernel, const DeviceRecord& device, std::string_view phase);
    Status record_kernel(const ToolchainRecord& toolchain, const KernelRecord& kernel);
    /// Adds or replaces; ends `attempt` in the same transaction.
    Status record_measurement(const Subject& subject, const ToolchainRecord& toolchain, const KernelRecord& kernel,
                              const Measurement& measurement, Attempt attempt);
    Status record_selection(const Subject& subject, const ToolchainRecord& toolchain, const KernelRecord& kernel,
                            const Selection& selection);
    void end_attempt(Attempt attempt);

  private:
    template <class Work>
    Status read(Work&& work);
    template <class Work>
    Status write(Work&& work);
    Status note(Status status);
    void forget_code(const Digest& sha);
    void touch(const Digest& sha, std::int64_t last_used);
    Status evict(Connection& db, const Digest& keep) const;

    std::string directory_;
    std::optional<Database> database_;
    std::uint64_t limit_bytes_;
    std::atomic<bool> warned_{false};
};

}  // namespace flashwave::cache
