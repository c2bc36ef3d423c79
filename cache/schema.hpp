// The SQL that makes an empty database ours: the tables of schema.sql and the views for people.
#pragma once

#include <string>

namespace flashwave::cache {

// Part of the stored format: "FlsW" in the file's header, and the version of the tables.
inline constexpr int kApplicationId = 0x466c7357;
inline constexpr int kSchemaVersion = 1;

/// The tables, as schema.sql has them.
extern const char* const kSchema;

/// DROP and CREATE of every view. They unpack the JSON columns by the field lists of ProblemKey and Candidate, so that
/// a new field is a new column of the views and no migration.
std::string view_statements();

}  // namespace flashwave::cache
