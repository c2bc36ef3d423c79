// Reading the cache with SQL, for people: one statement, read-only, over the tables and views of cache.db. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"

namespace flashwave::cache {

struct Cell {
    enum class Kind { null, integer, real, text, blob };
    Kind kind = Kind::null;
    std::string text;  ///< as SQLite prints it; a blob in hexadecimal
};

struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
};

/// Runs one statement against `cache_dir`/cache.db and gives all rows. `parameters` are bound to ?1, ?2, ... as text.
///   Code::not_found         there is no cache yet
///   Code::invalid_argument  SQLite does not understand the statement, or it would write; the message is SQLite's
///   Code::busy, io_error, unavailable, corrupt   the file cannot be read now
Result<Table> query(const std::string& cache_dir, std::string_view sql,
                    const std::vector<std::string>& parameters = {});

}  // namespace flashwave::cache
