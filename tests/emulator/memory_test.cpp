// The device's address range: findings by name, defined bits, what kernels see.
#include "emulator/runtime/address_space.hpp"

#include <doctest/doctest.h>

using namespace hipemu;

TEST_CASE("an address is described by the nearest allocation") {
    AddressSpace memory;
    Block* first = memory.allocate(BlockKind::device, 100, 0, "hipMalloc #1");
    Block* second = memory.allocate(BlockKind::device, 5000, 0, "hipMalloc #2");
    REQUIRE(first);
    REQUIRE(second);
    const std::uint64_t base = first->whole.base;
    CHECK(memory.describe(base + 7).starts_with("byte 7 of hipMalloc #1 (100 bytes at 0x"));
    CHECK(memory.describe(base + 100).starts_with("0 bytes past the end of hipMalloc #1"));
    CHECK(memory.describe(base + 164).starts_with("64 bytes past the end of hipMalloc #1"));
    CHECK(memory.describe(second->whole.base - 1).starts_with("1 byte before the start of hipMalloc #2"));
    CHECK(memory.describe(0).find("null pointer") != std::string::npos);
    CHECK(memory.describe(0x1234567890).find("near nothing that is allocated") != std::string::npos);
    const std::uint64_t gone = second->whole.base;
    memory.release(second);
    CHECK(memory.describe(gone + 4999).starts_with("byte 4999 of hipMalloc #2 (5000 bytes at 0x"));
    CHECK(memory.describe(gone + 4999).ends_with("which was freed"));
}

TEST_CASE("kernels see exact sizes, and not what the image of a module hides") {
    AddressSpace memory;
    Block* block = memory.allocate(BlockKind::device, 100, 0, "hipMalloc #1");
    Block* image = memory.allocate(BlockKind::image, 8192, 0, "module #1");
    image->parts.push_back({.base = image->whole.base + 4096, .size = 16, .host = image->whole.host + 4096, .defined = nullptr, .writable = false, .label = "code"});
    memory.changed();
    const Allocation arguments{.base = image->whole.base + 6000, .size = 32, .host = nullptr, .defined = nullptr, .writable = false, .label = "arguments"};
    const auto map = memory.snapshot(arguments, 0, {});
    const std::uint64_t base = block->whole.base;
    CHECK_EQ(map->find(base, 100), map->find(base + 99, 1));
    CHECK(map->find(base, 100));
    CHECK_FALSE(map->find(base, 101));
    CHECK_FALSE(map->find(base + 100, 1));
    CHECK_FALSE(map->find(base - 1, 1));
    CHECK(map->find(base + 100, 0));
    CHECK_FALSE(map->find(image->whole.base, 1));
    CHECK(map->find(image->whole.base + 4096, 16));
    CHECK(map->find(image->whole.base + 6000, 32));
    CHECK_FALSE(map->find(~std::uint64_t{0} - 3, 16));
    // The map of a launch does not change when memory does.
    memory.release(block);
    CHECK(map->find(base, 100));
    CHECK_FALSE(memory.snapshot(arguments, 0, {})->find(base, 100));
}

TEST_CASE("host memory is seen at its own address") {
    AddressSpace memory;
    std::vector<std::byte> buffer(64);
    Block* block = memory.adopt_host(BlockKind::host, buffer.data(), buffer.size(), 0, "hipHostMalloc #1");
    const auto map = memory.snapshot({}, 0, {});
    const Allocation* seen = map->find(reinterpret_cast<std::uint64_t>(buffer.data()) + 8, 8);
    REQUIRE(seen);
    CHECK_EQ(seen->host, buffer.data());
    CHECK_FALSE(memory.is_device_address(seen->base));
    memory.release(block);
    CHECK_FALSE(memory.find(seen->base));
}

TEST_CASE("defined bits follow writes and copies byte by byte") {
    std::uint8_t bits[8] = {};
    mark_defined(bits, 3, 18);
    for (std::uint64_t i = 0; i < 64; ++i) {
        CAPTURE(i);
        CHECK_EQ(is_defined(bits, i), i >= 3 && i < 21);
    }
    std::uint8_t copy[8];
    for (const std::uint64_t shift : {0, 8, 5}) {
        for (std::uint8_t& byte : copy) byte = 0xff;
        copy_defined(copy, shift, bits, 0, 40);
        for (std::uint64_t i = 0; i < 40; ++i) REQUIRE_EQ(is_defined(copy, i + shift), i >= 3 && i < 21);
        for (std::uint64_t i = 0; i < shift; ++i) REQUIRE(is_defined(copy, i));
        for (std::uint64_t i = 40 + shift; i < 64; ++i) REQUIRE(is_defined(copy, i));
    }
    CHECK(is_defined(nullptr, 5));
    copy_defined(copy, 0, nullptr, 0, 64);
    CHECK(is_defined(copy, 7));
}

TEST_CASE("memory that was freed is zero pages again and its addresses rest") {
    AddressSpace memory;
    Block* block = memory.allocate(BlockKind::device, 1 << 20, 0, "a");
    const std::uint64_t base = block->whole.base;
    std::byte* view = block->whole.host;
    view[12345] = std::byte{7};
    memory.release(block);
    CHECK_EQ(view[12345], std::byte{0});
    Block* next = memory.allocate(BlockKind::device, 1 << 20, 0, "b");
    CHECK_NE(next->whole.base, base);
    CHECK_FALSE(memory.find(base));
    CHECK(memory.is_device_address(base));
}

TEST_CASE("more than the address range is refused") {
    AddressSpace memory;
    CHECK_EQ(memory.allocate(BlockKind::device, std::uint64_t{1} << 45, 0, "huge"), nullptr);
    CHECK(memory.allocate(BlockKind::device, 16, 0, "small"));
}
