// HIPEMU_TRACE, as a user meets it.
#include "program.hpp"

#include <algorithm>

namespace hipemu::command::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::size_t count(const std::vector<std::string>& lines, std::string_view part) {
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return contains(line, part); }));
}

}  // namespace

TEST_CASE("a trace has every instruction of every wave, with the registers it changed") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch());
    const Run run = run_hipemu({"run", launch, "--json"}, {"HIPEMU_TRACE=" + folder.path("trace.txt")});
    CHECK(run.exit_code == 0);
    const auto lines = lines_of(folder.read("trace.txt"));
    CHECK(count(lines, "kernel saxpy, group ") == 4);
    CHECK(count(lines, " s_endpgm") == 32);           // 4 work-groups of 8 waves
    CHECK(count(lines, " s_waitcnt ") >= 32);         // waits are instructions, too
    CHECK(count(lines, "v_fmac_f32") == 32);
    for (const std::string& line : lines)
        if (contains(line, "v_fmac_f32")) CHECK_MESSAGE(contains(line, " ; v"), line, " shows no changed register");
}

TEST_CASE("a trace can be of one kernel, work-group and wave, and ends where it is told to") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch());
    const auto traced = [&](const std::string& filter) {
        CHECK(run_hipemu({"run", launch, "--json"}, {"HIPEMU_TRACE=" + folder.path("trace.txt") + filter}).exit_code == 0);
        return lines_of(folder.read("trace.txt"));
    };
    const auto one = traced(":kernel=saxpy:group=3:wave=7");
    CHECK(count(one, "group 3 (3,0,0)") == 1);
    CHECK(count(one, "s_endpgm") == 1);
    CHECK(one.back().starts_with("7 +0x"));
    // The last wave has work-items 992 to 1023, of which 8 have work.
    CHECK(count(one, " 000000ff v_fmac_f32") == 1);
    CHECK(traced(":kernel=other").size() == 1);
    const auto cut = traced(":max=10");
    CHECK(cut.size() == 12);
    CHECK(cut.back() == "# cut: more than 10 lines");
}

TEST_CASE("a finding ends its wave's trace") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch("", "", 1024));
    CHECK(run_hipemu({"run", launch}, {"HIPEMU_TRACE=" + folder.path("trace.txt") + ":group=3"}).exit_code == 1);
    const auto lines = lines_of(folder.read("trace.txt"));
    REQUIRE_FALSE(lines.empty());
    CHECK(contains(lines.back(), "STOPPED: "));
    CHECK(contains(lines.back(), "past the end of"));
}

TEST_CASE("an order that is not understood is said once, and the program runs on") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch());
    for (const std::string order : {"trace.txt:group=x", "trace.txt:wave", "trace.txt:speed=9", "/no/such/folder/trace.txt"}) {
        CAPTURE(order);
        const Run run = run_hipemu({"run", launch, "--json"}, {"HIPEMU_TRACE=" + (order.starts_with("/no") ? order : folder.path("") + order)});
        CHECK(run.exit_code == 0);
        CHECK(contains(run.err, "HIPEMU_TRACE"));
        CHECK(contains(run.err, "nothing is traced"));
    }
}

}  // namespace hipemu::command::test
