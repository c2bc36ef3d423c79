#include "hipemu_command/launch_description.hpp"

#include <doctest/doctest.h>

using namespace hipemu::command;

namespace {

LaunchDescription parsed(const std::string& text) {
    auto launch = parse_launch(text, "/data");
    REQUIRE_MESSAGE(launch.ok(), launch.status().to_string());
    return *std::move(launch);
}

std::string complaint(const std::string& text) {
    const auto launch = parse_launch(text, "/data");
    return launch.ok() ? "" : launch.status().message();
}

std::string with_argument(const std::string& argument) { return R"({"object": "k.co", "grid": 1, "block": 32, "arguments": [)" + argument + "]}"; }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a whole launch is read") {
    const LaunchDescription launch = parsed(R"({
        "source": "k.hip", "headers": ["tile/mma.h"], "options": ["-O3", "-g"], "device": "strixhalo", "kernel": "k",
        "grid": [4, 2], "block": 64, "dynamic_lds": 1024, "repeat": 3, "sample": 8, "instruction_limit": 1000, "strict": "-hazards",
        "arguments": [
            {"name": "n", "type": "i32", "value": -7},  // comments are allowed
            {"type": "bf16", "shape": [2, 3], "fill": "uniform", "low": -1, "high": 1, "seed": 9},
            {"name": "out", "type": "f32", "shape": 6, "out": "o.npy", "expect": "/abs/e.npy", "tolerance": {"absolute": 0.5, "relative": 0.25}},
            {"name": "again", "same_as": "out", "byte_offset": 8},
            {"value": null},
            {"struct": [{"npy": "x.npy"}, {"type": "u8", "value": 1, "offset": 12}]}
        ]})");
    CHECK_EQ(launch.source, "/data/k.hip");
    CHECK(launch.headers == std::vector<std::string>{"tile/mma.h"});
    CHECK_EQ(launch.options.size(), 2u);
    CHECK_EQ(launch.device, "strixhalo");
    CHECK(launch.grid == std::array<std::uint32_t, 3>{4, 2, 1});
    CHECK(launch.block == std::array<std::uint32_t, 3>{64, 1, 1});
    CHECK_EQ(launch.dynamic_lds, 1024u);
    CHECK_EQ(launch.repeat, 3u);
    CHECK(launch.sample == 8u);
    CHECK(launch.instruction_limit == 1000u);
    CHECK_EQ(launch.strict, "-hazards");
    REQUIRE_EQ(launch.arguments.size(), 6u);
    using Kind = ArgumentDescription::Kind;
    CHECK_EQ(launch.arguments[0].bytes, "\xf9\xff\xff\xff");
    CHECK(launch.arguments[1].kind == Kind::buffer);
    CHECK_EQ(launch.arguments[1].name, "argument 1");
    CHECK(launch.arguments[1].buffer.type == ElementType::bf16);
    CHECK(launch.arguments[1].buffer.shape == std::vector<std::int64_t>{2, 3});
    CHECK_EQ(launch.arguments[1].buffer.fill.seed, 9u);
    CHECK_EQ(launch.arguments[2].buffer.out, "/data/o.npy");
    CHECK_EQ(launch.arguments[2].buffer.expected->path, "/abs/e.npy");
    CHECK_EQ(launch.arguments[2].buffer.expected->tolerance.relative, 0.25);
    CHECK(launch.arguments[3].kind == Kind::same_buffer);
    CHECK_EQ(launch.arguments[3].byte_offset, 8);
    CHECK_EQ(launch.arguments[4].bytes, std::string(8, '\0'));
    REQUIRE_EQ(launch.arguments[5].members.size(), 2u);
    CHECK_EQ(launch.arguments[5].members[0].name, "member 0 of argument 5");
    CHECK_EQ(*launch.arguments[5].members[1].offset, 12u);
}

TEST_CASE("what is wrong in a launch is said by name, and what is allowed") {
    CHECK(contains(complaint("{"), "the launch is no JSON"));
    CHECK(contains(complaint("[]"), "an object {...} is needed"));
    CHECK(contains(complaint(R"({"grid": 1, "block": 1})"), "one of \"object\""));
    CHECK(contains(complaint(R"({"object": "a", "source": "b", "grid": 1, "block": 1})"), "one of \"object\""));
    CHECK(contains(complaint(R"({"object": "a", "options": ["-g"], "grid": 1, "block": 1})"), "go with \"source\""));
    CHECK(contains(complaint(R"({"object": "a", "block": 1})"), "lacks \"grid\""));
    CHECK(contains(complaint(R"({"object": "a", "grid": 0, "block": 1})"), "\"grid\" of the launch is 0; a whole number from 1"));
    CHECK(contains(complaint(R"({"object": "a", "grid": [1, 2, 3, 4], "block": 1})"), "one to three numbers"));
    CHECK(contains(complaint(R"({"object": "a", "grid": 1, "block": 1, "blok": 2})"), "unknown key \"blok\"; known are arguments, block"));
    CHECK(contains(complaint(with_argument(R"({"type": "f8", "value": 1})")), "\"type\" of argument 0 is \"f8\"; use one of i8, u8"));
    CHECK(contains(complaint(with_argument(R"({"type": "u8", "value": 256})")), "\"value\" of argument 0 is 256"));
    CHECK(contains(complaint(with_argument(R"({"value": 1})")), "no \"type\""));
    CHECK(contains(complaint(with_argument(R"({"type": "f32"})")), "lacks \"type\" or \"shape\""));
    CHECK(contains(complaint(with_argument(R"({"type": "f32", "shape": []})")), "a number or a list of numbers"));
    CHECK(contains(complaint(with_argument(R"({"type": "f32", "shape": [4294967296, 4294967296]})")), "elements are possible"));
    CHECK(contains(complaint(with_argument(R"({"type": "f32", "shape": 4, "fill": "random"})")), "\"fill\" of argument 0 is \"random\""));
    CHECK(contains(complaint(with_argument(R"({"type": "f32", "shape": 4, "seed": 4})")), "unknown key \"seed\""));
    CHECK(contains(complaint(with_argument(R"({"npy": "a.npy", "fill": "ones"})")), "come from one of them"));
    CHECK(contains(complaint(with_argument(R"({"type": "f32", "shape": 4, "tolerance": 1})")), "nothing to \"expect\""));
    CHECK(contains(complaint(with_argument(R"({"type": "f32", "shape": 4, "expect": 1, "tolerance": -1})")), "cannot be negative"));
    CHECK(contains(complaint(with_argument(R"({"type": "f32", "shape": 4, "expect": 1, "tolerance": {"abs": 1}})")), "unknown key \"abs\""));
    CHECK(contains(complaint(with_argument(R"({"same_as": "x"})")), "stands before it"));
    CHECK(contains(complaint(with_argument(R"({"name": "x", "type": "f32", "shape": 1}, {"name": "x", "type": "f32", "shape": 1})")), "two buffers"));
    CHECK(contains(complaint(with_argument(R"({"struct": [{"type": "i32", "value": 1.5}]})")), "\"value\" of member 0 of argument 0 is 1.5"));
}

TEST_CASE("structures may lie in each other, but not without end") {
    const auto nested = [](int depth) {
        std::string argument = R"({"type": "i32", "value": 1})";
        for (int i = 0; i < depth; ++i) argument = R"({"struct": [)" + argument + "]}";
        return with_argument(argument);
    };
    CHECK_EQ(complaint(nested(3)), "");
    CHECK(contains(complaint(nested(20000)), "deeper than 16"));
}

TEST_CASE("a launch that cannot be read names its file") {
    CHECK(contains(read_launch("/no/such/launch.json").status().message(), "/no/such/launch.json"));
}
