// Help, exit codes and sentences, as a user meets them. Nothing here needs a compiler.
#include "program.hpp"

namespace flashwave::cli::test {
namespace {

const Arguments kEmulated = {"run", "--device", "emulated:gfx1100"};

Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace

TEST_CASE("every command has help with an example") {
    const TemporaryDirectory cache;
    for (const Arguments& command : {Arguments{},
                                     {"run"},
                                     {"warm"},
                                     {"inspect"},
                                     {"inspect", "selections"},
                                     {"inspect", "candidates"},
                                     {"inspect", "refusals"},
                                     {"inspect", "failures"},
                                     {"inspect", "sql"},
                                     {"doctor"},
                                     {"version"}}) {
        CAPTURE(command.empty() ? "flashwave" : command.back());
        const Run run = run_flashwave(cache.path(), with(command, {"--help"}));
        CHECK(run.exit_code == 0);
        CHECK(run.err.empty());
        CHECK(contains(run.out, "Example"));
        CHECK(contains(run.out, "  flashwave "));
    }
}

TEST_CASE("the version is the library's") {
    const TemporaryDirectory cache;
    const std::string version = run_flashwave(cache.path(), {"version", "--json"}).json().at("version");
    CHECK(run_flashwave(cache.path(), {"version"}).out == "flashwave " + version + "\n");
    CHECK(run_flashwave(cache.path(), {"--version"}).out == "flashwave " + version + "\n");
}

TEST_CASE("wrong usage exits 2 and says so on stderr") {
    const TemporaryDirectory cache;
    for (const Arguments& arguments : {Arguments{},
                                       {"fly"},
                                       {"run", "--fast"},
                                       {"run", "stray"},
                                       {"run", "--seed"},
                                       {"run", "--seed", "x"},
                                       {"run", "--repeat", "many"},
                                       {"warm"},
                                       {"inspect"},
                                       {"inspect", "candidates"},
                                       {"inspect", "sql"},
                                       {"run", "--tune-budget", "soon"}}) {
        CAPTURE(arguments.size());
        CAPTURE(arguments.empty() ? "" : arguments.back());
        const Run run = run_flashwave(cache.path(), arguments);
        CHECK(run.exit_code == 2);
        CHECK(run.out.empty());
        CHECK_FALSE(run.err.empty());
    }
}

TEST_CASE("of a flag that is given twice the last one holds") {
    const TemporaryDirectory cache;
    const Run run = run_flashwave(cache.path(), {"run", "--dim", "64", "--dim", "80"});
    CHECK(run.exit_code == 2);
    CHECK_MESSAGE(contains(run.err, "(head_dim) is 80"), run.err);
}

TEST_CASE("bad input exits 2 with a sentence that names it, whatever the device") {
    const TemporaryDirectory cache;
    struct Case {
        Arguments arguments;
        const char* sentence;
    };
    const Case cases[] = {
        {{"--dim", "96"}, "q.shape[3] (head_dim) is 96; 64 and 128 are supported"},
        {{"--heads", "5", "--kv-heads", "2"}, "multiple"},
        {{"--dtype", "f64"}, "--dtype is 'f64'; use one of f16, bf16"},
        {{"--causal", "sideways"}, "--causal is 'sideways'; use one of none, bottom_right, top_left"},
        {{"--layout", "bdhs"}, "--layout is 'bdhs'; use one of bhsd, bshd"},
        {{"--scale", "nan"}, "scale is nan; a finite number above 0"},
        {{"--scale", "0"}, "scale is 0; a finite number above 0"},
        {{"--scale", "-1"}, "scale is -1; a finite number above 0"},
        {{"--batch", "-1"}, "(batch) is -1; 0 to 2147483647"},
        {{"--seq-q", "-7"}, "(length) is -7; 0 to 2147483647"},
        {{"--kv-heads", "0"}, "(heads) is 0; 1 to 2147483647"},
        {{"--seq-q", "4000000000"}, "(length) is 4000000000"},
        {{"--heads", "70000", "--seq-q", "70000"}, "batch * heads * length may be at most"},
        {{"--repeat", "0"}, "--repeat is '0'; a number from 1"},
        {{"--tune", "always"}, "--tune is 'always'; use one of first_use, off, replay"},
        {{"--tune-budget", "-1"}, "--tune-budget is '-1'"},
        {{"--q", "q.npy"}, "--k is missing"},
        {{"--q", "/no/q.npy", "--k", "/no/k.npy", "--v", "/no/v.npy"}, "/no/q.npy"},
        {{"--out", "/no/such/directory/o.npy"}, "there is no directory /no/such/directory"},
        {{"--lse-out", "/"}, "--lse-out is '/'; that is a directory"},
    };
    for (const char* device : {"emulated:gfx1100", "hip:0"})
        for (const Case& one : cases) {
            CAPTURE(device);
            CAPTURE(one.sentence);
            const Run run = run_flashwave(cache.path(), with({"run", "--json", "--device", device}, one.arguments));
            CHECK(run.exit_code == 2);
            CHECK_MESSAGE(contains(run.err, one.sentence), run.err);
            CHECK(contains(run.json().at("error").at("message").get<std::string>(), one.sentence));
        }
}

TEST_CASE("a device that is malformed is bad input, one that is missing is the environment's fault") {
    const TemporaryDirectory cache;
    for (const char* device : {"gfx1100", "hip:", "hip:x", "hip:-1", "emulated:", "emulated:gfx9999", "cuda:0"}) {
        CAPTURE(device);
        CHECK(run_flashwave(cache.path(), {"run", "--device", device, "--dim", "64"}).exit_code == 2);
    }
    const Run none = run_flashwave(cache.path(), {"run", "--json", "--device", "hip:0", "--dim", "64"}, {},
                                   {"FLASHWAVE_HIP_LIBRARY=/no/libamdhip64.so"});
    CHECK(none.exit_code == 3);
    CHECK_MESSAGE(contains(none.err, "/no/libamdhip64.so"), none.err);
    CHECK(none.json().at("error").at("code") == "unavailable");
}

TEST_CASE("a bad line of warm is named before anything is done") {
    const TemporaryDirectory cache;
    struct Case {
        const char* lines;
        const char* sentence;
    };
    const Case cases[] = {
        {"{\"seq_q\": 32}\n\n{\"seq_q\": 32, \"dim\": 96}\n", "stdin:3: q.shape[3] (head_dim) is 96"},
        {"{\"seq_q\": 32}\nnonsense\n", "stdin:2: a JSON object is needed"},
        {"[1, 2]", "stdin:1: a JSON object is needed"},
        {"{\"seqlen\": 32}", "stdin:1: problem: there is no field 'seqlen'"},
        {"{\"causal\": true}", "stdin:1: causal is true; a number or a string is needed"},
        {"{\"seq_q\": 10.5}", "stdin:1: problem: seq_q='10.5' is not allowed"},
        {"{\"scale\": 0}", "stdin:1: scale is 0"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.lines);
        const Run run = run_flashwave(cache.path(), {"warm", "-", "--device", "emulated:gfx1100"}, one.lines);
        CHECK(run.exit_code == 2);
        CHECK_MESSAGE(contains(run.err, one.sentence), run.err);
        CHECK(run.out.empty());
    }
    CHECK(std::filesystem::is_empty(cache.path()));
    const Run missing = run_flashwave(cache.path(), {"warm", "/no/problems.jsonl", "--device", "emulated:gfx1100"});
    CHECK(missing.exit_code == 2);
    CHECK(contains(missing.err, "/no/problems.jsonl"));
}

TEST_CASE("inspecting a cache that is not there says so and makes none") {
    const TemporaryDirectory directory;
    const std::string cache = directory / "none";
    const Run run = run_flashwave(cache, {"inspect", "selections"});
    CHECK(run.exit_code == 3);
    CHECK_MESSAGE(contains(run.err, cache), run.err);
    CHECK_FALSE(std::filesystem::exists(cache));
}

}  // namespace flashwave::cli::test
