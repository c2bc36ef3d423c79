// Records to rows and back: inserting what is missing, and proving what is read. Part of the store; within its
// transactions.
#pragma once

#include <cstdint>
#include <string_view>

#include "cache/records.hpp"
#include "cache/sqlite.hpp"

namespace flashwave::cache {

/// Seconds since 1970, as rows carry them.
std::int64_t now();

/// The status of a row that is not to be believed.
Status damaged(std::string_view what);

// The number of the row with the record's fingerprint; it is made when it is missing.
Result<std::int64_t> put_toolchain(Connection& db, const ToolchainRecord& toolchain);
Result<std::int64_t> put_device(Connection& db, const DeviceRecord& device);
Result<std::int64_t> put_problem(Connection& db, const ProblemKey& key);
/// With its code object; a row that is there keeps the one it has when this record has none.
Result<std::int64_t> put_kernel(Connection& db, const ToolchainRecord& toolchain, const KernelRecord& kernel);

/// Checksum of a selection: what it is about and what it points to.
Digest selection_sum(const Digest& problem, const Digest& device, const Digest& toolchain, const Digest& kernel,
                     bool complete);

/// What kernel_row reads, from kernel k and blob b.
inline constexpr std::string_view kKernelColumns =
    "k.fp, k.target, k.entry, k.geometry, k.options, k.row_sum, b.sha256, b.data, b.last_used, k.compile_ms,"
    " k.vgprs, k.sgprs, k.lds_bytes, k.scratch_bytes, k.spills";
inline constexpr int kKernelColumnCount = 15;

struct KernelRow {
    KernelRecord kernel;
    Digest sha;
    std::int64_t last_used = 0;
    Status check;  ///< Code::corrupt: not to be used
};
/// From a row that begins with kKernelColumns.
KernelRow kernel_row(const Statement& row);

}  // namespace flashwave::cache
