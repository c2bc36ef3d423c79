// The library's own view of HIP (src/hip) on the emulator: devices by name, owners of memory, streams and modules, errors as sentences.
#include <doctest/doctest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/compiled_kernel.hpp"
#include "hip/buffer.hpp"
#include "hip/device.hpp"
#include "hip/event.hpp"
#include "hip/module.hpp"
#include "hip/stream.hpp"

namespace {

using namespace flashwave;

hip::Device open_device() {
    auto device = hip::Device::open("emulated:gfx1100");
    REQUIRE_MESSAGE(device.ok(), device.status().to_string());
    return *device;
}

hip::Module load(const hip::Device& device, const std::string& source) {
    const std::string code = hip_test::compile(source);
    auto module = hip::Module::load(device, std::as_bytes(std::span(code)));
    REQUIRE_MESSAGE(module.ok(), module.status().to_string());
    return std::move(*module);
}

}  // namespace

TEST_CASE("an emulated device is opened by target or card and says that it is one") {
    const hip::Device device = open_device();
    CHECK_EQ(device.facts().target, "gfx1100");
    CHECK_EQ(device.facts().card, "rx7900xtx");
    CHECK(device.facts().emulated);
    CHECK(device.facts().deterministic_clock);
    CHECK_EQ(device.facts().compute_units, 96);
    CHECK_EQ(device.facts().multiprocessors, 48);
    CHECK_EQ(device.facts().wave_size, 32);
    CHECK(device.identity().starts_with("emulated:rx7900xtx gfx1100"));
    CHECK(device.identity().find(device.facts().timing_table_hash) != std::string::npos);
    const auto card = hip::Device::open("emulated:rx7900xtx");
    REQUIRE(card.ok());
    CHECK_EQ(card->ordinal(), device.ordinal());
    CHECK_EQ(card->identity(), device.identity());
}

TEST_CASE("a name that is none, and a card nobody models, are wrong arguments") {
    for (const char* name : {"", "gpu", "hip:", "hip:x", "hip:-1", "hip:0x", "emulated:", "emulated:gfx9999"}) {
        CAPTURE(std::string(name));
        const auto device = hip::Device::open(name);
        REQUIRE_FALSE(device.ok());
        CHECK_EQ(device.status().code(), Code::invalid_argument);
        CHECK(device.status().message().find(name) != std::string::npos);
    }
}

TEST_CASE("a GPU that is not there is no reason to take the emulator, but to say how to ask for it") {
    const auto device = hip::Device::open("hip:63");
    REQUIRE_FALSE(device.ok());
    CHECK_EQ(device.status().code(), Code::unavailable);
    CHECK(device.status().message().find("emulated:gfx1100") != std::string::npos);
}

TEST_CASE("a buffer brings back what was put in, and knows its size") {
    const hip::Device device = open_device();
    auto buffer = hip::Buffer::allocate(device, 100);
    REQUIRE(buffer.ok());
    CHECK(buffer->fill(0x5a).ok());
    const std::string text = "sixteen bytes...";
    CHECK(buffer->upload(text.data(), text.size(), 50).ok());
    std::string back(100, '\0');
    CHECK(buffer->download(back.data(), back.size()).ok());
    CHECK_EQ(back, std::string(50, '\x5a') + text + std::string(34, '\x5a'));
    CHECK_EQ(buffer->upload(text.data(), text.size(), 90).code(), Code::invalid_argument);
    CHECK_EQ(buffer->download(back.data(), 1, 100).code(), Code::invalid_argument);
    hip::Buffer moved = std::move(*buffer);
    CHECK_EQ(buffer->data(), nullptr);
    CHECK_EQ(moved.size(), 100);
    const auto huge = hip::Buffer::allocate(device, std::size_t{1} << 40);
    REQUIRE_FALSE(huge.ok());
    CHECK_EQ(huge.status().code(), Code::out_of_memory);
    CHECK(huge.status().message().find("hipErrorOutOfMemory") != std::string::npos);
    const auto empty = hip::Buffer::allocate(device, 0);
    REQUIRE(empty.ok());
    CHECK_EQ(empty->data(), nullptr);
}

TEST_CASE("a buffer that goes gives its memory back") {
    const hip::Device device = open_device();
    const std::uint64_t before = *device.free_memory();
    {
        auto first = hip::Buffer::allocate(device, 1 << 20), second = hip::Buffer::allocate(device, 1 << 20);
        CHECK_EQ(*device.free_memory(), before - (2 << 20));
        *first = std::move(*second);
        CHECK_EQ(*device.free_memory(), before - (1 << 20));
    }
    CHECK_EQ(*device.free_memory(), before);
}

TEST_CASE("a kernel is found, launched with a block of arguments, and timed") {
    const hip::Device device = open_device();
    const hip::Module module = load(device, R"(
extern "C" __global__ __launch_bounds__(64) void add(int* p, int n) { if (threadIdx.x < n) p[threadIdx.x] += n; }
)");
    CHECK_EQ(module.kernel("nobody").status().code(), Code::not_found);
    const auto kernel = module.kernel("add");
    REQUIRE(kernel.ok());
    CHECK_EQ(*kernel->attribute(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
    CHECK_GT(*kernel->attribute(HIP_FUNC_ATTRIBUTE_NUM_REGS), 0);
    CHECK_EQ(*kernel->blocks_per_multiprocessor(64, 0), 32);
    CHECK_EQ(*kernel->blocks_per_multiprocessor(64, 40000), 3);
    auto buffer = hip::Buffer::allocate(device, 64 * sizeof(int));
    auto stream = hip::Stream::create(device);
    auto start = hip::Event::create(device), stop = hip::Event::create(device);
    REQUIRE((buffer.ok() && stream.ok() && start.ok() && stop.ok()));
    CHECK(buffer->fill(0, stream->get()).ok());
    const struct {
        void* p;
        int n;
    } arguments{buffer->data(), 40};
    CHECK(start->record(stream->get()).ok());
    CHECK(kernel->launch({.grid = {1, 1, 1}, .block = {64, 1, 1}}, stream->get(), &arguments, sizeof arguments).ok());
    CHECK(stop->record(stream->get()).ok());
    CHECK(stop->synchronize().ok());
    CHECK_GT(*stop->milliseconds_since(*start), 0.0f);
    std::vector<int> values(64);
    CHECK(buffer->download(values.data(), 64 * sizeof(int)).ok());
    CHECK_EQ(values[39], 40);
    CHECK_EQ(values[40], 0);
}

TEST_CASE("what a kernel did wrong is told where its stream is waited for") {
    const hip::Device device = open_device();
    const hip::Module module = load(device, R"(extern "C" __global__ void wild(int* p) { p[1000] = 1; })");
    auto buffer = hip::Buffer::allocate(device, 16);
    auto stream = hip::Stream::create(device);
    REQUIRE((buffer.ok() && stream.ok()));
    void* argument = buffer->data();
    CHECK(module.kernel("wild")->launch({}, stream->get(), &argument, sizeof argument).ok());
    const Status status = stream->synchronize();
    CHECK_EQ(status.code(), Code::device_error);
    CHECK(status.message().find("hipStreamSynchronize: hipErrorIllegalAddress") != std::string::npos);
    CHECK(status.message().find("wild") != std::string::npos);
    CHECK(status.message().find("past the end of hipMalloc") != std::string::npos);
    CHECK(stream->synchronize().ok());
    CHECK(device.synchronize().ok());
}

TEST_CASE("a code object that is cut short is refused before HIP reads beyond it") {
    const hip::Device device = open_device();
    const std::string code = hip_test::compile(R"(extern "C" __global__ void empty() {})");
    const auto whole = std::as_bytes(std::span(code));
    for (const std::size_t size : {std::size_t{0}, std::size_t{63}, std::size_t{64}, whole.size() / 2, whole.size() - 1}) {
        CAPTURE(size);
        const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const auto module = hip::Module::load(device, part);
        REQUIRE_FALSE(module.ok());
        CHECK_EQ(module.status().code(), Code::corrupt);
    }
    CHECK(hip::Module::load(device, whole).ok());
}
