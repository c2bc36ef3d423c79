#include "cache/store.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/file.hpp"
#include "base/file_system.hpp"
#include "base/log.hpp"
#include "cache/process_identity.hpp"
#include "cache/rows.hpp"

namespace flashwave::cache {
namespace {

// A transaction takes about a millisecond, so only a crowd of processes makes anybody wait. A look-up that gives up
// costs a compile, which takes seconds; what a tuner found out costs more.
constexpr std::chrono::milliseconds kReadPatience{2000};
constexpr std::chrono::milliseconds kWritePatience{10000};
constexpr std::int64_t kTouchEverySeconds = 3600;  // a use is noted at most so often, or every read would be a write
constexpr double kEvictTo = 0.8;                   // of the limit

struct SubjectRows {
    std::int64_t problem = 0;
    std::int64_t device = 0;
};

Result<SubjectRows> put_subject(Connection& db, const Subject& subject) {
    const Result<std::int64_t> problem = put_problem(db, subject.key);
    if (!problem.ok()) return problem.status();
    const Result<std::int64_t> device = put_device(db, subject.device);
    if (!device.ok()) return device.status();
    return SubjectRows{*problem, *device};
}

Status put_measurement(Connection& db, const SubjectRows& rows, const ToolchainRecord& toolchain,
                       const KernelRecord& kernel, const Measurement& m) {
    const Result<std::int64_t> kernel_id = put_kernel(db, toolchain, kernel);
    if (!kernel_id.ok()) return kernel_id.status();
    Result<Statement> put = db.prepare(
        "INSERT OR REPLACE INTO measurement(problem_id, device_id, kernel_id, status, detail, modelled, repetitions,"
        " us_median, us_p20, us_p80, max_error, error_bound, measured_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    if (!put.ok()) return put.status();
    put->bind(rows.problem).bind(rows.device).bind(*kernel_id).bind(enum_name(m.outcome)).bind(m.detail);
    put->bind(m.modelled).bind(m.repetitions);
    if (m.outcome == Outcome::ok) put->bind(m.us_median).bind(m.us_p20).bind(m.us_p80);
    else put->bind_null().bind_null().bind_null();
    return put->bind(m.max_error).bind(m.error_bound).bind(now()).run();
}

// Attempts of processes of this boot that are gone say nothing any more.
Status forget_stopped_attempts(Connection& db, const Digest& kernel, const Digest& device, const std::string& boot_id) {
    Result<Statement> find = db.prepare(
        "SELECT attempt_id, pid, pid_start FROM attempt WHERE kernel_fp = ? AND device_fp = ? AND boot_id = ?");
    if (!find.ok()) return find.status();
    find->bind(kernel).bind(device).bind(boot_id);
    std::vector<std::int64_t> gone;
    for (;;) {
        const Result<bool> any = find->step();
        if (!any.ok()) return any.status();
        if (!*any) break;
        if (!may_be_alive({boot_id, find->integer(1), find->integer(2)})) gone.push_back(find->integer(0));
    }
    for (const std::int64_t id : gone) {
        Result<Statement> remove = db.prepare("DELETE FROM attempt WHERE attempt_id = ?");
        if (!remove.ok()) return remove.status();
        FLASHWAVE_RETURN_IF_ERROR(remove->bind(id).run());
    }
    return {};
}

}  // namespace

// What SQLite's signed sums can be compared with; more than any disk holds.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62;

Store::Store(const std::string& directory, std::uint64_t limit_bytes) : limit_bytes_(std::min(limit_bytes, kNoLimit)) {
    if (directory.empty() || directory == ":memory:") return;
    Status status = make_private_directory(directory);
    if (status.ok()) {
        std::error_code error;
        directory_ = std::filesystem::canonical(directory, error).string();
        if (error) status = Status(Code::unavailable, fmt::format("cannot use {}: {}", directory, error.message()));
    }
    if (status.ok()) {
        const Result<FileSystem> kind = file_system_of(directory_);
        if (kind.ok() && kind->kind == FileSystemKind::network)
            status = Status(Code::unavailable,
                            fmt::format("{} lies on a network file system ({}), whose locks cannot be relied on; set "
                                        "FLASHWAVE_CACHE_DIR to a folder of this machine",
                                        directory_, kind->type));
    }
    if (status.ok()) {
        database_.emplace(directory_);
        return;
    }
    directory_.clear();
    (void)note(Status(Code::unavailable, status.message()));
}

std::string Store::lock_path() const { return database_ ? database_->lock_path() : std::string(); }

// One warning a Store; the rest of the same trouble is for those who debug.
Status Store::note(Status status) {
    if (status.ok() || status.code() == Code::not_found) return status;
    if (warned_.exchange(true)) log_debug("cache: {}", status.message());
    else log_warn("the kernel cache is not used for now and kernels may be compiled again: {}", status.message());
    return status;
}

template <class Work>
Status Store::read(Work&& work) {
    if (!database_) return Status(Code::not_found, "nothing is kept");
    return note(database_->read(deadline_after(kReadPatience), std::forward<Work>(work)));
}

template <class Work>
Status Store::write(Work&& work) {
    if (!database_) return Status(Code::not_found, "nothing is kept");
    Status status = database_->write(deadline_after(kWritePatience), work);
    // A damaged file was moved away: what is to be kept begins the new one.
    if (status.code() == Code::corrupt) status = database_->write(deadline_after(kWritePatience), work);
    return note(std::move(status));
}

std::optional<StoredSelection> Store::find_selection(const Subject& subject, const ToolchainRecord* toolchain,
                                                     const Digest& kernel_sources) {
    std::optional<StoredSelection> found;
    std::optional<KernelRow> row;
    const Digest problem_fp = fingerprint(subject.key);
    const Status status = read([&](Connection& db) -> Status {
        Result<Statement> find = db.prepare(fmt::format(
            "SELECT {}, s.complete, s.us_median, s.us_default, s.reason, s.row_sum, t.fp, p.key FROM selection s"
            " JOIN problem p USING(problem_id) JOIN device d USING(device_id) JOIN toolchain t ON t.toolchain_id = "
            "s.toolchain_id"
            " JOIN kernel k ON k.kernel_id = s.kernel_id JOIN blob b ON b.sha256 = k.blob_sha256"
            " WHERE p.fp = ? AND d.fp = ? AND {} = ? ORDER BY s.selected_at DESC LIMIT 1",
            kKernelColumns, toolchain ? "t.fp" : "t.kernel_sources"));
        if (!find.ok()) return find.status();
        const Result<bool> any =
            find->bind(problem_fp).bind(subject.device.fp).bind(toolchain ? toolchain->fp : kernel_sources).step();
        if (!any.ok() || !*any) return any.ok() ? Status() : any.status();
        row = kernel_row(*find);
        const Selection selection{.complete = find->integer(kKernelColumnCount) != 0,
                                  .us_median = find->real(kKernelColumnCount + 1),
                                  .us_default = find->real(kKernelColumnCount + 2),
                                  .reason = find->text(kKernelColumnCount + 3)};
        const Digest sum =
            selection_sum(problem_fp, subject.device.fp, find->digest(kKernelColumnCount + 5).value_or(Digest{}),
                          row->kernel.fp, selection.complete);
        if (row->check.ok() &&
            (find->digest(kKernelColumnCount + 4) != sum || find->text(kKernelColumnCount + 6) != to_json(subject.key)))
            row->check = damaged("selection");
        if (row->check.ok()) found = StoredSelection{row->kernel, selection};
        return {};
    });
    if (!status.ok() || !row) return std::nullopt;
    if (!row->check.ok()) {
        (void)note(row->check);
        forget_code(row->sha);
    } else {
        touch(row->sha, row->last_used);
    }
    return found;
}

std::optional<KernelRecord> Store::find_kernel(const Digest& fp) {
    std::optional<KernelRow> row;
    const Status status = read([&](Connection& db) -> Status {
        Result<Statement> find = db.prepare(fmt::format(
            "SELECT {} FROM kernel k JOIN blob b ON b.sha256 = k.blob_sha256 WHERE k.fp = ?", kKernelColumns));
        if (!find.ok()) return find.status();
        const Result<bool> any = find->bind(fp).step();
        if (!any.ok()) return any.status();
        if (*any) row = kernel_row(*find);
        return {};
    });
    if (!status.ok() || !row) return std::nullopt;
    if (!row->check.ok()) {
        (void)note(row->check);
        forget_code(row->sha);
        return std::nullopt;
    }
    touch(row->sha, row->last_used);
    return std::move(row->kernel);
}

std::vector<StoredMeasurement> Store::find_measurements(const Subject& subject, const ToolchainRecord& toolchain) {
    std::vector<StoredMeasurement> found;
    const Status status = read([&](Connection& db) -> Status {
        Result<Statement> find = db.prepare(
            "SELECT k.fp, k.geometry, m.status, m.detail, m.modelled, m.repetitions, m.us_median, m.us_p20, m.us_p80, "
            "m.max_error, m.error_bound"
            " FROM measurement m JOIN problem p USING(problem_id) JOIN device d USING(device_id) JOIN kernel k "
            "USING(kernel_id)"
            " JOIN toolchain t ON t.toolchain_id = k.toolchain_id WHERE p.fp = ? AND d.fp = ? AND t.fp = ?");
        if (!find.ok()) return find.status();
        find->bind(fingerprint(subject.key)).bind(subject.device.fp).bind(toolchain.fp);
        for (;;) {
            const Result<bool> any = find->step();
            if (!any.ok()) return any.status();
            if (!*any) return {};
            StoredMeasurement one{.kernel = find->digest(0).value_or(Digest{}), .geometry = {}, .measurement = {}};
            const Result<Candidate> geometry = parse_json<Candidate>(find->text(1));
            Measurement& m = one.measurement;
            if (!geometry.ok() || !detail::assign_value(m.outcome, find->text(2)).empty()) continue;
            one.geometry = *geometry;
            m.detail = find->text(3);
            m.modelled = find->integer(4) != 0;
            m.repetitions = static_cast<int>(find->integer(5));
            m.us_median = find->real(6);
            m.us_p20 = find->real(7);
            m.us_p80 = find->real(8);
            m.max_error = find->real(9);
            m.error_bound = find->real(10);
            found.push_back(std::move(one));
        }
    });
    if (!status.ok()) found.clear();
    return found;
}

int Store::count_lost_attempts(const Digest& kernel, const DeviceRecord& device) {
    // A kernel runs in a child, so a process that ended while this machine stayed up was stopped, not brought down by it.
    int lost = 0;
    const Status status = read([&](Connection& db) -> Status {
        Result<Statement> find =
            db.prepare("SELECT count(*) FROM attempt WHERE kernel_fp = ? AND device_fp = ? AND boot_id <> ?");
        if (!find.ok()) return find.status();
        const Result<bool> any = find->bind(kernel).bind(device.fp).bind(this_process().boot_id).step();
        if (!any.ok()) return any.status();
        lost = static_cast<int>(find->integer(0));
        return {};
    });
    return status.ok() ? lost : 0;
}

Attempt Store::begin_attempt(const KernelRecord& kernel, const DeviceRecord& device, std::string_view phase) {
    Attempt attempt;
    const ProcessIdentity self = this_process();
    const Status status = write([&](Connection& db) -> Status {
        FLASHWAVE_RETURN_IF_ERROR(forget_stopped_attempts(db, kernel.fp, device.fp, self.boot_id));
        Result<Statement> put = db.prepare(
            "INSERT INTO attempt(kernel_fp, device_fp, geometry, phase, boot_id, pid, pid_start, started_at) VALUES "
            "(?, ?, ?, ?, ?, ?, ?, ?)");
        if (!put.ok()) return put.status();
        put->bind(kernel.fp).bind(device.fp).bind(to_json(kernel.geometry)).bind(phase);
        FLASHWAVE_RETURN_IF_ERROR(put->bind(self.boot_id).bind(self.pid).bind(self.start).bind(now()).run());
        attempt.id = db.last_row_id();
        return {};
    });
    return status.ok() ? attempt : Attempt{};
}

void Store::end_attempt(Attempt attempt) {
    if (attempt.id == 0) return;
    (void)write([&](Connection& db) -> Status {
        Result<Statement> remove = db.prepare("DELETE FROM attempt WHERE attempt_id = ?");
        return remove.ok() ? remove->bind(attempt.id).run() : remove.status();
    });
}

Status Store::record_kernel(const ToolchainRecord& toolchain, const KernelRecord& kernel) {
    return write([&](Connection& db) -> Status {
        const Result<std::int64_t> id = put_kernel(db, toolchain, kernel);
        if (!id.ok()) return id.status();
        return kernel.code.empty() ? Status() : evict(db, sha256(kernel.code));
    });
}

Status Store::record_measurement(const Subject& subject, const ToolchainRecord& toolchain, const KernelRecord& kernel,
                                 const Measurement& measurement, Attempt attempt) {
    return write([&](Connection& db) -> Status {
        const Result<SubjectRows> rows = put_subject(db, subject);
        if (!rows.ok()) return rows.status();
        FLASHWAVE_RETURN_IF_ERROR(put_measurement(db, *rows, toolchain, kernel, measurement));
        if (attempt.id == 0) return {};
        Result<Statement> remove = db.prepare("DELETE FROM attempt WHERE attempt_id = ?");
        return remove.ok() ? remove->bind(attempt.id).run() : remove.status();
    });
}

Status Store::record_refusals(const Subject& subject, const ToolchainRecord& toolchain,
                              const std::vector<std::pair<KernelRecord, std::string>>& refusals) {
    return write([&](Connection& db) -> Status {
        const Result<SubjectRows> rows = put_subject(db, subject);
        if (!rows.ok()) return rows.status();
        for (const auto& [kernel, why] : refusals)
            FLASHWAVE_RETURN_IF_ERROR(
                put_measurement(db, *rows, toolchain, kernel, {.outcome = Outcome::refused, .detail = why}));
        return {};
    });
}

Status Store::record_selection(const Subject& subject, const ToolchainRecord& toolchain, const KernelRecord& kernel,
                               const Selection& selection) {
    return write([&](Connection& db) -> Status {
        const Result<SubjectRows> rows = put_subject(db, subject);
        if (!rows.ok()) return rows.status();
        const Result<std::int64_t> kernel_id = put_kernel(db, toolchain, kernel);
        if (!kernel_id.ok()) return kernel_id.status();
        const Result<std::int64_t> toolchain_id = put_toolchain(db, toolchain);
        if (!toolchain_id.ok()) return toolchain_id.status();
        Result<Statement> put = db.prepare(
            "INSERT OR REPLACE INTO selection(problem_id, device_id, toolchain_id, kernel_id, origin, complete, "
            "us_median, us_default, reason,"
            " selected_at, row_sum) VALUES (?, ?, ?, ?, 'tuned', ?, ?, ?, ?, ?, ?)");
        if (!put.ok()) return put.status();
        put->bind(rows->problem).bind(rows->device).bind(*toolchain_id).bind(*kernel_id).bind(selection.complete);
        put->bind(selection.us_median).bind(selection.us_default).bind(selection.reason).bind(now());
        const Digest sum =
            selection_sum(fingerprint(subject.key), subject.device.fp, toolchain.fp, kernel.fp, selection.complete);
        FLASHWAVE_RETURN_IF_ERROR(put->bind(sum).run());
        return kernel.code.empty() ? Status() : evict(db, sha256(kernel.code));
    });
}

// The damaged bytes go; rows that pointed to them stay, without a code object, and are compiled again.
void Store::forget_code(const Digest& sha) {
    (void)write([&](Connection& db) -> Status {
        Result<Statement> remove = db.prepare("DELETE FROM blob WHERE sha256 = ?");
        return remove.ok() ? remove->bind(sha).run() : remove.status();
    });
}

void Store::touch(const Digest& sha, std::int64_t last_used) {
    if (now() - last_used < kTouchEverySeconds && last_used <= now()) return;
    if (!database_) return;
    // Not worth a wait or a warning.
    (void)database_->write(deadline_after(std::chrono::milliseconds(20)), [&](Connection& db) -> Status {
        Result<Statement> put = db.prepare("UPDATE blob SET last_used = ? WHERE sha256 = ?");
        return put.ok() ? put->bind(now()).bind(sha).run() : put.status();
    });
}

Status Store::evict(Connection& db, const Digest& keep) const {
    const Result<std::int64_t> total = db.integer("SELECT total(size) FROM blob");
    if (!total.ok()) return total.status();
    if (*total <= static_cast<std::int64_t>(limit_bytes_)) return {};
    // Oldest use first, until what is left fits. A clock that ran ahead must not keep its rows forever.
    Result<Statement> remove = db.prepare(
        "DELETE FROM blob WHERE sha256 IN (SELECT sha256 FROM (SELECT sha256, sum(size) OVER ("
        "ORDER BY sha256 = ?2 DESC, min(last_used, ?1) DESC, created_at DESC, sha256) AS kept FROM blob) WHERE kept > "
        "?3) AND sha256 <> ?2");
    if (!remove.ok()) return remove.status();
    remove->bind(now()).bind(keep).bind(static_cast<std::int64_t>(static_cast<double>(limit_bytes_) * kEvictTo));
    FLASHWAVE_RETURN_IF_ERROR(remove->run());
    log_info("cache: {} code objects removed to stay below {} MiB", db.changes(), limit_bytes_ >> 20);
    return db.execute("PRAGMA incremental_vacuum(1000)");
}

}  // namespace flashwave::cache
