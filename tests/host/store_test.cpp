#include "cache/store.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/log.hpp"
#include "cache/process_identity.hpp"
#include "cache/query.hpp"
#include "cache/schema.hpp"
#include "temporary_directory.hpp"

using namespace flashwave;
using namespace flashwave::cache;
using flashwave::testing::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLimit = 512u << 20;

// Messages at or above warning while it lives.
struct Warnings {
    Warnings() {
        set_log_sink([this](LogLevel level, std::string_view text) {
            if (level >= LogLevel::warn) texts.emplace_back(text);
        });
    }
    ~Warnings() { set_log_sink({}); }
    std::vector<std::string> texts;
};

struct Rows {
    ProblemKey key{.target = "gfx1100", .head_dim = 128, .seq_q = 1024, .seq_k = 1024};
    DeviceRecord device{sha256("device"), "card", "A Card", "gfx1100", true};
    ToolchainRecord toolchain{sha256("toolchain"), sha256("sources"), "clang 19", "libs"};
    KernelRecord kernel{.fp = sha256("kernel"),
                        .target = "gfx1100",
                        .entry = "fwd",
                        .geometry = {.waves = 4},
                        .options = "-O3",
                        .code = std::string(5000, 'x'),
                        .compile_ms = 12,
                        .vgprs = 200};
    Selection selection{.complete = true, .us_median = 10, .us_default = 12, .reason = "fastest"};

    Subject subject() const { return {key, device}; }
    void put(Store& store) const {
        const Status status = store.record_selection(subject(), toolchain, kernel, selection);
        REQUIRE_MESSAGE(status.ok(), status.message());
    }
    std::optional<StoredSelection> find(Store& store) const {
        return store.find_selection(subject(), &toolchain, toolchain.kernel_sources);
    }
};

// A plain SQLite connection, as a user's tool has one.
void sql(const std::string& path, const std::string& text) {
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    char* why = nullptr;
    const int code = sqlite3_exec(db, text.c_str(), nullptr, nullptr, &why);
    CHECK_MESSAGE(code == SQLITE_OK, (why ? why : ""));
    sqlite3_close(db);
}

std::string one_value(const std::string& directory, const std::string& statement) {
    const Result<Table> table = query(directory, statement);
    REQUIRE_MESSAGE(table.ok(), table.status().message());
    REQUIRE(table->rows.size() == 1);
    return table->rows[0][0].text;
}

// Overwrites the bytes of the first place where `text` stands in the file.
void spoil(const std::string& path, const std::string& text, char with) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::size_t at = bytes.find(text);
    REQUIRE(at != std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(with);
}

}  // namespace

TEST_CASE("a selection is found again by another store with its code object and geometry") {
    const TemporaryDirectory folder;
    const Rows rows;
    {
        Store store(folder.path() + "/made/here", kLimit);
        CHECK_FALSE(rows.find(store));
        rows.put(store);
    }
    Store store(folder.path() + "/made/here", kLimit);
    const auto found = rows.find(store);
    REQUIRE(found);
    CHECK(found->kernel.code == rows.kernel.code);
    CHECK(found->kernel.geometry == rows.kernel.geometry);
    CHECK(found->kernel.vgprs == 200);
    CHECK(found->selection.us_default == 12);
    CHECK(found->selection.reason == "fastest");
    REQUIRE(store.find_kernel(rows.kernel.fp));
    CHECK_FALSE(store.find_kernel(sha256("another")));
}

TEST_CASE("another problem, device or toolchain does not find it; without a toolchain the kernel sources decide") {
    const TemporaryDirectory folder;
    Store store(folder.path(), kLimit);
    Rows rows;
    rows.put(store);
    const Digest sources = rows.toolchain.kernel_sources;
    CHECK(store.find_selection(rows.subject(), nullptr, sources));
    CHECK_FALSE(store.find_selection(rows.subject(), nullptr, sha256("other sources")));
    ToolchainRecord toolchain = rows.toolchain;
    toolchain.fp = sha256("newer");
    CHECK_FALSE(store.find_selection(rows.subject(), &toolchain, sources));
    Rows other = rows;
    other.device.fp = sha256("other device");
    CHECK_FALSE(other.find(store));
    other = rows;
    other.key.seq_k = 2048;
    CHECK_FALSE(other.find(store));
}

TEST_CASE("file and folder are private whatever the umask") {
    const TemporaryDirectory folder;
    const mode_t before = ::umask(0);
    Store store(folder.path() + "/cache", kLimit);
    Rows().put(store);
    ::umask(before);
    struct stat facts {};
    REQUIRE(::stat((folder.path() + "/cache").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0700);
    REQUIRE(::stat((folder.path() + "/cache/cache.db").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
}

TEST_CASE("a folder that others may write is not used") {
    const TemporaryDirectory folder;
    ::chmod(folder.path().c_str(), 0777);
    const Warnings warnings;
    Store store(folder.path(), kLimit);
    CHECK(store.directory().empty());
    CHECK(warnings.texts.size() == 1);
    ::chmod(folder.path().c_str(), 0700);
}

TEST_CASE("every kind of damage is a miss with one warning, and the next record begins anew") {
    struct Damage {
        std::string what;
        std::function<void(const std::string&)> make;
        bool kept_aside;  ///< the damaged file is moved away, not overwritten
    };
    const Damage damages[] = {
        {"a text file",
         [](const std::string& db) {
             std::ofstream(db) << "These are no pages of a database, but a letter. " << std::string(4000, '.');
         },
         true},
        {"a truncated file",
         [](const std::string& db) { fs::resize_file(db, fs::file_size(db) / 2 / 4096 * 4096 + 100); }, true},
        {"zero length", [](const std::string& db) { fs::resize_file(db, 0); }, false},
        {"a missing file", [](const std::string& db) { fs::remove(db); }, false},
        {"noise in every page but the first",
         [](const std::string& db) {
             std::fstream file(db, std::ios::in | std::ios::out | std::ios::binary);
             for (std::uintmax_t at = 4096; at < fs::file_size(db); at += 64)
                 file.seekp(static_cast<std::streamoff>(at)), file.write("garbage!", 8);
         },
         true},
    };
    for (const Damage& damage : damages) {
        CAPTURE(damage.what);
        const TemporaryDirectory folder;
        const std::string db = folder.path() + "/cache.db";
        const Rows rows;
        {
            Store store(folder.path(), kLimit);
            rows.put(store);
        }
        damage.make(db);
        const Warnings warnings;
        Store store(folder.path(), kLimit);
        CHECK_FALSE(rows.find(store));
        CHECK_FALSE(store.find_kernel(rows.kernel.fp));
        rows.put(store);
        CHECK(rows.find(store));
        CHECK(warnings.texts.size() <= 2);  // the move, and that kernels may be compiled again
        const bool aside =
            std::any_of(fs::directory_iterator(folder.path()), fs::directory_iterator(),
                        [](const auto& entry) { return entry.path().filename().string().starts_with("corrupt-"); });
        CHECK(aside == damage.kept_aside);
    }
}

TEST_CASE("one flipped bit in a code object, a geometry or a selection is a miss, not another kernel") {
    const std::pair<const char*, char> flips[] = {
        {"xxxxxxxx", 'y'}, {"\"waves\":4", '\''}, {"fwd", 'g'}, {"\"op\":\"forward\"", '\''}};
    for (const auto& flip : flips) {
        const std::string text = flip.first;
        CAPTURE(text);
        const TemporaryDirectory folder;
        const Rows rows;
        Store store(folder.path(), kLimit);
        rows.put(store);
        spoil(folder.path() + "/cache.db", text, flip.second);
        const Warnings warnings;
        CHECK_FALSE(rows.find(store));
        CHECK_FALSE(store.find_kernel(rows.kernel.fp));
        rows.put(store);  // compiled again: all is whole
        CHECK(rows.find(store));
        CHECK(store.find_kernel(rows.kernel.fp));
    }
}

TEST_CASE("a selection whose row was changed by hand is not used") {
    const TemporaryDirectory folder;
    const Rows rows;
    Store store(folder.path(), kLimit);
    rows.put(store);
    KernelRecord other = rows.kernel;
    other.fp = sha256("slower");
    REQUIRE(store.record_kernel(rows.toolchain, other).ok());
    sql(folder.path() + "/cache.db", "UPDATE selection SET kernel_id = (SELECT max(kernel_id) FROM kernel)");
    const Warnings warnings;
    CHECK_FALSE(rows.find(store));
}

TEST_CASE("a database of another program is left alone") {
    const TemporaryDirectory folder;
    const std::string db = folder.path() + "/cache.db";
    sql(db, "CREATE TABLE letters(text); INSERT INTO letters VALUES ('dear')");
    ::chmod(db.c_str(), 0600);
    const Warnings warnings;
    Store store(folder.path(), kLimit);
    const Rows rows;
    CHECK_FALSE(rows.find(store));
    CHECK(store.record_selection(rows.subject(), rows.toolchain, rows.kernel, rows.selection).code() ==
          Code::unsupported);
    REQUIRE(warnings.texts.size() == 1);
    CHECK(warnings.texts[0].find("another program") != std::string::npos);
    sql(db, "INSERT INTO letters VALUES ('still here')");
}

TEST_CASE("a database of a newer flashwave is left alone") {
    const TemporaryDirectory folder;
    const Rows rows;
    Store store(folder.path(), kLimit);
    rows.put(store);
    sql(folder.path() + "/cache.db", "PRAGMA user_version = 7");
    const Warnings warnings;
    CHECK_FALSE(rows.find(store));
    CHECK(store.record_kernel(rows.toolchain, rows.kernel).code() == Code::unsupported);
    REQUIRE(warnings.texts.size() == 1);
    CHECK(warnings.texts[0].find("newer flashwave") != std::string::npos);
    sql(folder.path() + "/cache.db", "PRAGMA user_version = 1");
    CHECK(rows.find(store));
}

TEST_CASE("a place that cannot be written costs one warning and nothing else") {
    const TemporaryDirectory folder;
    const Rows rows;
    SUBCASE("a folder stands where the database should be") {
        fs::create_directory(folder.path() + "/cache.db");
        const Warnings warnings;
        Store store(folder.path(), kLimit);
        CHECK_FALSE(rows.find(store));
        CHECK_FALSE(store.record_kernel(rows.toolchain, rows.kernel).ok());
        CHECK(warnings.texts.size() == 1);
    }
    SUBCASE("the folder cannot be made") {
        std::ofstream(folder.path() + "/file") << "x";
        const Warnings warnings;
        Store store(folder.path() + "/file/cache", kLimit);
        CHECK(store.directory().empty());
        CHECK_FALSE(rows.find(store));
        CHECK(store.record_kernel(rows.toolchain, rows.kernel).code() == Code::not_found);
        CHECK(warnings.texts.size() == 1);
    }
    SUBCASE("nothing is to be kept") {
        const Warnings warnings;
        Store store(":memory:", kLimit);
        CHECK_FALSE(rows.find(store));
        CHECK(store.record_kernel(rows.toolchain, rows.kernel).code() == Code::not_found);
        CHECK(warnings.texts.empty());
    }
}

TEST_CASE("a read-only folder is read by a user who may not write it") {
    if (::geteuid() != 0) return;  // the test becomes another user
    const TemporaryDirectory folder;
    const Rows rows;
    const uid_t nobody = 65534;
    {
        Store store(folder.path(), kLimit);
        rows.put(store);
    }
    for (const auto& entry : fs::directory_iterator(folder.path()))
        ::chown(entry.path().c_str(), nobody, nobody), ::chmod(entry.path().c_str(), 0400);
    ::chown(folder.path().c_str(), nobody, nobody);
    ::chmod(folder.path().c_str(), 0500);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setresuid(nobody, nobody, nobody) != 0) ::_exit(3);
        Store store(folder.path(), kLimit);
        const bool found = rows.find(store).has_value();
        const bool refused = !store.record_kernel(rows.toolchain, rows.kernel).ok();
        ::_exit(found && refused ? 0 : found ? 1 : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    ::chown(folder.path().c_str(), 0, 0);
    ::chmod(folder.path().c_str(), 0700);
}

TEST_CASE("processes that write together all succeed and nothing is lost") {
    const TemporaryDirectory folder;
    constexpr int kProcesses = 6, kEach = 10;
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        const pid_t child = ::fork();
        if (child == 0) {
            Store store(folder.path(), kLimit);
            Rows rows;
            bool good = true;
            for (int i = 0; i < kEach; ++i) {
                rows.kernel.fp = sha256(std::to_string(process * 1000 + i));
                rows.kernel.code = std::string(3000, static_cast<char>('a' + process)) + std::to_string(i);
                good = good && store.record_kernel(rows.toolchain, rows.kernel).ok() &&
                       store.find_kernel(rows.kernel.fp).has_value();
                good = good && store.record_selection(rows.subject(), rows.toolchain, rows.kernel, rows.selection).ok();
            }
            ::_exit(good ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    CHECK(one_value(folder.path(), "SELECT count(*) FROM kernel") == std::to_string(kProcesses * kEach));
    CHECK(one_value(folder.path(), "SELECT count(*) FROM selection") == "1");
    CHECK(one_value(folder.path(), "SELECT count(*) FROM toolchain") == "1");
}

TEST_CASE("measurements come back with their reasons") {
    const TemporaryDirectory folder;
    Store store(folder.path(), kLimit);
    Rows rows;
    const Measurement good{.outcome = Outcome::ok,
                           .detail = "",
                           .modelled = true,
                           .repetitions = 1,
                           .us_median = 5,
                           .us_p20 = 4,
                           .us_p80 = 6,
                           .max_error = 0.001,
                           .error_bound = 0.002};
    REQUIRE(store.record_measurement(rows.subject(), rows.toolchain, rows.kernel, good, {}).ok());
    KernelRecord broken = rows.kernel;
    broken.fp = sha256("broken");
    broken.code.clear();
    broken.geometry.waves = 2;
    REQUIRE(store
                .record_measurement(rows.subject(), rows.toolchain, broken,
                                    {.outcome = Outcome::compile_error, .detail = "forward.hip:3: no"}, {})
                .ok());
    auto found = store.find_measurements(rows.subject(), rows.toolchain);
    REQUIRE(found.size() == 2);
    if (found[0].kernel != rows.kernel.fp) std::swap(found[0], found[1]);
    CHECK(found[0].measurement.us_p80 == 6);
    CHECK(found[0].measurement.modelled);
    CHECK(found[1].measurement.outcome == Outcome::compile_error);
    CHECK(found[1].measurement.detail == "forward.hip:3: no");
    CHECK(found[1].geometry.waves == 2);
    CHECK(one_value(folder.path(), "SELECT waves FROM v_failures") == "2");

    KernelRecord slower = rows.kernel;
    slower.fp = sha256("slower");
    slower.entry = "slower";
    Measurement slow = good;
    slow.us_median = 6;
    REQUIRE(store.record_measurement(rows.subject(), rows.toolchain, slower, slow, {}).ok());
    rows.selection.us_median = 5;
    rows.put(store);
    CHECK(one_value(folder.path(), "SELECT detail FROM v_candidates WHERE place = 1 AND selected") == "fastest");
    CHECK(one_value(folder.path(), "SELECT detail FROM v_candidates WHERE place = 2") ==
          "20.0% slower than the winner");
    CHECK(one_value(folder.path(), "SELECT detail FROM v_candidates WHERE place = 3") == "forward.hip:3: no");
}

TEST_CASE("an attempt counts against a kernel only where the machine went down with it") {
    const TemporaryDirectory folder;
    Store store(folder.path(), kLimit);
    const Rows rows;
    const Attempt mine = store.begin_attempt(rows.kernel, rows.device, "validate");
    CHECK(mine.id != 0);
    CHECK(store.count_lost_attempts(rows.kernel.fp, rows.device) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        Store other(folder.path(), kLimit);
        (void)other.begin_attempt(rows.kernel, rows.device, "time");
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    // The child was stopped, as by Ctrl-C: that says nothing of the kernel, and its row goes with the next attempt.
    CHECK(store.count_lost_attempts(rows.kernel.fp, rows.device) == 0);
    CHECK(one_value(folder.path(), "SELECT count(*) FROM attempt") == "2");
    store.end_attempt(mine);
    const Attempt again = store.begin_attempt(rows.kernel, rows.device, "time");
    CHECK(one_value(folder.path(), "SELECT count(*) FROM attempt") == "1");

    sql(folder.path() + "/cache.db", "UPDATE attempt SET boot_id = 'before the crash'");
    CHECK(store.count_lost_attempts(rows.kernel.fp, rows.device) == 1);
    store.end_attempt(again);
    CHECK(store.count_lost_attempts(rows.kernel.fp, rows.device) == 0);
}

TEST_CASE("the least recently used code objects go when the limit is exceeded, rows stay") {
    const TemporaryDirectory folder;
    Store store(folder.path(), 10000);
    Rows rows;
    for (int i = 0; i < 4; ++i) {
        rows.kernel.fp = sha256(std::to_string(i));
        rows.kernel.code = std::string(3000, static_cast<char>('a' + i));
        REQUIRE(store.record_kernel(rows.toolchain, rows.kernel).ok());
        sql(folder.path() + "/cache.db", "UPDATE blob SET last_used = last_used - 10000");
    }
    CHECK_FALSE(store.find_kernel(sha256("0")));
    CHECK_FALSE(store.find_kernel(sha256("1")));
    CHECK(store.find_kernel(sha256("2")));
    CHECK(store.find_kernel(sha256("3")));
    CHECK(one_value(folder.path(), "SELECT count(*) FROM kernel") == "4");
}

TEST_CASE("the largest limit means none") {
    const TemporaryDirectory folder;
    Store store(folder.path(), ~std::uint64_t{0});
    Rows rows;
    for (int i = 0; i < 3; ++i) {
        rows.kernel.fp = sha256(std::to_string(i));
        rows.kernel.code = std::string(3000, static_cast<char>('a' + i));
        REQUIRE(store.record_kernel(rows.toolchain, rows.kernel).ok());
    }
    for (int i = 0; i < 3; ++i) CHECK(store.find_kernel(sha256(std::to_string(i))));
}

TEST_CASE("views have a column for every field of key and geometry") {
    const TemporaryDirectory folder;
    Store store(folder.path(), kLimit);
    Rows().put(store);
    const Result<Table> table = query(folder.path(), "SELECT * FROM v_selection");
    REQUIRE_MESSAGE(table.ok(), table.status().message());
    REQUIRE(table->rows.size() == 1);
    const auto has = [&](std::string_view name) {
        return std::find(table->columns.begin(), table->columns.end(), name) != table->columns.end();
    };
    for (const std::string_view name : field_names<ProblemKey>()) CHECK_MESSAGE(has(name), name);
    for (const std::string_view name : field_names<Candidate>()) CHECK_MESSAGE(has(name), name);
    for (const char* view :
         {"v_candidates", "v_refusals", "v_failures", "v_attempts", "v_toolchains", "v_devices", "v_size"})
        CHECK_MESSAGE(query(folder.path(), std::string("SELECT * FROM ") + view).ok(), view);
}

TEST_CASE("queries read and nothing else") {
    const TemporaryDirectory folder;
    Store store(folder.path(), kLimit);
    const Rows rows;
    rows.put(store);
    CHECK(one_value(folder.path(), "SELECT head_dim FROM v_selection") == "128");
    for (const char* statement :
         {"DELETE FROM kernel", "DROP VIEW v_size", "PRAGMA user_version = 3", "ATTACH '/tmp/x' AS x", "BEGIN",
          "VACUUM", "SELECT 1; DELETE FROM kernel", "SELEKT 1", "SELECT nothing FROM v_size", ""}) {
        CAPTURE(statement);
        CHECK(query(folder.path(), statement).status().code() == Code::invalid_argument);
    }
    const Result<Table> bound =
        query(folder.path(), "SELECT count(*) FROM kernel WHERE entry = ?1", {"fwd' OR '1'='1"});
    REQUIRE(bound.ok());
    CHECK(bound->rows[0][0].text == "0");
    CHECK(rows.find(store));
    CHECK(query(folder.path() + "/nowhere", "SELECT 1").status().code() == Code::not_found);
}

TEST_CASE("a user's open read transaction delays a record and does not break it") {
    const TemporaryDirectory folder;
    const Rows rows;
    Store store(folder.path(), kLimit);
    rows.put(store);
    sqlite3* tool = nullptr;
    REQUIRE(sqlite3_open((folder.path() + "/cache.db").c_str(), &tool) == SQLITE_OK);
    REQUIRE(sqlite3_exec(tool, "BEGIN; SELECT * FROM kernel", nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(rows.find(store));
    sqlite3_exec(tool, "COMMIT", nullptr, nullptr, nullptr);
    CHECK(store.record_kernel(rows.toolchain, rows.kernel).ok());
    sqlite3_close(tool);
}
