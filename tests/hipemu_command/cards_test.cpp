// `hipemu cards`.
#include "program.hpp"

namespace hipemu::command::test {

TEST_CASE("the cards are listed, and of one every constant with unit and source") {
    const Run table = run_hipemu({"cards"});
    CHECK(table.exit_code == 0);
    for (const std::string card : {"rx7900xtx", "strixhalo", "gfx1151"})
        CHECK_MESSAGE(contains(table.out, card), card, " is missing in\n", table.out);
    const auto cards = run_hipemu({"cards", "--json"}).json();
    REQUIRE(cards.is_array());
    for (const auto& card : cards)
        for (const auto& constant : card["constants"].items())
            CHECK_MESSAGE(!constant.value()["source"].get<std::string>().empty(), constant.key(), " of ",
                          card["name"].get<std::string>(), " has no source");
    const auto one = run_hipemu({"cards", "gfx1100", "--json"}).json();
    CHECK(one["name"] == "rx7900xtx");
    CHECK(one["constants"]["wmma_cycles"]["value"].get<double>() > 0);
    CHECK(contains(run_hipemu({"cards", "rx7900xtx"}).out, "wmma_cycles"));
}

TEST_CASE("a constant that a file overrides is shown with its new value and source, and changes the table's hash") {
    const LaunchFolder folder;
    const std::string file = folder.write("timing.json", R"({"rx7900xtx": {"wmma_cycles": 32}})");
    const auto before = run_hipemu({"cards", "rx7900xtx", "--json"}).json();
    const auto after = run_hipemu({"cards", "rx7900xtx", "--json"}, {"HIPEMU_TIMING=" + file}).json();
    CHECK(before["constants"]["wmma_cycles"]["value"] != 32);
    CHECK(after["constants"]["wmma_cycles"]["value"] == 32);
    CHECK(after["constants"]["wmma_cycles"]["source"] != before["constants"]["wmma_cycles"]["source"]);
    CHECK(after["timing_table_hash"] != before["timing_table_hash"]);
    const Run damaged = run_hipemu({"cards"}, {"HIPEMU_TIMING=" + folder.write("timing.json", "{")});
    CHECK(damaged.exit_code == 2);
    CHECK(contains(damaged.err, "HIPEMU_TIMING"));
}

TEST_CASE("a card that nobody models is refused with the names of those there are") {
    const Run run = run_hipemu({"cards", "rx9999"});
    CHECK(run.exit_code == 2);
    CHECK(contains(run.err, "rx7900xtx"));
}

}  // namespace hipemu::command::test
