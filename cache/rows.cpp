#include "cache/rows.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "flashwave/version.hpp"

namespace flashwave::cache {
namespace {

Digest kernel_sum(const KernelRecord& kernel, const Digest& code) {
    return Sha256("kernel row 1")
        .field(kernel.fp)
        .field(kernel.target)
        .field(kernel.entry)
        .field(to_json(kernel.geometry))
        .field(kernel.options)
        .field(code)
        .finish();
}

// The number of the row with this fingerprint; 0: there is none.
Result<std::int64_t> find_id(Connection& db, std::string_view table, const Digest& fp) {
    Result<Statement> find = db.prepare(fmt::format("SELECT {0}_id FROM {0} WHERE fp = ?", table));
    if (!find.ok()) return find.status();
    const Result<bool> row = find->bind(fp).step();
    if (!row.ok()) return row.status();
    return *row ? find->integer(0) : std::int64_t{0};
}

// The same, made by `insert` when it is missing.
Result<std::int64_t> find_or_insert(Connection& db, std::string_view table, const Digest& fp,
                                    const std::function<Status()>& insert) {
    const Result<std::int64_t> id = find_id(db, table, fp);
    if (!id.ok() || *id != 0) return id;
    FLASHWAVE_RETURN_IF_ERROR(insert());
    return db.last_row_id();
}

Status put_blob(Connection& db, const Digest& sha, const std::string& code) {
    Result<Statement> put = db.prepare(
        "INSERT INTO blob(sha256, size, data, last_used, created_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT(sha256) DO UPDATE SET data = excluded.data, last_used = excluded.last_used");
    if (!put.ok()) return put.status();
    const auto bytes = std::as_bytes(std::span(code));
    return put->bind(sha).bind(static_cast<std::int64_t>(code.size())).bind(bytes).bind(now()).bind(now()).run();
}

}  // namespace

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Digest selection_sum(const Digest& problem, const Digest& device, const Digest& toolchain, const Digest& kernel,
                     bool complete) {
    return Sha256("selection row 1")
        .field(problem)
        .field(device)
        .field(toolchain)
        .field(kernel)
        .field(complete ? 1 : 0)
        .finish();
}

Status damaged(std::string_view what) {
    return Status(Code::corrupt, fmt::format("a stored {} failed its check and is not used", what));
}

Result<std::int64_t> put_toolchain(Connection& db, const ToolchainRecord& toolchain) {
    return find_or_insert(db, "toolchain", toolchain.fp, [&]() -> Status {
        Result<Statement> put = db.prepare(
            "INSERT INTO toolchain(fp, kernel_sources, flashwave, compiler, libraries, created_at) VALUES (?, ?, ?, ?, "
            "?, ?)");
        if (!put.ok()) return put.status();
        return put->bind(toolchain.fp)
            .bind(toolchain.kernel_sources)
            .bind(version())
            .bind(toolchain.compiler)
            .bind(toolchain.libraries)
            .bind(now())
            .run();
    });
}

Result<std::int64_t> put_device(Connection& db, const DeviceRecord& device) {
    return find_or_insert(db, "device", device.fp, [&]() -> Status {
        Result<Statement> put = db.prepare(
            "INSERT INTO device(fp, identity, name, target, emulated, created_at) VALUES (?, ?, ?, ?, ?, ?)");
        if (!put.ok()) return put.status();
        return put->bind(device.fp)
            .bind(device.identity)
            .bind(device.name)
            .bind(device.target)
            .bind(device.emulated)
            .bind(now())
            .run();
    });
}

Result<std::int64_t> put_problem(Connection& db, const ProblemKey& key) {
    const Digest fp = fingerprint(key);
    {
        // The text is compared on every hit; writing it anew makes a damaged one whole.
        Result<Statement> put = db.prepare(
            "INSERT INTO problem(fp, key_version, key, created_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT(fp) DO UPDATE SET key = excluded.key");
        if (!put.ok()) return put.status();
        FLASHWAVE_RETURN_IF_ERROR(put->bind(fp).bind(kProblemKeyVersion).bind(to_json(key)).bind(now()).run());
    }
    return find_id(db, "problem", fp);
}

Result<std::int64_t> put_kernel(Connection& db, const ToolchainRecord& toolchain, const KernelRecord& kernel) {
    const Result<std::int64_t> toolchain_id = put_toolchain(db, toolchain);
    if (!toolchain_id.ok()) return toolchain_id.status();
    const Digest sha = kernel.code.empty() ? Digest{} : sha256(kernel.code);
    if (!kernel.code.empty()) FLASHWAVE_RETURN_IF_ERROR(put_blob(db, sha, kernel.code));
    {
        // All of a row is written anew, so that one which failed its check is whole again.
        Result<Statement> put = db.prepare(
            "INSERT INTO kernel(fp, toolchain_id, target, entry, geometry, options, blob_sha256, compile_ms,"
            " vgprs, sgprs, lds_bytes, scratch_bytes, spills, row_sum, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT(fp) DO UPDATE SET toolchain_id = excluded.toolchain_id, target = excluded.target,"
            " entry = excluded.entry, geometry = excluded.geometry, options = excluded.options,"
            " blob_sha256 = excluded.blob_sha256, compile_ms = excluded.compile_ms, vgprs = excluded.vgprs,"
            " sgprs = excluded.sgprs, lds_bytes = excluded.lds_bytes, scratch_bytes = excluded.scratch_bytes,"
            " spills = excluded.spills, row_sum = excluded.row_sum WHERE excluded.blob_sha256 IS NOT NULL");
        if (!put.ok()) return put.status();
        put->bind(kernel.fp)
            .bind(*toolchain_id)
            .bind(kernel.target)
            .bind(kernel.entry)
            .bind(to_json(kernel.geometry))
            .bind(kernel.options);
        if (kernel.code.empty())
            put->bind_null().bind_null().bind_null().bind_null().bind_null().bind_null().bind_null();
        else
            put->bind(sha)
                .bind(kernel.compile_ms)
                .bind(kernel.vgprs)
                .bind(kernel.sgprs)
                .bind(kernel.lds_bytes)
                .bind(kernel.scratch_bytes)
                .bind(kernel.spills);
        FLASHWAVE_RETURN_IF_ERROR(put->bind(kernel_sum(kernel, sha)).bind(now()).run());
    }
    return find_id(db, "kernel", kernel.fp);
}

KernelRow kernel_row(const Statement& row) {
    KernelRow result;
    KernelRecord& kernel = result.kernel;
    kernel.fp = row.digest(0).value_or(Digest{});
    kernel.target = row.text(1);
    kernel.entry = row.text(2);
    const Result<Candidate> geometry = parse_json<Candidate>(row.text(3));
    kernel.options = row.text(4);
    result.sha = row.digest(6).value_or(Digest{});
    kernel.code = row.bytes(7);
    result.last_used = row.integer(8);
    kernel.compile_ms = row.real(9);
    kernel.vgprs = static_cast<int>(row.integer(10));
    kernel.sgprs = static_cast<int>(row.integer(11));
    kernel.lds_bytes = static_cast<int>(row.integer(12));
    kernel.scratch_bytes = static_cast<int>(row.integer(13));
    kernel.spills = static_cast<int>(row.integer(14));
    if (!geometry.ok()) {
        result.check = damaged("geometry");
        return result;
    }
    kernel.geometry = *geometry;
    if (row.digest(5) != kernel_sum(kernel, result.sha)) result.check = damaged("kernel");
    else if (sha256(kernel.code) != result.sha) result.check = damaged("code object");
    return result;
}

}  // namespace flashwave::cache
