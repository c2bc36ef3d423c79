// `flashwave warm` and `flashwave inspect` on a cache of their own.
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "program.hpp"

namespace flashwave::cli::test {
namespace {

std::string cache_bytes(const TemporaryDirectory& cache) {
    std::ifstream file(cache / "cache.db", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Arguments warm(const std::string& file) { return {"warm", file, "--device", "emulated:gfx1100", "--json"}; }

std::size_t selections(const TemporaryDirectory& cache) {
    const Run run = run_flashwave(cache.path(), {"inspect", "selections", "--json"});
    return run.exit_code == 0 ? run.json().size() : 0;
}

const char* const kSmall = R"({"heads": 1, "seq_q": 16, "dim": 64})";
const char* const kOther = R"({"heads": 1, "seq_q": 32, "dim": 64, "causal": "top_left", "dtype": "bf16"})";

}  // namespace

TEST_CASE("warm goes on where it was killed") {
    const TemporaryDirectory cache;
    std::ofstream(cache / "problems.jsonl") << kSmall << "\n" << kOther << "\n";
    {
        auto process = Process::spawn(flashwave_process(cache.path(), warm(cache / "problems.jsonl")));
        REQUIRE(process.ok());
        const Deadline deadline = deadline_after(std::chrono::minutes(5));
        while (selections(cache) == 0 && !expired(deadline)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        process->kill();
    }
    REQUIRE(selections(cache) >= 1);
    const Run run = run_flashwave(cache.path(), warm(cache / "problems.jsonl"));
    CHECK_MESSAGE(run.exit_code == 0, run.err);
    const auto report = run.json();
    REQUIRE(report.at("problems").size() == 2);
    CHECK(report.at("problems").at(0).at("state") == "stored");
    CHECK(report.at("problems").at(0).at("compiles") == 0);
    CHECK(report.at("failed") == 0);
    CHECK(selections(cache) == 2);

    const Run again =
        run_flashwave(cache.path(), warm("-"), std::string(kSmall) + "\n" + kOther + "\n" + kSmall + "\n");
    CHECK(again.json().at("stored") == 3);
    CHECK(again.json().at("tuned") == 0);
}

TEST_CASE("what was tuned can be looked at") {
    const TemporaryDirectory cache;
    const Run warmed = run_flashwave(cache.path(), warm("-"), kSmall);
    REQUIRE_MESSAGE(warmed.exit_code == 0, warmed.err);
    const std::string key = warmed.json().at("problems").at(0).at("key");

    const auto selected = run_flashwave(cache.path(), {"inspect", "selections", "--json"}).json();
    REQUIRE(selected.size() == 1);
    CHECK(selected[0].at("time") == "modelled");
    const std::string number = selected[0].at("problem").dump();

    const Run by_number = run_flashwave(cache.path(), {"inspect", "candidates", number, "--json"});
    CHECK(by_number.json().size() >= 8);
    CHECK(by_number.out == run_flashwave(cache.path(), {"inspect", "candidates", key, "--json"}).out);
    int winners = 0;
    for (const auto& row : by_number.json()) winners += row.at("chosen") == "winner" ? 1 : 0;
    CHECK(winners == 1);
    CHECK(contains(run_flashwave(cache.path(), {"inspect", "candidates", number}).out, "winner"));
    CHECK(run_flashwave(cache.path(), {"inspect", "candidates", "4711"}).exit_code == 2);
    CHECK(run_flashwave(cache.path(), {"inspect", "failures", "--json"}).json().empty());
    const auto refusals = run_flashwave(cache.path(), {"inspect", "refusals", number, "--json"}).json();
    REQUIRE_FALSE(refusals.empty());
    for (const auto& row : refusals) CHECK_FALSE(row.at("why").get<std::string>().empty());

    const Run counted = run_flashwave(
        cache.path(),
        {"inspect", "sql", "SELECT count(*) AS n, 1.5 AS x, NULL AS missing FROM v_candidates", "--json"});
    CHECK(counted.json()[0].at("n") == by_number.json().size());
    CHECK(counted.json()[0].at("x") == 1.5);
    CHECK(counted.json()[0].at("missing").is_null());
}

TEST_CASE("inspect sql refuses whatever would write, and more than one statement") {
    const TemporaryDirectory cache;
    REQUIRE(run_flashwave(cache.path(), warm("-"), kSmall).exit_code == 0);
    const std::string before = cache_bytes(cache);
    REQUIRE_FALSE(before.empty());
    for (const char* sql :
         {"DELETE FROM selection", "DROP TABLE selection", "UPDATE problem SET key = ''", "CREATE TABLE mine(x)",
          "INSERT INTO meta VALUES('a', 'b')", "PRAGMA user_version = 7", "PRAGMA journal_mode = WAL", "VACUUM",
          "ATTACH 'other.db' AS other", "SELECT 1; DELETE FROM selection", "SELEC 1", "", "SELECT * FROM nothing"}) {
        CAPTURE(sql);
        const Run run = run_flashwave(cache.path(), {"inspect", "sql", sql});
        CHECK(run.exit_code == 2);
        CHECK_FALSE(run.err.empty());
        CHECK(run.out.empty());
    }
    CHECK(cache_bytes(cache) == before);
}

}  // namespace flashwave::cli::test
