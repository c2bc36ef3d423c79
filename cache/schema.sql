-- The tables of cache.db, version 1. FORMAT.md says what they mean; cache/views.cpp adds the views for people.
-- Fingerprints are SHA-256 over canonical field lists; rows are found by them, the readable columns are for people and for checks.

CREATE TABLE toolchain(
    toolchain_id   INTEGER PRIMARY KEY,
    fp             BLOB NOT NULL UNIQUE CHECK(length(fp) = 32),
    kernel_sources BLOB NOT NULL CHECK(length(kernel_sources) = 32),
    flashwave      TEXT NOT NULL,
    compiler       TEXT NOT NULL,
    libraries      TEXT NOT NULL,
    created_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE device(
    device_id  INTEGER PRIMARY KEY,
    fp         BLOB NOT NULL UNIQUE CHECK(length(fp) = 32),
    identity   TEXT NOT NULL,
    name       TEXT NOT NULL,
    target     TEXT NOT NULL,
    emulated   INTEGER NOT NULL CHECK(emulated IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE problem(
    problem_id  INTEGER PRIMARY KEY,
    fp          BLOB NOT NULL UNIQUE CHECK(length(fp) = 32),
    key_version INTEGER NOT NULL,
    key         TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE blob(
    sha256     BLOB PRIMARY KEY CHECK(length(sha256) = 32),
    size       INTEGER NOT NULL CHECK(size BETWEEN 1 AND 67108864),
    data       BLOB NOT NULL,
    last_used  INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE kernel(
    kernel_id     INTEGER PRIMARY KEY,
    fp            BLOB NOT NULL UNIQUE CHECK(length(fp) = 32),
    toolchain_id  INTEGER NOT NULL REFERENCES toolchain ON DELETE CASCADE,
    target        TEXT NOT NULL,
    entry         TEXT NOT NULL,
    geometry      TEXT NOT NULL,
    options       TEXT NOT NULL,
    blob_sha256   BLOB REFERENCES blob(sha256) ON DELETE SET NULL,
    compile_ms    REAL,
    vgprs         INTEGER,
    sgprs         INTEGER,
    lds_bytes     INTEGER,
    scratch_bytes INTEGER,
    spills        INTEGER,
    row_sum       BLOB NOT NULL CHECK(length(row_sum) = 32),
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX kernel_toolchain ON kernel(toolchain_id);
CREATE INDEX kernel_blob ON kernel(blob_sha256);

CREATE TABLE measurement(
    problem_id  INTEGER NOT NULL REFERENCES problem ON DELETE CASCADE,
    device_id   INTEGER NOT NULL REFERENCES device ON DELETE CASCADE,
    kernel_id   INTEGER NOT NULL REFERENCES kernel ON DELETE CASCADE,
    status      TEXT NOT NULL CHECK(status IN ('ok', 'refused', 'compile_error', 'load_error', 'wrong', 'nondeterministic',
                                               'timeout', 'crash', 'out_of_memory', 'skipped')),
    detail      TEXT NOT NULL,
    modelled    INTEGER NOT NULL CHECK(modelled IN (0, 1)),
    repetitions INTEGER NOT NULL,
    us_median   REAL,
    us_p20      REAL,
    us_p80      REAL,
    max_error   REAL,
    error_bound REAL,
    measured_at INTEGER NOT NULL,
    PRIMARY KEY(problem_id, device_id, kernel_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX measurement_device ON measurement(device_id);
CREATE INDEX measurement_kernel ON measurement(kernel_id);

CREATE TABLE selection(
    problem_id   INTEGER NOT NULL REFERENCES problem ON DELETE CASCADE,
    device_id    INTEGER NOT NULL REFERENCES device ON DELETE CASCADE,
    toolchain_id INTEGER NOT NULL REFERENCES toolchain ON DELETE CASCADE,
    kernel_id    INTEGER NOT NULL REFERENCES kernel ON DELETE CASCADE,
    origin       TEXT NOT NULL CHECK(origin IN ('tuned', 'imported', 'pinned')),
    complete     INTEGER NOT NULL CHECK(complete IN (0, 1)),
    us_median    REAL,
    us_default   REAL,
    reason       TEXT NOT NULL,
    selected_at  INTEGER NOT NULL,
    row_sum      BLOB NOT NULL CHECK(length(row_sum) = 32),
    PRIMARY KEY(problem_id, device_id, toolchain_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX selection_device ON selection(device_id);
CREATE INDEX selection_toolchain ON selection(toolchain_id);
CREATE INDEX selection_kernel ON selection(kernel_id);

CREATE TABLE attempt(
    attempt_id INTEGER PRIMARY KEY,
    kernel_fp  BLOB NOT NULL CHECK(length(kernel_fp) = 32),
    device_fp  BLOB NOT NULL CHECK(length(device_fp) = 32),
    geometry   TEXT NOT NULL,
    phase      TEXT NOT NULL,
    boot_id    TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    pid_start  INTEGER NOT NULL,
    started_at INTEGER NOT NULL
) STRICT;
CREATE INDEX attempt_kernel ON attempt(kernel_fp, device_fp);

CREATE TABLE meta(k TEXT PRIMARY KEY, v TEXT NOT NULL) STRICT, WITHOUT ROWID;
