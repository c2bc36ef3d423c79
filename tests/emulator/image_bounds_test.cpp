// hipModuleLoadData is told no size: what an image says of its own must not lead behind the memory that there is.
#include "emulator/hip_program.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace {

using namespace hip_test;

constexpr std::size_t kPage = 4096;

/// Bytes that end where unreadable memory begins.
class AtTheEdge {
public:
    explicit AtTheEdge(const std::string& bytes) : whole_((bytes.size() + kPage - 1) / kPage * kPage + kPage) {
        memory_ = static_cast<char*>(mmap(nullptr, whole_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        REQUIRE(memory_ != MAP_FAILED);
        at_ = memory_ + whole_ - kPage - bytes.size();
        std::memcpy(at_, bytes.data(), bytes.size());
        REQUIRE_EQ(mprotect(memory_ + whole_ - kPage, kPage, PROT_NONE), 0);
    }
    ~AtTheEdge() { munmap(memory_, whole_); }
    AtTheEdge(const AtTheEdge&) = delete;
    AtTheEdge& operator=(const AtTheEdge&) = delete;

    const void* get() const { return at_; }

private:
    std::size_t whole_;
    char* memory_ = nullptr;
    char* at_ = nullptr;
};

void put(std::string& bytes, std::size_t at, std::uint64_t value) { std::memcpy(bytes.data() + at, &value, sizeof value); }

constexpr std::size_t kFirstEntry = 32, kOffset = kFirstEntry, kSize = kFirstEntry + 8;

std::string bundle_of(const std::string& object) {
    const std::string name = "hipv4-amdgcn-amd-amdhsa--gfx1100";
    std::string bytes = "__CLANG_OFFLOAD_BUNDLE__" + std::string(32, '\0') + name;
    put(bytes, 24, 1);
    put(bytes, kSize, object.size());
    put(bytes, kSize + 8, name.size());
    bytes.resize(256);
    put(bytes, kOffset, bytes.size());
    return bytes + object;
}

hipError_t load(const std::string& bytes) {
    const AtTheEdge image(bytes);
    hipModule_t module = nullptr;
    const hipError_t error = hipModuleLoadData(&module, image.get());
    if (error == hipSuccess) HIP_OK(hipModuleUnload(module));
    return error;
}

const std::string& object() {
    static const std::string code = compile(R"(extern "C" __global__ void nothing() {})");
    return code;
}

}  // namespace

TEST_CASE("an image that ends where memory does is loaded, as a code object and in a bundle") {
    CHECK_EQ(load(object()), hipSuccess);
    CHECK_EQ(load(bundle_of(object())), hipSuccess);
}

TEST_CASE("a code object that claims more than there is, is refused") {
    std::string bytes = object();
    std::uint64_t sections = 0;
    std::memcpy(&sections, bytes.data() + 40, sizeof sections);  // e_shoff
    put(bytes, 40, sections + 3 * kPage);
    CHECK_EQ(load(bytes), hipErrorInvalidImage);
    CHECK(explanation().find("there is no memory to read") != std::string::npos);
    CHECK_EQ(load(object().substr(0, object().size() - 1)), hipErrorInvalidImage);
}

TEST_CASE("a bundle whose table leads behind the memory there is, or contradicts its entry, is refused") {
    const auto changed = [](std::size_t at, std::uint64_t value) {
        std::string bytes = bundle_of(object());
        put(bytes, at, value);
        return load(bytes);
    };
    CHECK_EQ(changed(kOffset, 1 << 20), hipErrorInvalidImage);
    CHECK_EQ(changed(kOffset, std::uint64_t{1} << 60), hipErrorInvalidImage);
    CHECK_EQ(changed(kOffset, 8), hipErrorInvalidImage);
    CHECK_EQ(changed(kSize, object().size() + 1), hipErrorInvalidImage);
    CHECK_EQ(changed(kSize, object().size() - 1), hipErrorInvalidImage);
    CHECK(explanation().find("says that it has") != std::string::npos);
    CHECK_EQ(changed(24, 300), hipErrorInvalidImage);  // entries
    CHECK_EQ(load(std::string("__CLANG_OFFLOAD_BUNDLE__") + std::string(40, '\xff')), hipErrorInvalidImage);
}

TEST_CASE("an address where nothing is, is no image") {
    hipModule_t module = nullptr;
    HIP_FAILS(hipModuleLoadData(&module, reinterpret_cast<const void*>(std::uintptr_t{4096})), hipErrorInvalidValue);
}
