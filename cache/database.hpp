// cache.db as a place for transactions: each one locks the side file, opens the database, works, commits and closes.
// Nothing stays open between calls, so a fork, another SQLite in the application, or a killed process has nothing of
// ours to spoil. Thread-safe: no state but paths.
#pragma once

#include <functional>
#include <string>

#include "base/deadline.hpp"
#include "cache/sqlite.hpp"
#include "flashwave/status.hpp"

namespace flashwave::cache {

class Database {
  public:
    /// `directory` must exist and have no symbolic link in its path (realpath).
    explicit Database(std::string directory);

    using Work = std::function<Status(Connection&)>;

    /// Runs `work` in a read transaction and gives its status.
    ///   Code::not_found    there is no database yet
    ///   Code::busy         somebody else held it until the deadline
    ///   Code::unsupported  a newer flashwave wrote it, or it is not ours; it is left alone
    ///   Code::corrupt      it is damaged; the file was moved into a folder corrupt-<time>-<pid> beside it
    ///   Code::unavailable, Code::io_error   the system refuses
    Status read(Deadline deadline, const Work& work);

    /// The same with a write transaction, committed when `work` succeeds and rolled back when not. Creates the
    /// database.
    Status write(Deadline deadline, const Work& work);

    const std::string& path() const { return path_; }
    const std::string& lock_path() const { return lock_path_; }

  private:
    Status transact(Deadline deadline, const Work& work, bool write);
    void quarantine(std::uint64_t inode);

    std::string directory_, path_, lock_path_;
};

}  // namespace flashwave::cache
