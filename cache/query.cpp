#include "cache/query.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>

#include "cache/database.hpp"

namespace flashwave::cache {
namespace {

Cell cell_of(const Statement& statement, int column) {
    switch (sqlite3_column_type(statement.get(), column)) {
        case SQLITE_INTEGER: return {Cell::Kind::integer, statement.text(column)};
        case SQLITE_FLOAT: return {Cell::Kind::real, statement.text(column)};
        case SQLITE_TEXT: return {Cell::Kind::text, statement.text(column)};
        case SQLITE_BLOB: {
            std::string hex;
            for (const char byte : statement.bytes(column))
                hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
            return {Cell::Kind::blob, std::move(hex)};
        }
        default: return {Cell::Kind::null, {}};
    }
}

// Asked by SQLite for each thing a statement does. ATTACH, PRAGMA, BEGIN and all that writes are not among these.
int only_reading(void*, int action, const char*, const char*, const char*, const char*) {
    const bool reads =
        action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
    return reads ? SQLITE_OK : SQLITE_DENY;
}

// SQLite's word for what is wrong with the user's statement.
Status not_understood(Connection& db) {
    return Status(Code::invalid_argument, fmt::format("the statement is not understood: {}", sqlite3_errmsg(db.get())));
}

}  // namespace

Result<Table> query(const std::string& cache_dir, std::string_view sql, const std::vector<std::string>& parameters) {
    std::error_code error;
    const std::string directory = std::filesystem::canonical(cache_dir, error).string();
    if (error) return Status(Code::not_found, fmt::format("there is no cache in {}: {}", cache_dir, error.message()));
    Table table;
    Database database(directory);
    const Status status = database.read(deadline_after(std::chrono::seconds(5)), [&](Connection& db) -> Status {
        // The views use json_extract, which this SQLite lets a schema use only if that is trusted: it is our own.
        sqlite3_db_config(db.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, nullptr);
        sqlite3_set_authorizer(db.get(), only_reading, nullptr);
        sqlite3_stmt* raw = nullptr;
        const char* rest = nullptr;
        const int code = sqlite3_prepare_v2(db.get(), sql.data(), static_cast<int>(sql.size()), &raw, &rest);
        sqlite3_set_authorizer(db.get(), nullptr, nullptr);
        if ((code & 0xff) == SQLITE_AUTH)
            return Status(Code::invalid_argument, "the cache is only read here: use SELECT");
        if ((code & 0xff) == SQLITE_ERROR) return not_understood(db);
        if (code != SQLITE_OK) return sqlite_status(db.get(), code, "cannot read");
        Statement statement = Statement::adopt(raw);
        if (raw == nullptr) return Status(Code::invalid_argument, "the statement is empty");
        const std::string_view after(rest, static_cast<std::size_t>(sql.data() + sql.size() - rest));
        if (after.find_first_not_of(" \t\r\n;") != std::string_view::npos)
            return Status(Code::invalid_argument,
                          fmt::format("one statement at a time; this follows the first: {}", after));
        for (const std::string& parameter : parameters) statement.bind(parameter);
        for (int column = 0; column < statement.columns(); ++column)
            table.columns.emplace_back(sqlite3_column_name(raw, column));
        for (;;) {
            const Result<bool> row = statement.step();
            if (!row.ok()) return row.status().code() == Code::internal ? not_understood(db) : row.status();
            if (!*row) return {};
            std::vector<Cell>& cells = table.rows.emplace_back();
            for (int column = 0; column < statement.columns(); ++column) cells.push_back(cell_of(statement, column));
        }
    });
    if (!status.ok()) return status;
    return table;
}

}  // namespace flashwave::cache
