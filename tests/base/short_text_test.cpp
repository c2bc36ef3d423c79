#include "base/short_text.hpp"

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using namespace flashwave;

static_assert(std::is_trivially_copyable_v<ShortText<23>>);
static_assert(sizeof(ShortText<23>) == 24);

TEST_CASE("text up to the capacity is held, longer text is refused and changes nothing") {
    ShortText<4> text = "ab";
    CHECK(text.view() == "ab");
    CHECK(text.assign("abcd"));
    CHECK_FALSE(text.assign("abcde"));
    CHECK(text.view() == "abcd");
    CHECK(text.assign(""));
    CHECK(text.empty());
}

TEST_CASE("equality ignores what was held before, order is that of the text") {
    ShortText<4> left = "abcd";
    REQUIRE(left.assign("a"));
    CHECK(left == ShortText<4>("a"));
    CHECK((ShortText<4>("a") <=> ShortText<4>("ab")) < 0);
    CHECK((ShortText<4>("b") <=> ShortText<4>("ab")) > 0);
}

}  // namespace
