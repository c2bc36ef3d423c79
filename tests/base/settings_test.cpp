#include "base/settings.hpp"

#include <doctest/doctest.h>

#include <map>

namespace {

using namespace flashwave;

Settings from(const std::map<std::string, std::string>& variables, bool secure = false) {
    return read_settings(
        [&](const char* variable) -> const char* {
            const auto found = variables.find(variable);
            return found == variables.end() ? nullptr : found->second.c_str();
        },
        secure);
}

TEST_CASE("the cache lies where XDG and HOME say") {
    CHECK(from({{"HOME", "/home/u"}}).cache_directory == "/home/u/.cache/flashwave");
    CHECK(from({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "/c"}}).cache_directory == "/c/flashwave");
    CHECK(from({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "relative"}}).cache_directory == "/home/u/.cache/flashwave");
    CHECK(from({{"HOME", "/home/u"}, {"FLASHWAVE_CACHE_DIR", "/d"}}).cache_directory == "/d");
    CHECK(from({{"FLASHWAVE_CACHE_DIR", ":memory:"}}).cache_directory == ":memory:");
}

TEST_CASE("without a usable home nothing is kept, and never in /tmp") {
    CHECK(from({}).cache_directory.empty());
    CHECK(from({{"HOME", "/"}}).cache_directory.empty());
    CHECK(from({{"HOME", "here"}}).cache_directory.empty());
}

TEST_CASE("values that are not understood are ignored with a sentence") {
    const Settings wrong = from({{"FLASHWAVE_LOG", "loud"}, {"FLASHWAVE_WORKERS", "0"}});
    CHECK(wrong.log_level == LogLevel::warn);
    CHECK(wrong.workers == 0);
    REQUIRE(wrong.warnings.size() == 2);
    CHECK(wrong.warnings[0] == "FLASHWAVE_LOG=loud is ignored: use debug, info, warn, error or off.");
    CHECK(wrong.warnings[1] == "FLASHWAVE_WORKERS=0 is ignored: use a number from 1 to 64.");
    for (const char* value : {"65", "-1", "2x", "x", " 2"}) {
        CAPTURE(value);
        CHECK(from({{"FLASHWAVE_WORKERS", value}}).warnings.size() == 1);
    }
}

TEST_CASE("every variable reaches its setting") {
    const Settings all = from({{"FLASHWAVE_LIBEXEC", "/l"},
                               {"FLASHWAVE_ROCM", "/r"},
                               {"FLASHWAVE_HIP_LIBRARY", "h"},
                               {"FLASHWAVE_DEVICE", "hip:0"},
                               {"FLASHWAVE_LOG", "debug"},
                               {"FLASHWAVE_TUNE", "off"},
                               {"FLASHWAVE_WORKERS", "3"},
                               {"HOME", "/home/u"},
                               {"FLASHWAVE_TUNE_BUDGET", "7"},
                               {"FLASHWAVE_CACHE_LIMIT", "64"},
                               {"TMPDIR", "/scratch"}});
    CHECK(all.libexec_directory == "/l");
    CHECK(all.rocm == "/r");
    CHECK(all.hip_library == "h");
    CHECK(all.device == "hip:0");
    CHECK(all.log_level == LogLevel::debug);
    CHECK(all.tune == "off");
    CHECK(all.workers == 3);
    CHECK(all.tune_budget_seconds == 7);
    CHECK(all.cache_limit_mib == 64);
    CHECK(all.temporary_directory == "/scratch");
    CHECK(all.home == "/home/u");
    CHECK(all.warnings.empty());
}

TEST_CASE("compilers put their files into /tmp unless TMPDIR is a usable path") {
    CHECK(from({}).temporary_directory == "/tmp");
    CHECK(from({{"TMPDIR", "relative"}}).temporary_directory == "/tmp");
}

TEST_CASE("a privileged process takes nothing from the environment") {
    const Settings secure =
        from({{"HOME", "/home/u"}, {"FLASHWAVE_ROCM", "/evil"}, {"FLASHWAVE_CACHE_DIR", "/evil"}}, true);
    CHECK(secure.secure);
    CHECK(secure.rocm.empty());
    CHECK(secure.cache_directory.empty());
}

}  // namespace
