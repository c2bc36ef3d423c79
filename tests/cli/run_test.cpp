// `flashwave run` on the emulator: what it computes, what it says, and how warm a second process is.
#include <fstream>
#include <iterator>

#include "command_line/npy.hpp"
#include "program.hpp"

namespace flashwave::cli::test {
namespace {

const std::string kData = FLASHWAVE_SOURCE_DIR "/tests/data/activations/";

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Arguments run_on_emulator(const Arguments& more) {
    Arguments arguments = {"run", "--device", "emulated:gfx1100", "--json", "--check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

void check_passed(const Run& run) {
    CHECK_MESSAGE(run.exit_code == 0, run.err);
    const auto report = run.json();
    CHECK(report.at("passed") == true);
    CHECK(report.at("max_error").get<double>() <= report.at("error_bound").get<double>());
    CHECK(report.at("error_bound").get<double>() < 0.1);
    CHECK(report.at("rows_checked").get<int>() > 0);
}

}  // namespace

TEST_CASE("the second process compiles and tries nothing, is ready at once, and gives the same bits") {
    const TemporaryDirectory cache;
    const auto arguments = [&](const char* out) {
        return run_on_emulator({"--heads", "2", "--seq-q", "100", "--dim", "64", "--causal", "bottom_right", "--out",
                                cache / out, "--lse-out", cache / (std::string("lse_") + out)});
    };
    const Run cold = run_flashwave(cache.path(), arguments("first.npy"));
    check_passed(cold);
    const auto first = cold.json();
    CHECK(first.at("device") == "emulated:gfx1100");
    CHECK(first.at("modelled") == true);
    CHECK(first.at("plan_source") == "tuned");
    CHECK(first.at("compiles").get<int>() >= 8);
    CHECK(first.at("candidates").get<int>() >= 8);
    CHECK(first.at("time_us").get<double>() > 0);
    CHECK(first.at("tflops").get<double>() > 0);
    CHECK(first.at("cache") == cache.path());
    CHECK(nlohmann::json::parse(first.at("key").get<std::string>()).at("head_dim") == 64);

    double fastest_ready = 1e9;
    // Other work on the machine slows some starts down; it does not speed one up.
    for (int process = 0; process == 0 || (process < 20 && fastest_ready > 30); ++process) {
        const Run warm = run_flashwave(cache.path(), arguments("second.npy"));
        check_passed(warm);
        const auto second = warm.json();
        CHECK(second.at("plan_source") == "disk");
        CHECK(second.at("compiles") == 0);
        CHECK(second.at("candidates") == 0);
        CHECK(second.at("geometry") == first.at("geometry"));
        CHECK(second.at("time_us") == first.at("time_us"));
        CHECK(bytes_of(cache / "second.npy") == bytes_of(cache / "first.npy"));
        CHECK(bytes_of(cache / "lse_second.npy") == bytes_of(cache / "lse_first.npy"));
        fastest_ready = std::min(fastest_ready, second.at("ready_ms").get<double>());
    }
    CHECK(fastest_ready <= 30);
    const auto o = read_npy(cache / "first.npy");
    REQUIRE(o.ok());
    CHECK(o->descr == "<f2");
    CHECK(o->shape == std::vector<std::int64_t>{1, 2, 100, 64});
    CHECK(read_npy(cache / "lse_first.npy")->shape == std::vector<std::int64_t>{1, 2, 100});
}

TEST_CASE("the attention of a trained model is right, from file to file") {
    const TemporaryDirectory cache;
    for (const char* model : {"gqa_d128_rope_layer0", "mha_d64_alibi_layer1"}) {
        CAPTURE(model);
        const std::string file = kData + model;
        const Run run = run_flashwave(
            cache.path(), run_on_emulator({"--q", file + "_q.npy", "--k", file + "_k.npy", "--v", file + "_v.npy",
                                           "--causal", "bottom_right", "--tune", "off", "--out", cache / "o.npy"}));
        check_passed(run);
        CHECK(run.json().at("plan_source") == "default");
        CHECK(run.json().at("candidates") == 0);
        CHECK(read_npy(cache / "o.npy")->shape == read_npy(file + "_q.npy")->shape);
    }
}

TEST_CASE("both layouts, both types and uneven lengths pass the check") {
    const TemporaryDirectory cache;
    check_passed(run_flashwave(cache.path(), run_on_emulator({"--tune",     "off",
                                                              "--dtype",    "bf16",
                                                              "--layout",   "bshd",
                                                              "--batch",    "2",
                                                              "--heads",    "6",
                                                              "--kv-heads", "2",
                                                              "--seq-q",    "17",
                                                              "--seq-k",    "131",
                                                              "--causal",   "bottom_right",
                                                              "--scale",    "0.2",
                                                              "--repeat",   "2",
                                                              "--seed",     "99",
                                                              "--out",      cache / "o.npy"})));
    CHECK(read_npy(cache / "o.npy")->descr == "<u2");
    CHECK(read_npy(cache / "o.npy")->shape == std::vector<std::int64_t>{2, 17, 6, 128});
    check_passed(run_flashwave(cache.path(), run_on_emulator({"--tune", "off", "--dim", "64", "--seq-q", "33",
                                                              "--seq-k", "1", "--causal", "top_left"})));
    // No key at all: o is 0 and lse is -inf, which is what fp64 says too.
    check_passed(
        run_flashwave(cache.path(), run_on_emulator({"--tune", "off", "--dim", "64", "--seq-q", "3", "--seq-k", "0"})));
}

TEST_CASE("nothing to compute is done at once") {
    const TemporaryDirectory cache;
    for (const Arguments& shape : {Arguments{"--batch", "0"}, {"--seq-q", "0"}}) {
        const Run run = run_flashwave(cache.path(), run_on_emulator(shape));
        CHECK_MESSAGE(run.exit_code == 0, run.err);
        CHECK(run.json().at("compiles") == 0);
        CHECK(run.json().at("passed") == true);
    }
}

TEST_CASE("replay of a problem nobody tuned exits 3 and computes nothing") {
    const TemporaryDirectory cache;
    const Run run = run_flashwave(
        cache.path(), run_on_emulator({"--tune", "replay", "--dim", "64", "--seq-q", "16", "--out", cache / "o.npy"}));
    CHECK(run.exit_code == 3);
    CHECK(run.json().at("error").at("code") == "not_found");
    CHECK_FALSE(std::filesystem::exists(cache / "o.npy"));
}

TEST_CASE("text for people says modelled beside every time") {
    const TemporaryDirectory cache;
    const Run run = run_flashwave(cache.path(), {"run", "--device", "emulated:gfx1100", "--tune", "off", "--dim", "64",
                                                 "--seq-q", "40", "--check"});
    CHECK_MESSAGE(run.exit_code == 0, run.err);
    CHECK(contains(run.out, "us modelled"));
    CHECK(contains(run.out, "TFLOP/s modelled"));
    CHECK_FALSE(contains(run.out, "measured"));
    CHECK(contains(run.out, "passed: largest error"));
}

}  // namespace flashwave::cli::test
