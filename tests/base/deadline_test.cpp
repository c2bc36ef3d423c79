#include "base/deadline.hpp"

#include <doctest/doctest.h>

namespace {

using namespace flashwave;
using namespace std::chrono_literals;

TEST_CASE("a deadline passes, no deadline never does") {
    CHECK(expired(deadline_after(-1ms)));
    CHECK_FALSE(expired(deadline_after(1h)));
    CHECK_FALSE(expired(kNoDeadline));
}

TEST_CASE("a duration beyond the clock's end means no deadline") {
    CHECK(deadline_after(std::chrono::milliseconds::max()) == kNoDeadline);
    CHECK_FALSE(expired(deadline_after(24h * 36500)));
}

TEST_CASE("poll waits no shorter than the rest, and not at all after it") {
    CHECK(poll_timeout(kNoDeadline) == -1);
    CHECK(poll_timeout(deadline_after(-5s)) == 0);
    const int rest = poll_timeout(deadline_after(1500ms));
    CHECK(rest > 1000);
    CHECK(rest <= 1500);
    CHECK(poll_timeout(deadline_after(1000h)) == 3'600'000);
}

}  // namespace
