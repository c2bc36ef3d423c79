// The text of HIPEMU_FAULTS: what it means, and what is said of one that means nothing.
#include "emulator/runtime/injection.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace hipemu;

namespace {

bool is_call(std::string_view name) { return name == "hipMalloc" || name == "hipModuleLoadData"; }

std::string complaint(std::string_view text) {
    const auto parsed = parse_injection(text, is_call);
    return parsed.ok() ? "" : parsed.status().message();
}

}  // namespace

TEST_CASE("every clause is understood") {
    const auto parsed = parse_injection(
        "fail:hipMalloc:3:hipErrorOutOfMemory; delay:hipModuleLoadData:2+:500ms;oom:1.5GiB;hang:fwd;hang:bwd*:2:block;"
        "kill:hipMalloc:2;kill:after-copy:*;flip:fwd*:1:seed=7;flip:fwd:*:buffer=1,byte=17,bit=3;noise:5%:seed=9;drift:200ppm;",
        is_call);
    REQUIRE_MESSAGE(parsed.ok(), parsed.status().message());
    REQUIRE_EQ(parsed->fails.size(), 1);
    CHECK_EQ(parsed->fails[0].call, "hipMalloc");
    CHECK_EQ(parsed->fails[0].error, hipErrorOutOfMemory);
    CHECK_FALSE(parsed->fails[0].which.include(2));
    CHECK(parsed->fails[0].which.include(3));
    CHECK_FALSE(parsed->fails[0].which.include(4));
    REQUIRE_EQ(parsed->delays.size(), 1);
    CHECK_EQ(parsed->delays[0].time, std::chrono::milliseconds(500));
    CHECK_FALSE(parsed->delays[0].which.include(1));
    CHECK(parsed->delays[0].which.include(5));
    CHECK_EQ(parsed->memory_limit, std::uint64_t{3} << 29);
    REQUIRE_EQ(parsed->hangs.size(), 2);
    CHECK_FALSE(parsed->hangs[0].blocks);
    CHECK(parsed->hangs[0].which.include(1));
    CHECK(parsed->hangs[0].which.include(9));
    CHECK(parsed->hangs[1].blocks);
    REQUIRE_EQ(parsed->kills.size(), 2);
    CHECK_EQ(parsed->kills[1].point, "after-copy");
    REQUIRE_EQ(parsed->flips.size(), 2);
    CHECK(parsed->flips[0].random);
    CHECK_EQ(parsed->flips[0].seed, 7);
    CHECK_FALSE(parsed->flips[1].random);
    CHECK_EQ(parsed->flips[1].byte, 17);
    CHECK_EQ(parsed->flips[1].bit, 3);
    CHECK_EQ(parsed->noise, doctest::Approx(0.05));
    CHECK_EQ(parsed->noise_seed, 9);
    CHECK_EQ(parsed->drift_per_second, doctest::Approx(2e-4));
    CHECK_FALSE(parsed->exact_clock());
}

TEST_CASE("nothing is injected by an empty text") {
    for (const char* text : {"", " ", ";;"}) {
        const auto parsed = parse_injection(text, is_call);
        REQUIRE(parsed.ok());
        CHECK(parsed->exact_clock());
        CHECK(parsed->fails.empty());
        CHECK_FALSE(parsed->memory_limit.has_value());
    }
}

TEST_CASE("what means nothing is refused with its clause and what is wrong with it") {
    CHECK_EQ(complaint("oom:1GiB;fial:hipMalloc:1:hipErrorUnknown"),
             "faults: \"fial:hipMalloc:1:hipErrorUnknown\": it begins with none of fail, delay, oom, hang, kill, flip, noise, drift");
    for (const auto& [faults, part] : {
             std::pair{"fail:hipMalloc:1", "fail:CALL:WHICH:ERROR"},
             {"fail:hipMaloc:1:hipErrorUnknown", "\"hipMaloc\" is no HIP call"},
             {"fail:hipMalloc:0:hipErrorUnknown", "counted from 1"},
             {"fail:hipMalloc:-1:hipErrorUnknown", "none of N, N+ and *"},
             {"fail:hipMalloc:1:hipErrorSomething", "\"hipErrorSomething\" is no error"},
             {"fail:hipMalloc:1:hipSuccess", "is no error"},
             {"delay:hipMalloc:1:5", "\"5\" is no time"},
             {"delay:hipMalloc:1:-5s", "is no time"},
             {"oom:much", "\"much\" is no number of bytes"},
             {"oom:1TB", "is no number of bytes"},
             {"hang:", "hang:KERNEL"},
             {"hang:fwd:1:forever", "not \"block\""},
             {"kill:lunch:1", "none of launch"},
             {"kill:launch", "kill:POINT:WHICH"},
             {"flip:fwd:1:bit=8,byte=0,buffer=0", "bit=0..7"},
             {"flip:fwd:1:byte=0", "belong together"},
             {"flip:fwd:1:seed=x", "is no seed"},
             {"noise:5", "is no share"},
             {"noise:100%", "is no share below 100%"},
             {"noise:5%:7", "is not seed=N"},
             {"drift:fast", "is no share"},
             {"drift:1e300%", "is no share"},
         }) {
        const std::string said = complaint(faults);
        CHECK_MESSAGE(said.find(part) != std::string::npos, said);
    }
}

TEST_CASE("a star at the end of a kernel's name stands for all that begin so") {
    CHECK(matches("fwd*", "fwd_d128"));
    CHECK(matches("*", "anything"));
    CHECK(matches("fwd", "fwd"));
    CHECK_FALSE(matches("fwd", "fwd_d128"));
    CHECK_FALSE(matches("fwd*", "bwd"));
}
