#include "cache/database.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/log.hpp"
#include "cache/schema.hpp"

namespace flashwave::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kQuarantinesKept = 2;

// Looked at by name only: opening and closing the file outside SQLite would drop SQLite's locks.
std::optional<std::uint64_t> inode_of(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
    return facts.st_ino;
}

Status create_private_file(const std::string& path) {
    const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return errno == EEXIST ? Status() : errno_status(errno, "cannot create", path);
    ::fchmod(fd, 0600);  // whatever the umask
    ::close(fd);
    return {};
}

Status initialise(Connection& db) {
    FLASHWAVE_RETURN_IF_ERROR(db.execute(kSchema));
    return db.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId, kSchemaVersion));
}

// The views follow the field lists of the flashwave that writes; an unchanged text costs one row read.
Status refresh_views(Connection& db) {
    static const std::string sql = view_statements();
    static const std::string digest = sha256(sql).hex();
    {
        Result<Statement> stored = db.prepare("SELECT v FROM meta WHERE k = 'views'");
        if (!stored.ok()) return stored.status();
        const Result<bool> row = stored->step();
        if (!row.ok()) return row.status();
        if (*row && stored->text(0) == digest) return {};
    }
    FLASHWAVE_RETURN_IF_ERROR(db.execute(sql));
    Result<Statement> put = db.prepare("INSERT OR REPLACE INTO meta(k, v) VALUES ('views', ?)");
    if (!put.ok()) return put.status();
    return put->bind(digest).run();
}

// ok: the file is ours, or empty and (for a writer) made ours.
Status check_identity(Connection& db, const std::string& path, bool write) {
    const Result<std::int64_t> application = db.integer("PRAGMA application_id");
    if (!application.ok()) return application.status();
    const Result<std::int64_t> version = db.integer("PRAGMA user_version");
    if (!version.ok()) return version.status();
    if (*application == kApplicationId && *version == kSchemaVersion) return write ? refresh_views(db) : Status();
    if (*application == kApplicationId && *version > kSchemaVersion)
        return Status(Code::unsupported,
                      fmt::format("{} was written by a newer flashwave (format {}, this one knows {}); set "
                                  "FLASHWAVE_CACHE_DIR to another folder to keep both",
                                  path, *version, kSchemaVersion));
    const Result<std::int64_t> tables = db.integer("SELECT count(*) FROM sqlite_master");
    if (!tables.ok()) return tables.status();
    if (*application != 0 || *version != 0 || *tables != 0)
        return Status(
            Code::unsupported,
            fmt::format(
                "{} is a database of another program and is left alone; set FLASHWAVE_CACHE_DIR to another folder",
                path));
    if (!write) return Status(Code::not_found, fmt::format("{} is empty", path));
    FLASHWAVE_RETURN_IF_ERROR(initialise(db));
    return refresh_views(db);
}

int milliseconds_left(Deadline deadline) { return std::max(0, poll_timeout(deadline)); }

}  // namespace

Database::Database(std::string directory)
    : directory_(std::move(directory)), path_(directory_ + "/cache.db"), lock_path_(directory_ + "/cache.lock") {}

Status Database::read(Deadline deadline, const Work& work) { return transact(deadline, work, false); }
Status Database::write(Deadline deadline, const Work& work) { return transact(deadline, work, true); }

Status Database::transact(Deadline deadline, const Work& work, bool write) {
    if (!write && !inode_of(path_)) return Status(Code::not_found, fmt::format("{} does not exist yet", path_));
    Status status;
    std::uint64_t inode = 0;
    {
        const Result<FileLock> lock =
            FileLock::acquire(lock_path_, write ? FileLock::Kind::exclusive : FileLock::Kind::shared, deadline);
        // In a folder that cannot be written nobody writes, so a reader does without the lock.
        if (!lock.ok() && (write || lock.status().code() == Code::busy)) return lock.status();
        if (write) FLASHWAVE_RETURN_IF_ERROR(create_private_file(path_));
        inode = inode_of(path_).value_or(0);
        Result<Connection> db = Connection::open(path_, write ? Connection::Access::create : Connection::Access::read,
                                                 milliseconds_left(deadline));
        const auto run = [&]() -> Status {
            if (!db.ok()) return db.status();
            if (write)
                FLASHWAVE_RETURN_IF_ERROR(
                    db->execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = TRUNCATE; BEGIN IMMEDIATE;"));
            else FLASHWAVE_RETURN_IF_ERROR(db->execute("BEGIN"));
            FLASHWAVE_RETURN_IF_ERROR(check_identity(*db, path_, write));
            FLASHWAVE_RETURN_IF_ERROR(work(*db));
            return db->execute("COMMIT");
        };
        status = run();  // closing rolls back what was not committed
    }
    if (status.code() == Code::corrupt) quarantine(inode);
    return status;
}

void Database::quarantine(std::uint64_t inode) {
    const Result<FileLock> lock =
        FileLock::acquire(lock_path_, FileLock::Kind::exclusive, deadline_after(std::chrono::seconds(2)));
    // Another process may have moved it and begun a new one: that is not the file which was found damaged.
    if (!lock.ok() || inode_of(path_) != inode) return;
    std::vector<fs::path> older;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory_, ignored))
        if (entry.path().filename().string().starts_with("corrupt-")) older.push_back(entry.path());
    std::sort(older.begin(), older.end());
    for (std::size_t i = 0; i + kQuarantinesKept <= older.size(); ++i) fs::remove_all(older[i], ignored);

    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const std::string folder = fmt::format("{}/corrupt-{:%Y%m%dT%H%M%S}-{}", directory_, fmt::gmtime(now), ::getpid());
    if (!make_private_directory(folder).ok()) return;
    // The journal first: a journal without its database is harmless, a new database beside an old journal is not.
    fs::rename(path_ + "-journal", folder + "/cache.db-journal", ignored);
    fs::rename(path_, folder + "/cache.db", ignored);
    log_warn("{} is damaged; it was moved to {} and a new one will be begun", path_, folder);
}

}  // namespace flashwave::cache
