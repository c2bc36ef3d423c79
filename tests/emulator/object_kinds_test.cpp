// Code objects of other kinds than our own: generic ones, those with symbols that others might define, managed variables, and code that needs
// something of the runtime which the emulator does not have.
#include "emulator/hip_program.hpp"

#include <cstddef>

namespace {

using namespace hip_test;

constexpr std::size_t kAbiVersion = 8, kProcessor = 48, kGenericVersion = 51;  // bytes of the ELF header

/// As the compiler writes it for gfx11-generic, whose instructions all gfx11 cards have.
std::string as_generic(std::string object) {
    object[kAbiVersion] = 4;  // code object V6
    object[kProcessor] = 0x54;
    object[kGenericVersion] = 1;
    return object;
}

}  // namespace

TEST_CASE("a generic code object of gfx11 runs on a card of that family, one of another family is refused") {
    const std::string object = as_generic(compile(R"(extern "C" __global__ void count(int* p) { p[threadIdx.x] = threadIdx.x; })"));
    const Module module(object);
    const Array<int> data(3);
    HIP_OK(launch(module.kernel("count"), {1}, {3}, 0, nullptr, data.get()));
    CHECK_EQ(data.read(), std::vector<int>{0, 1, 2});

    std::string other = object;
    other[kProcessor] = 0x59;
    hipModule_t refused = nullptr;
    HIP_FAILS(hipModuleLoadData(&refused, other.data()), hipErrorNoBinaryForGpu);
    CHECK(explanation().find("gfx12-generic") != std::string::npos);
}

TEST_CASE("functions and variables of default visibility are found, a weak one that nobody defines is null") {
    for (const char* level : {"-O0", "-O3"}) {
        CAPTURE(level);
        const Module module(compile(R"(
__attribute__((weak, visibility("default"), noinline)) __device__ int twice(int x) { return 2 * x; }
__attribute__((visibility("default"))) __device__ int counter = 3;
__attribute__((weak, visibility("default"))) extern __device__ int absent;
extern "C" __global__ void sample(int* p) { p[threadIdx.x] = twice(threadIdx.x) + counter + (&absent == nullptr ? 100 : 0); }
)",
                                    {level}));
        const Array<int> data(3);
        HIP_OK(launch(module.kernel("sample"), {1}, {3}, 0, nullptr, data.get()));
        CHECK_EQ(data.read(), std::vector<int>{103, 105, 107});
    }
}

TEST_CASE("a managed variable of a module has its first value and is read and written by the host") {
    int* count = nullptr;
    {
        const Module module(compile(R"(
__attribute__((managed)) __device__ int count = 7;
extern "C" __global__ void add(int by) { count += by; }
)"));
        hipDeviceptr_t pointer = nullptr;
        std::size_t bytes = 0;
        HIP_OK(hipModuleGetGlobal(&pointer, &bytes, module.get(), "count"));
        CHECK_EQ(bytes, sizeof(int));
        count = static_cast<int*>(pointer);
        CHECK_EQ(*count, 7);
        *count = 10;
        HIP_OK(launch(module.kernel("add"), {1}, {1}, 0, nullptr, 5));
        HIP_OK(hipDeviceSynchronize());
        CHECK_EQ(*count, 15);
    }
    // Gone with its module.
    int value = 0;
    CHECK_NE(hipMemcpyDtoH(&value, count, sizeof value), hipSuccess);
}

TEST_CASE("what the runtime gives to kernels and the emulator does not have is called by its name, by those that use it alone") {
    const Module module(compile(R"(
extern "C" __global__ void talks(int* p, int who) { if (threadIdx.x == who) printf("%d", who); p[threadIdx.x] = who; }
extern "C" __global__ void allocates(int* p, int who) {
    if (threadIdx.x == who) { int* q = static_cast<int*>(malloc(16)); q[0] = 1; p[0] = q[0]; free(q); }
    p[threadIdx.x] = who;
}
)"));
    const struct {
        const char* kernel;
        const char* part;
    } cases[] = {{"talks", "printf"}, {"allocates", "the heap of malloc"}};
    for (const auto& one : cases) {
        CAPTURE(one.kernel);
        const Array<int> data(4);
        HIP_OK(launch(module.kernel(one.kernel), {1}, {4}, 0, nullptr, data.get(), 9));
        CHECK_EQ(data.read(), std::vector<int>{9, 9, 9, 9});
        HIP_OK(launch(module.kernel(one.kernel), {1}, {4}, 0, nullptr, data.get(), 2));
        HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
        CHECK(explanation().find("lane 2") != std::string::npos);
        CHECK(explanation().find(one.part) != std::string::npos);
        CHECK(explanation().find("which the emulator does not have") != std::string::npos);
    }
}
