// SQLite with owners: a connection, a prepared statement, and the one place where SQLite's codes become a Status.
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "flashwave/status.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace flashwave::cache {

class Statement {
  public:
    /// Binds the next parameter, in order from ?1.
    Statement& bind(std::int64_t value);
    Statement& bind(int value) { return bind(static_cast<std::int64_t>(value)); }
    Statement& bind(bool value) { return bind(static_cast<std::int64_t>(value)); }
    Statement& bind(double value);
    Statement& bind(std::string_view text);
    Statement& bind(const char* text) { return bind(std::string_view(text)); }
    Statement& bind(const Digest& digest) { return bind(std::span(digest.bytes)); }
    Statement& bind(std::span<const std::byte> bytes);
    Statement& bind_null();

    /// true: there is a row; false: no more. A failed bind is reported here.
    Result<bool> step();
    /// For a statement without rows.
    Status run();

    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;
    std::string bytes(int column) const;
    std::optional<Digest> digest(int column) const;  ///< nullopt: not a blob of 32 bytes
    bool is_null(int column) const;
    int columns() const;

    sqlite3_stmt* get() const { return statement_.get(); }
    static Statement adopt(sqlite3_stmt* statement) { return Statement(statement); }

  private:
    friend class Connection;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
    Statement& note(int code);

    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    int next_ = 1;
    int failed_ = 0;
};

class Connection {
  public:
    enum class Access { read, write, create };

    /// Opens the file with our pragmas. Code::corrupt: it is no database.
    static Result<Connection> open(const std::string& path, Access access, int busy_ms);

    Result<Statement> prepare(std::string_view sql);
    /// One or more statements without parameters and rows of interest.
    Status execute(const std::string& sql);
    Result<std::int64_t> integer(std::string_view sql);  ///< The first column of the first row.
    std::int64_t last_row_id() const;
    int changes() const;

    sqlite3* get() const { return connection_.get(); }

  private:
    struct Close {
        void operator()(sqlite3* connection) const;
    };
    explicit Connection(sqlite3* connection) : connection_(connection) {}

    std::unique_ptr<sqlite3, Close> connection_;
};

/// What `code` of `connection` means: busy, corrupt (the data are damaged), unavailable (may not), io_error (cannot),
/// ...
Status sqlite_status(sqlite3* connection, int code, std::string_view action);

}  // namespace flashwave::cache
