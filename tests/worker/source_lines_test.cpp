// From an address of a code object to the line of its source.
#include "worker/source_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "worker/compiler.hpp"

using namespace flashwave;

TEST_CASE("what the symbolizer says becomes file and line, innermost function first") {
    CHECK_EQ(source_line_of("store at /tmp/comgr-8515fb/input/k.hip:5:13\n\n"), "k.hip:5");
    CHECK_EQ(source_line_of("put(float*, int) at /tmp/comgr-8515fb/input/k.hip:2:10\n (inlined by) store at "
                            "/tmp/comgr-8515fb/input/k.hip:7:9\n\n"),
             "k.hip:2, inlined into k.hip:7");
    CHECK_EQ(source_line_of("f at /tmp/comgr-1/include/tile/mma.h:40:1 (approximate)\n"), "tile/mma.h:40");
    CHECK_EQ(source_line_of("f at /home/user/at work/k.cpp:12:0"), "/home/user/at work/k.cpp:12");
    CHECK_EQ(source_line_of("store at ??:0:0\n\n"), "");
    CHECK_EQ(source_line_of("store at /tmp/comgr-1/input/k.hip:0:0\n"), "");  // code of the compiler's own
    CHECK_EQ(source_line_of("?? at ??:0:0"), "");
    CHECK_EQ(source_line_of("nonsense"), "");
    CHECK_EQ(source_line_of(""), "");
}

TEST_CASE("the worker names the lines of an object with debug information, and none of one without") {
    const auto launch = compiler_here();
    if (!launch) return;
    auto channel = WorkerChannel::start(*launch);
    REQUIRE_MESSAGE(channel.ok(), channel.status().to_string());
    CompileJob job = small_job();
    for (const bool debug : {true, false}) {
        CAPTURE(debug);
        if (debug) job.options.emplace_back("-g");
        else job.options.pop_back();
        const auto object = (*channel)->compile(job, soon());
        REQUIRE_MESSAGE(object.ok(), object.status().to_string());
        const auto listing = (*channel)->list(object->code, "gfx1100", soon());
        REQUIRE_MESSAGE(listing.ok(), listing.status().to_string());
        // The address that the listing gives the multiplication, which stands in the included file.
        const std::size_t at = listing->find("// ", listing->find("v_mul_f32"));
        REQUIRE_NE(at, std::string::npos);
        const std::uint64_t address = std::stoull(listing->substr(at + 3, 12), nullptr, 16);
        const auto lines = (*channel)->source_lines(object->code, {address, 0}, soon());
        REQUIRE_MESSAGE(lines.ok(), lines.status().to_string());
        CHECK_EQ((*lines)[0], debug ? "part/square.h:1, inlined into small.hip:5" : "");
        CHECK_EQ((*lines)[1], "");
    }
}

TEST_CASE("a request for lines of something that is no code object is an error in words, and the worker lives on") {
    const auto launch = compiler_here();
    if (!launch) return;
    auto channel = WorkerChannel::start(*launch);
    REQUIRE_MESSAGE(channel.ok(), channel.status().to_string());
    CHECK_FALSE((*channel)->source_lines("no object", {0}, soon()).ok());
    CHECK_EQ((*channel)->request({"lines", "object", "12x"}, soon()).status().code(), Code::invalid_argument);
    CHECK((*channel)->compile(small_job(), soon()).ok());
}
