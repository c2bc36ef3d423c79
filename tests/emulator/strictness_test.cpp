// The text of HIPEMU_STRICT: what it switches on and off, and what is said of one that means nothing.
#include "emulator/settings/strictness.hpp"

#include <doctest/doctest.h>

using namespace hipemu;

namespace {

Strictness parsed(std::string_view text) {
    const auto result = parse_strictness(text);
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    return *result;
}

std::string complaint(std::string_view text) {
    const auto result = parse_strictness(text);
    REQUIRE_FALSE(result.ok());
    return result.status().message();
}

}  // namespace

TEST_CASE("all, none and lists of checks") {
    CHECK(parsed("all") == Strictness{});
    CHECK(parsed("1") == Strictness{});
    CHECK(parsed("none") == Strictness::none());
    CHECK(parsed("0") == Strictness::none());

    Strictness two = Strictness::none();
    two.waits = two.lds_races = true;
    CHECK(parsed("waits,lds_races") == two);
    CHECK(parsed("lds_races,waits") == two);

    Strictness others;
    others.misaligned = others.barriers = false;
    CHECK(parsed("-misaligned,-barriers") == others);
    others.barriers = true;
    CHECK(parsed("-misaligned,-barriers,barriers") == others);
}

TEST_CASE("every check has a name, and the list reads back") {
    for (const char* name : {"undefined", "waits", "lds_races", "global_races", "misaligned", "wmma", "hazards", "barriers"}) {
        const Strictness one = parsed(name);
        CHECK(to_string(one) == name);
        CHECK_FALSE(one == Strictness::none());
        const Strictness rest = parsed(std::string("-") + name);
        CHECK_FALSE(rest == Strictness{});
        CHECK(parsed(to_string(rest)) == rest);
    }
    CHECK(to_string(Strictness{}) == "all");
    CHECK(to_string(Strictness::none()) == "none");
}

TEST_CASE("a name that is no check is named, with those that are") {
    CHECK(complaint("waits,hazard").find("`hazard` is no check of the emulator; write all, none, or a list of undefined, waits,") == 0);
    CHECK(complaint("-all").find("`all` is no check") == 0);
    CHECK(complaint("waits,,wmma").find("`` is no check") == 0);
}
