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
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "cache/database.hpp"
#include "cache/records.hpp"
#include "flashwave/status.hpp"

namespace flashwave::cache {

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
    /// Candidates that are not tried, each with the sentence why; all in one transaction.
    Status record_refusals(const Subject& subject, const ToolchainRecord& toolchain,
                           const std::vector<std::pair<KernelRecord, std::string>>& refusals);
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
