#include "cache/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>

namespace flashwave::cache {
namespace {

Code code_of(int sqlite_code) {
    switch (sqlite_code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return Code::busy;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT: return Code::corrupt;
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_AUTH: return Code::unavailable;
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_PROTOCOL: return Code::io_error;
        case SQLITE_NOMEM: return Code::out_of_memory;
        default: return Code::internal;
    }
}

constexpr int kLargestValue = 64 << 20;  // a code object has tens of KiB; a damaged length must not allocate gigabytes

}  // namespace

Status sqlite_status(sqlite3* connection, int code, std::string_view action) {
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return {};
    const char* file = connection ? sqlite3_db_filename(connection, "main") : nullptr;
    const char* why = connection ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
    return Status(code_of(code), fmt::format("{} {}: {}", action, file ? file : "the cache", why));
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::note(int code) {
    if (failed_ == SQLITE_OK) failed_ = code;
    return *this;
}

Statement& Statement::bind(std::int64_t value) { return note(sqlite3_bind_int64(get(), next_++, value)); }
Statement& Statement::bind(double value) { return note(sqlite3_bind_double(get(), next_++, value)); }
Statement& Statement::bind(std::string_view text) {
    return note(sqlite3_bind_text64(get(), next_++, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                                    SQLITE_UTF8));
}
Statement& Statement::bind(std::span<const std::byte> bytes) {
    return note(sqlite3_bind_blob64(get(), next_++, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
}
Statement& Statement::bind_null() { return note(sqlite3_bind_null(get(), next_++)); }

Result<bool> Statement::step() {
    sqlite3* connection = sqlite3_db_handle(get());
    if (failed_ != SQLITE_OK) return sqlite_status(connection, failed_, "cannot use");
    const int code = sqlite3_step(get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return sqlite_status(connection, code, "cannot use");
}

Status Statement::run() {
    const Result<bool> row = step();
    return row.ok() ? Status() : row.status();
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(get(), column); }
std::string Statement::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(get(), column));
    return data ? std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(get(), column))) : std::string();
}
std::string Statement::bytes(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(get(), column));
    return data ? std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(get(), column))) : std::string();
}
std::optional<Digest> Statement::digest(int column) const {
    Digest digest;
    const void* data = sqlite3_column_blob(get(), column);
    if (data == nullptr || sqlite3_column_bytes(get(), column) != static_cast<int>(digest.bytes.size()))
        return std::nullopt;
    std::memcpy(digest.bytes.data(), data, digest.bytes.size());
    return digest;
}
bool Statement::is_null(int column) const { return sqlite3_column_type(get(), column) == SQLITE_NULL; }
int Statement::columns() const { return sqlite3_column_count(get()); }

void Connection::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }

Result<Connection> Connection::open(const std::string& path, Access access, int busy_ms) {
    // A read may have to roll back the journal of a process that died, so it asks to write; SQLite falls back to
    // reading.
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
    if (access == Access::create) flags |= SQLITE_OPEN_CREATE;
    sqlite3* raw = nullptr;
    int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    Connection connection(raw);
    if (code != SQLITE_OK) return sqlite_status(raw, code, "cannot open");

    sqlite3_busy_timeout(raw, busy_ms);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kLargestValue + 4096);
    // No memory map: a truncated file is then an error and not a SIGBUS. FULL: what is committed survives a power cut.
    FLASHWAVE_RETURN_IF_ERROR(
        connection.execute("PRAGMA mmap_size = 0; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON;"
                           "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2048;"));
    return connection;
}

Result<Statement> Connection::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    if (code != SQLITE_OK) return sqlite_status(get(), code, "cannot use");
    return Statement(statement);
}

Status Connection::execute(const std::string& sql) {
    return sqlite_status(get(), sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr), "cannot use");
}

Result<std::int64_t> Connection::integer(std::string_view sql) {
    Result<Statement> statement = prepare(sql);
    if (!statement.ok()) return statement.status();
    const Result<bool> row = statement->step();
    if (!row.ok()) return row.status();
    return *row ? statement->integer(0) : std::int64_t{0};
}

std::int64_t Connection::last_row_id() const { return sqlite3_last_insert_rowid(get()); }
int Connection::changes() const { return sqlite3_changes(get()); }

}  // namespace flashwave::cache
