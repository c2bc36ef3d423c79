// The views for people. Our own code reads none of them.
#include <fmt/format.h>

#include "cache/schema.hpp"
#include "problem/candidate.hpp"
#include "problem/problem_key.hpp"

namespace flashwave::cache {
namespace {

// "json_extract(p.key, '$.op') AS op, ..." for each field of T.
template <class T>
std::string columns(std::string_view json) {
    std::string text;
    for (const std::string_view name : field_names<T>())
        text += fmt::format("json_extract({}, '$.{}') AS {}, ", json, name, name);
    return text;
}

std::string view(std::string_view name, std::string_view select) {
    return fmt::format("DROP VIEW IF EXISTS {0};\nCREATE VIEW {0} AS\n{1};\n", name, select);
}

constexpr std::string_view kMeasured =
    " FROM measurement m JOIN problem p USING(problem_id) JOIN device d USING(device_id) JOIN kernel k USING(kernel_id)"
    " JOIN toolchain t ON t.toolchain_id = k.toolchain_id";

// Why a right candidate was not taken is told by its time; of the others it is stored.
constexpr std::string_view kCandidateColumns =
    "k.entry, d.name AS device, m.modelled, rank() OVER (PARTITION BY m.problem_id, m.device_id, k.toolchain_id"
    " ORDER BY m.status <> 'ok', m.us_median) AS place, m.status, m.us_median, m.us_p20, m.us_p80, m.repetitions,"
    " m.max_error, m.error_bound, ifnull(s.kernel_id = m.kernel_id, 0) AS selected,"
    " CASE WHEN m.status <> 'ok' OR s.kernel_id IS NULL THEN m.detail WHEN s.kernel_id = m.kernel_id THEN s.reason"
    " WHEN m.us_median <= s.us_median THEN 'not faster than the default by more than the noise'"
    " ELSE printf('%.1f%% slower than the winner', 100.0 * (m.us_median / s.us_median - 1)) END AS detail,"
    " k.vgprs, k.sgprs, k.lds_bytes, k.scratch_bytes, k.spills, k.compile_ms, t.compiler,"
    " datetime(m.measured_at, 'unixepoch') AS measured_at";

}  // namespace

std::string view_statements() {
    const std::string problem = columns<ProblemKey>("p.key"), geometry = columns<Candidate>("k.geometry");
    std::string sql;
    // One row a problem, device and toolchain: the winner, and how much it gains over the default geometry.
    sql += view("v_selection",
                "SELECT s.problem_id, s.device_id, " + problem + geometry +
                    "k.entry, d.name AS device, d.emulated AS modelled, s.us_median, s.us_default,"
                    " round(s.us_default / s.us_median, 3) AS speedup, s.origin, s.complete, s.reason, k.vgprs, "
                    "k.lds_bytes, k.scratch_bytes,"
                    " t.compiler, datetime(s.selected_at, 'unixepoch') AS selected_at"
                    " FROM selection s JOIN problem p USING(problem_id) JOIN device d USING(device_id)"
                    " JOIN toolchain t ON t.toolchain_id = s.toolchain_id JOIN kernel k ON k.kernel_id = s.kernel_id");
    // One row a candidate of each problem, fastest first within it, with the reason why it was taken or not.
    sql +=
        view("v_candidates", "SELECT m.problem_id, m.device_id, " + problem + geometry +
                                 std::string(kCandidateColumns) + std::string(kMeasured) +
                                 " LEFT JOIN selection s ON s.problem_id = m.problem_id AND s.device_id = m.device_id"
                                 " AND s.toolchain_id = k.toolchain_id WHERE m.status <> 'refused'");
    // Geometries that were not tried for a problem, and why.
    sql += view("v_refusals", "SELECT m.problem_id, m.device_id, " + problem + geometry +
                                  "k.entry, d.name AS device, m.detail" + std::string(kMeasured) +
                                  " WHERE m.status = 'refused'");
    // Candidates that did not work, and how they failed.
    sql +=
        view("v_failures", "SELECT m.problem_id, m.device_id, " + problem + geometry +
                               "k.entry, d.name AS device, m.status, m.detail, m.max_error, m.error_bound, t.compiler,"
                               " datetime(m.measured_at, 'unixepoch') AS measured_at" +
                               std::string(kMeasured) + " WHERE m.status NOT IN ('ok', 'refused', 'skipped')");
    sql += view("v_attempts",
                "SELECT attempt_id, geometry, phase, pid, boot_id, datetime(started_at, 'unixepoch') AS started_at "
                "FROM attempt");
    sql += view("v_toolchains",
                "SELECT t.toolchain_id, t.flashwave, t.compiler, t.libraries, lower(hex(t.fp)) AS fingerprint,"
                " (SELECT count(*) FROM kernel k WHERE k.toolchain_id = t.toolchain_id) AS kernels,"
                " datetime(t.created_at, 'unixepoch') AS created_at FROM toolchain t");
    sql += view("v_devices",
                "SELECT device_id, name, target, emulated AS modelled, identity, datetime(created_at, 'unixepoch') AS "
                "created_at FROM device");
    sql += view("v_size",
                "SELECT count(*) AS code_objects, total(size) AS bytes, datetime(min(last_used), 'unixepoch') AS "
                "least_recently_used FROM blob");
    return sql;
}

}  // namespace flashwave::cache
