// Work-groups over the chip: who shares a WGP, and when the last one ends. Which groups are timed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "emulator/timing/chip.hpp"
#include "emulator/timing/timing.hpp"

using namespace hipemu;

namespace {

double cycles(std::uint64_t groups, std::uint32_t resident, const WgpSpeed& speed) {
    return place_groups(groups, [](std::uint64_t) { return 1.0; }, 48, resident, speed).cycles;
}

}  // namespace

TEST_CASE("one work-group takes what it takes alone, and so do as many as there are WGPs") {
    const WgpSpeed speed{.alone = 1000, .throughput = 400};
    CHECK(cycles(1, 4, speed) == 1000);
    CHECK(cycles(48, 4, speed) == 1000);
    CHECK(cycles(96, 4, speed) == 1000);                          // two hide each other's latency
    CHECK(cycles(192, 4, speed) == doctest::Approx(4 * 400));     // four share the WGP
}

TEST_CASE("groups beyond those that fit are spread over the WGPs that become free") {
    const WgpSpeed speed{.alone = 1000, .throughput = 400};
    CHECK(cycles(192 + 48, 4, speed) == doctest::Approx(4 * 400 + 1000));
    CHECK(cycles(192 + 1, 4, speed) == doctest::Approx(4 * 400 + 1000));
    CHECK(cycles(192 * 10, 4, speed) == doctest::Approx(40 * 400));
}

TEST_CASE("a heavy group that comes last is the tail of the launch, at the front it is hidden") {
    const WgpSpeed speed{.alone = 100, .throughput = 100};
    const auto with_heavy = [&](std::uint64_t heavy) {
        return place_groups(480, [heavy](std::uint64_t i) { return i == heavy ? 8.0 : 1.0; }, 48, 1, speed).cycles;
    };
    CHECK(with_heavy(479) == doctest::Approx(900 + 800));
    CHECK(with_heavy(0) <= 1100);
}

TEST_CASE("very many groups are placed in time, with the same result") {
    const WgpSpeed speed{.alone = 100, .throughput = 50};
    CHECK(cycles(480'000'000, 2, speed) == doctest::Approx(480e6 / 48 * 50).epsilon(0.001));
}

TEST_CASE("timed groups are spread over the grid, the first and the last among them, and as many as a sample says") {
    const Chip& chip = *find_chip("rx7900xtx");
    const Footprint footprint{.vgprs = 200, .waves = 8};
    for (const std::uint64_t total : {1ull, 2ull, 47ull, 1000ull, 123456ull}) {
        for (const std::uint64_t sample : {0ull, 1ull, 2ull, 40ull}) {
            CAPTURE(total);
            CAPTURE(sample);
            const auto groups = groups_to_time(chip, footprint, total, sample);
            REQUIRE_FALSE(groups.empty());
            if (sample != 0) CHECK(groups.size() == std::min(total, sample));
            CHECK(groups.size() <= std::max<std::uint64_t>(sample, 64));
            CHECK(groups.front() == (groups.size() == 1 ? total / 2 : 0));
            if (groups.size() > 1) CHECK(groups.back() == total - 1);
            CHECK(std::adjacent_find(groups.begin(), groups.end(), std::greater_equal<>()) == groups.end());
        }
    }
}
