// `hipemu list` and `hipemu disassemble`.
#include "program.hpp"

#include "base/worker_channel.hpp"

namespace hipemu::command::test {
namespace {

std::string compiled(const std::string& source, const std::vector<std::string>& options) {
    const auto launch = flashwave::find_worker();
    REQUIRE_MESSAGE(launch.ok(), launch.status().to_string());
    const auto channel = flashwave::WorkerChannel::start(*launch);
    REQUIRE_MESSAGE(channel.ok(), channel.status().to_string());
    auto object =
        (*channel)->compile({.target = "gfx1100", .main_file = "k.hip", .files = {{"k.hip", source}}, .options = options},
                            flashwave::deadline_after(std::chrono::minutes(1)));
    REQUIRE_MESSAGE(object.ok(), object.status().to_string());
    return std::move(object->code);
}

constexpr const char* kTwo =
    "extern \"C\" __global__ void first(float* out, int n) { __shared__ float kept[64]; kept[threadIdx.x] = n; __syncthreads(); "
    "out[0] = kept[n]; }\n"
    "extern \"C\" __global__ void second(double* out) { out[threadIdx.x] = 1; }\n";

}  // namespace

TEST_CASE("kernels are listed with registers, LDS and arguments") {
    const LaunchFolder folder;
    const std::string object = folder.write("k.co", compiled(kTwo, {"-O3"}));
    const Run table = run_hipemu({"list", object});
    CHECK(table.exit_code == 0);
    for (const std::string part : {"target gfx1100", "first", "second", "global_buffer", "by_value", "arguments of second"})
        CHECK_MESSAGE(contains(table.out, part), part, " is missing in\n", table.out);
    CHECK_FALSE(contains(table.out, "hidden"));
    const auto listed = run_hipemu({"list", object, "--json"}).json();
    CHECK(listed["source_lines"] == false);
    REQUIRE(listed["kernels"].size() == 2);
    const auto& first = listed["kernels"][0]["name"] == "first" ? listed["kernels"][0] : listed["kernels"][1];
    CHECK(first["lds_bytes"] == 256);
    CHECK(first["wave_size"] == 32);
    CHECK(first["vgprs"].get<int>() > 0);
    CHECK(first["arguments"][1]["offset"] == 8);
    CHECK(first["arguments"][1]["size"] == 4);
}

TEST_CASE("a listing has all kernels, or the one that is asked for") {
    const LaunchFolder folder;
    const std::string object = folder.write("k.co", compiled(kTwo, {"-O3"}));
    const Run all = run_hipemu({"disassemble", object});
    CHECK(all.exit_code == 0);
    CHECK(contains(all.out, "first:"));
    CHECK(contains(all.out, "second:"));
    const Run one = run_hipemu({"disassemble", object, "--kernel", "second"});
    CHECK(one.exit_code == 0);
    CHECK(one.out.starts_with("second:\n"));
    CHECK(contains(one.out, "global_store_b64"));
    CHECK_FALSE(contains(one.out, "ds_store"));
    CHECK(run_hipemu({"disassemble", object, "--kernel", "third"}).exit_code == 2);
    CHECK(contains(run_hipemu({"disassemble", object, "--json"}).json()["listing"].get<std::string>(), "s_endpgm"));
}

TEST_CASE("what is no code object is refused") {
    const LaunchFolder folder;
    const Run text = run_hipemu({"list", folder.write("k.co", "hello")});
    CHECK(text.exit_code == 2);
    CHECK(contains(text.err, "k.co"));
    const Run missing = run_hipemu({"list", folder.path("nothing.co")});
    CHECK(missing.exit_code == 2);
    CHECK(contains(missing.err, "nothing.co"));
}

}  // namespace hipemu::command::test
