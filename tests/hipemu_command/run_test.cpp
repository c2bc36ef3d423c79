// `hipemu run`: results, counts, times, findings, exit codes.
#include "program.hpp"

#include "command_line/npy.hpp"

namespace hipemu::command::test {

TEST_CASE("a launch gives its results, counts and modelled times, as tables and as JSON") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch(R"(, "out": "y.npy")"));
    const Run tables = run_hipemu({"run", launch, "--hot", "3"});
    CHECK_MESSAGE(tables.exit_code == 0, tables.err);
    for (const std::string part : {"rx7900xtx", "modelled", "saxpy: ", "where the cycles went", "v_fmac_f32", "global_store_b32", "occupancy", "1999"})
        CHECK_MESSAGE(contains(tables.out, part), part, " is missing in\n", tables.out);

    const auto result = run_hipemu({"run", launch, "--json", "--hot", "3"}).json();
    CHECK(result["passed"] == true);
    CHECK(result["finding"].is_null());
    CHECK(result["modelled"] == true);
    CHECK(result["kernel"]["name"] == "saxpy");
    CHECK(result["groups"] == 4);
    CHECK(result["groups_run"] == 4);
    CHECK(result["time_us"].get<double>() > 0);
    CHECK(result["cycles"].get<double>() > 0);
    CHECK(result["waves_per_simd"].get<int>() > 0);
    double parts = 0;
    for (const auto& part : result["parts"]) parts += part.get<double>();
    CHECK(parts == doctest::Approx(1).epsilon(0.001));
    // 32 waves load x and y once, but for the last of them, which has 8 work-items left.
    CHECK(result["instructions"]["vmem"] == 3 * 32);
    std::uint64_t loads = 0;
    for (const auto& one : result["mnemonics"])
        if (one["mnemonic"] == "global_load_b32") loads = one["count"];
    CHECK(loads == 2 * 32);
    CHECK(result["hottest"].size() == 3);
    const auto& y = result["buffers"][1];
    CHECK(y["name"] == "y");
    CHECK(y["changed"] == true);
    CHECK(y["max"] == 1999);
    CHECK(y["first"] == nlohmann::json({1, 3, 5, 7}));
    CHECK(result["buffers"][0]["changed"] == false);

    const auto written = flashwave::cli::read_npy(folder.path("y.npy"));
    REQUIRE_MESSAGE(written.ok(), written.status().to_string());
    CHECK(written->descr == "<f4");
    CHECK(written->shape == std::vector<std::int64_t>{1000});
    float last = 0;
    std::memcpy(&last, written->data.data() + 999 * 4, 4);
    CHECK(last == 1999);
}

TEST_CASE("without the timing model results and counts stay, and the time is said to be no model's") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch());
    const auto result = run_hipemu({"run", launch, "--json"}, {"HIPEMU_TIMING=off"}).json();
    CHECK(result["passed"] == true);
    CHECK(result["modelled"] == false);
    CHECK(result["time_us"].get<double>() > 0);
    CHECK(result["instructions"]["vmem"] == 3 * 32);
    CHECK(result["buffers"][1]["max"] == 1999);
    const Run text = run_hipemu({"run", launch}, {"HIPEMU_TIMING=off"});
    CHECK_MESSAGE(contains(text.out, "not modelled"), text.out);
}

TEST_CASE("a result is compared with what is expected") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    std::string right, wrong;
    for (int i = 0; i < 1000; ++i) {
        const float value = 2 * static_cast<float>(i) + 1, off = value + (i == 700 ? 0.5f : 0.0f);
        right.append(reinterpret_cast<const char*>(&value), 4);
        wrong.append(reinterpret_cast<const char*>(&off), 4);
    }
    const std::int64_t shape[] = {1000};
    folder.write("right.npy", flashwave::cli::format_npy("<f4", shape, right));
    folder.write("wrong.npy", flashwave::cli::format_npy("<f4", shape, wrong));
    const auto run = [&](const std::string& more) { return run_hipemu({"run", folder.write("saxpy.json", saxpy_launch(more)), "--json"}); };
    CHECK(run(R"(, "expect": "right.npy")").exit_code == 0);
    CHECK(run(R"(, "expect": "wrong.npy", "tolerance": 0.5)").exit_code == 0);
    CHECK(run(R"(, "expect": "wrong.npy", "tolerance": {"relative": 0.001})").exit_code == 0);
    const Run failed = run(R"(, "expect": "wrong.npy", "tolerance": 0.25)");
    CHECK(failed.exit_code == 1);
    const auto check = failed.json()["buffers"][1]["check"];
    CHECK(check["passed"] == false);
    CHECK(check["beyond"] == 1);
    CHECK(check["worst"] == 700);
    CHECK(check["got"] == 1401);
    CHECK(check["expected"] == 1401.5);
    const Run other_shape = run(R"(, "expect": [1, 3])");
    CHECK(other_shape.exit_code == 2);
    CHECK(contains(other_shape.err, "y: it has 1000 elements, and 2 are expected"));
}

TEST_CASE("what the emulator finds wrong in a kernel is told, with its line, and the check has failed") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch("", R"("options": ["-O3", "-g"], )", 1024));
    const Run run = run_hipemu({"run", launch});
    CHECK(run.exit_code == 1);
    CHECK(contains(run.out, "finding    kernel saxpy, group (3,0,0)"));
    CHECK(contains(run.out, "saxpy.hip:3"));
    CHECK(contains(run.out, "past the end of"));
    const Run json = run_hipemu({"run", launch, "--json"});
    CHECK(json.exit_code == 1);
    CHECK(json.json()["passed"] == false);
    CHECK(contains(json.json()["finding"].get<std::string>(), "saxpy.hip:3"));
}

TEST_CASE("a buffer without contents is undefined, and a kernel that lets it reach its output is found out") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    std::string text = saxpy_launch();
    text.replace(text.find(R"(, "fill": "iota")"), std::string_view(R"(, "fill": "iota")").size(), "");
    const std::string launch = folder.write("saxpy.json", text);
    const Run strict = run_hipemu({"run", launch});
    CHECK(strict.exit_code == 1);
    CHECK(contains(strict.out, "undefined"));
    CHECK(run_hipemu({"run", launch, "--strict", "none"}).exit_code == 0);
}

TEST_CASE("a sample runs some of the work-groups and says so; repeats leave the same bits") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch());
    const Run sampled = run_hipemu({"run", launch, "--device", "emulated:rx7900xtx", "--sample", "2"});
    CHECK(sampled.exit_code == 0);
    CHECK(contains(sampled.out, "2 of 4 work-groups ran: outputs are incomplete"));
    const Run unchecked = run_hipemu({"run", folder.write("checked.json", saxpy_launch(R"(, "expect": 0)")), "--sample", "2"});
    CHECK(unchecked.exit_code == 0);
    CHECK(contains(unchecked.out, "not compared"));
    const auto repeated = run_hipemu({"run", launch, "--repeat", "3", "--json"}).json();
    CHECK(repeated["repeat"] == 3);
    CHECK(repeated["repeats_differ"] == false);
    CHECK(repeated["buffers"][1]["max"] == 1999);  // y was put back before each
}

TEST_CASE("the hottest instructions stand with their source lines where the object has them") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const std::string launch = folder.write("saxpy.json", saxpy_launch("", R"("options": ["-O3", "-g"], )"));
    const Run run = run_hipemu({"run", launch, "--hot", "30", "--json"});
    CHECK(run.exit_code == 0);
    const auto result = run.json();
    bool store = false;
    for (const auto& one : result["hottest"])
        if (contains(one["text"].get<std::string>(), "global_store_b32")) store = one["source"] == "saxpy.hip:3";
    CHECK(store);
}

TEST_CASE("wrong launches are told in one sentence, with exit code 2") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", kSaxpy);
    const auto refused = [&](const std::string& text, const std::string& part) {
        const Run run = run_hipemu({"run", folder.write("saxpy.json", text), "--json"});
        CHECK(run.exit_code == 2);
        CHECK_MESSAGE(contains(run.err, part), part, " is missing in ", run.err);
        CHECK(contains(run.json()["error"]["message"].get<std::string>(), part));
    };
    refused(R"({"grid": 1, "block": 1})", "one of \"object\"");
    refused(saxpy_launch("", R"("device": "gfx2000", )"), "models no card or target of that name");
    refused(saxpy_launch("", R"("strict": "everything", )"), "\"strict\" of the launch");
    refused(saxpy_launch(R"(, "out": "no/such/folder/y.npy")"), "there is no directory");
    std::string text = saxpy_launch();
    text.replace(text.find(R"("kernel": "saxpy")"), std::string_view(R"("kernel": "saxpy")").size(), R"("kernel": "daxpy")");
    refused(text, "no kernel \"daxpy\"; it has saxpy");
    text = saxpy_launch();
    text.replace(text.find("saxpy.hip"), 9, "missing.hip");
    refused(text, "missing.hip");
    for (const char* flag : {"--sample", "--repeat", "--hot", "--values"})
        CHECK(run_hipemu({"run", folder.write("saxpy.json", saxpy_launch()), flag, "-1"}).exit_code == 2);
    CHECK(run_hipemu({"run"}).exit_code == 2);
    CHECK(run_hipemu({}).exit_code == 2);
    CHECK(run_hipemu({"--help"}).exit_code == 0);
    CHECK(contains(run_hipemu({"run", "--help"}).out, "saxpy.json"));
}

TEST_CASE("a source that does not compile fails with the compiler's sentence") {
    const LaunchFolder folder;
    folder.write("saxpy.hip", "extern \"C\" __global__ void saxpy(float* y) { y[0] = nothing; }\n");
    const Run run = run_hipemu({"run", folder.write("saxpy.json", saxpy_launch())});
    CHECK(run.exit_code == 1);
    CHECK(contains(run.err, "saxpy.hip:1: use of undeclared identifier 'nothing'"));
}

TEST_CASE("a structure with pointers is passed by value") {
    const LaunchFolder folder;
    folder.write("k.hip",
                 "struct Arguments { char tag; const float* x; short n; float* y; };\n"
                 "extern \"C\" __global__ void k(Arguments a) { if (threadIdx.x < a.n) a.y[threadIdx.x] = a.x[threadIdx.x] + a.tag; }\n");
    const std::string launch = folder.write("k.json", R"({"source": "k.hip", "grid": 1, "block": 32, "arguments": [{"struct": [
        {"type": "i8", "value": 5}, {"name": "x", "type": "f32", "shape": 16, "fill": "iota"}, {"type": "i16", "value": 16},
        {"name": "y", "type": "f32", "shape": 16, "expect": [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]}]}]})");
    const Run run = run_hipemu({"run", launch});
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(contains(run.out, "16 elements as expected"));
}

}  // namespace hipemu::command::test
