#include "hipemu_command/argument_block.hpp"

#include <doctest/doctest.h>

#include <cstring>

using namespace hipemu::command;
using hipemu::KernelDescription;

namespace {

std::vector<ArgumentDescription> arguments_of(const std::string& list) {
    auto launch = parse_launch(R"({"object": "k.co", "grid": 1, "block": 1, "arguments": [)" + list + "]}", "/data");
    REQUIRE_MESSAGE(launch.ok(), launch.status().to_string());
    return std::move(launch->arguments);
}

std::uint64_t address_of(const std::string& name) { return name == "x" ? 0x1000 : 0x2000; }

template <class T>
T at(const std::string& block, std::size_t offset) {
    T value;
    REQUIRE_LE(offset + sizeof value, block.size());
    std::memcpy(&value, block.data() + offset, sizeof value);
    return value;
}

KernelDescription kernel(std::vector<hipemu::KernelArgument> arguments) {
    KernelDescription description;
    description.name = "k";
    description.arguments = std::move(arguments);
    return description;
}

}  // namespace

TEST_CASE("arguments lie where the kernel's metadata says") {
    const KernelDescription k = kernel({{.offset = 0, .size = 8, .kind = "global_buffer"},
                                        {.offset = 8, .size = 4, .kind = "by_value"},
                                        {.offset = 16, .size = 8, .kind = "global_buffer"},
                                        {.offset = 24, .size = 4, .kind = "hidden_block_count_x"}});
    const auto block = argument_block(k, arguments_of(R"({"name": "x", "type": "f32", "shape": 4}, {"type": "i32", "value": 7},
                                                        {"same_as": "x", "byte_offset": 16})"),
                                      address_of);
    REQUIRE_MESSAGE(block.ok(), block.status().to_string());
    CHECK_EQ(block->size(), 24u);
    CHECK_EQ(at<std::uint64_t>(*block, 0), 0x1000u);
    CHECK_EQ(at<std::int32_t>(*block, 8), 7);
    CHECK_EQ(at<std::uint64_t>(*block, 16), 0x1010u);
}

TEST_CASE("members of a structure lie as in C, or where they are put") {
    const KernelDescription k = kernel({{.offset = 0, .size = 40, .kind = "by_value"}});
    // struct { char c; float* p; short s; struct { double d; char e; } in; }: the last 7 bytes are padding.
    const auto natural =
        argument_block(k, arguments_of(R"({"struct": [{"type": "i8", "value": 1}, {"name": "x", "type": "f32", "shape": 1},
        {"type": "i16", "value": 2}, {"struct": [{"type": "f64", "value": 0.5}, {"type": "i8", "value": 3}]}]})"),
                       address_of);
    REQUIRE_MESSAGE(natural.ok(), natural.status().to_string());
    CHECK_EQ(natural->size(), 40u);
    CHECK_EQ(at<std::int8_t>(*natural, 0), 1);
    CHECK_EQ(at<std::uint64_t>(*natural, 8), 0x1000u);
    CHECK_EQ(at<std::int16_t>(*natural, 16), 2);
    CHECK_EQ(at<double>(*natural, 24), 0.5);
    CHECK_EQ(at<std::int8_t>(*natural, 32), 3);

    const auto put = argument_block(k, arguments_of(R"({"struct": [{"type": "i32", "value": 1, "offset": 20}]})"), address_of);
    REQUIRE_MESSAGE(put.ok(), put.status().to_string());
    CHECK_EQ(at<std::int32_t>(*put, 20), 1);
    const auto overlapping = argument_block(
        k, arguments_of(R"({"struct": [{"type": "i32", "value": 1}, {"type": "i32", "value": 1, "offset": 2}]})"), address_of);
    CHECK(overlapping.status().message().find("the members before it end at 4") != std::string::npos);
}

TEST_CASE("arguments that do not fit the kernel are refused by number and size") {
    const KernelDescription k =
        kernel({{.offset = 0, .size = 8, .kind = "global_buffer"}, {.offset = 8, .size = 4, .kind = "by_value"}});
    const auto few = argument_block(k, arguments_of(R"({"name": "x", "type": "f32", "shape": 4})"), address_of);
    CHECK(few.status().message().starts_with("kernel k takes 2 arguments and the launch has 1"));
    const auto wide = argument_block(
        k, arguments_of(R"({"name": "x", "type": "f32", "shape": 4}, {"name": "n", "type": "i64", "value": 1})"), address_of);
    CHECK_EQ(wide.status().message(), "n has 8 bytes, and argument 1 of kernel k (by_value) has 4");
    CHECK(argument_block(k, arguments_of(R"({"value": null}, {"type": "i32", "value": 1})"), address_of).ok());
}

TEST_CASE("buffers are found in structures, too") {
    const auto arguments =
        arguments_of(R"({"name": "a", "type": "f32", "shape": 1}, {"struct": [{"name": "b", "type": "f32", "shape": 1}]},
                                          {"type": "i32", "value": 1})");
    const auto buffers = buffers_of(arguments);
    REQUIRE_EQ(buffers.size(), 2u);
    CHECK_EQ(buffers[1]->name, "b");
}
