#include "base/worker_protocol.hpp"

#include <doctest/doctest.h>

#include <random>

namespace {

using namespace flashwave;

TEST_CASE("lists of fields come back, whatever bytes they hold") {
    for (const Fields& fields : {Fields{}, Fields{""}, Fields{"a", std::string("\0\n", 2), std::string(70'000, 'x')}})
        CHECK(*unpack_fields(pack_fields(fields)) == fields);
}

TEST_CASE("cut or lengthened lists are corrupt") {
    const std::string bytes = pack_fields({"one", "two", "three"});
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK(unpack_fields(bytes.substr(0, size)).status().code() == Code::corrupt);
    CHECK(unpack_fields(bytes + "x").status().code() == Code::corrupt);
    CHECK(unpack_fields(std::string("\xff\xff\xff\xff", 4)).status().code() == Code::corrupt);
}

TEST_CASE("a compile job comes back") {
    const CompileJob job{.target = "gfx1100",
                         .main_file = "a.hip",
                         .files = {{"a.hip", "text"}, {"b.h", ""}},
                         .options = {"-O3", "-DX=1"}};
    const auto back = decode_compile_job(*unpack_fields(pack_fields(encode(job))));
    REQUIRE(back.ok());
    CHECK(back->target == job.target);
    CHECK(back->main_file == job.main_file);
    CHECK(back->files == job.files);
    CHECK(back->options == job.options);
}

TEST_CASE("an identity comes back") {
    const WorkerIdentity identity{.protocol = "1",
                                  .compiler = "clang",
                                  .comgr_version = "3.0",
                                  .hiprtc_version = "9.0",
                                  .libraries = {{"n", "p", "b"}, {"m", "q", ""}}};
    const auto back = decode_identity(encode(identity));
    REQUIRE(back.ok());
    CHECK(back->compiler == "clang");
    REQUIRE(back->libraries.size() == 2);
    CHECK(back->libraries[1].path == "q");
}

TEST_CASE("requests with fields missing, added or false counts are corrupt") {
    const Fields fields =
        encode(CompileJob{.target = "t", .main_file = "m", .files = {{"m", "x"}}, .options = {"-O3"}});
    for (std::size_t size = 1; size < fields.size(); ++size)
        CHECK_FALSE(decode_compile_job(Fields(fields.begin(), fields.begin() + static_cast<long>(size))).ok());
    Fields longer = fields;
    longer.emplace_back("more");
    CHECK_FALSE(decode_compile_job(longer).ok());
    for (const char* count : {"", "-1", "x", "99", "99999999999999999999999", "2"}) {
        Fields wrong = fields;
        wrong[3] = count;
        CAPTURE(count);
        CHECK(decode_compile_job(wrong).status().code() == Code::corrupt);
    }
}

TEST_CASE("outcomes keep code and message") {
    CHECK(decode_outcome({"ok", "x"}).ok());
    const Status status = decode_outcome(encode_error(Status(Code::compile_error, "a:1: b")));
    CHECK(status.code() == Code::compile_error);
    CHECK(status.message() == "a:1: b");
    CHECK(decode_outcome({}).code() == Code::corrupt);
    CHECK(decode_outcome({"error", "no_such_code", "x"}).code() == Code::corrupt);
    CHECK(decode_outcome({"error", "ok", "x"}).code() == Code::corrupt);
    CHECK(decode_outcome({"maybe"}).code() == Code::corrupt);
}

}  // namespace
