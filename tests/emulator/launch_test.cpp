// Kernels through plain HIP calls: arguments, shapes, limits, findings.
#include "emulator/hip_program.hpp"

#include <numeric>

namespace {

using namespace hip_test;

constexpr const char* kVectorAdd = R"(
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
)";

std::vector<float> ramp(std::size_t count, float step) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) * step;
    return values;
}

}  // namespace

TEST_CASE("a vector addition gives the sums") {
    const Module module(compile(kVectorAdd));
    constexpr int n = 1000;
    const Array<float> a(ramp(n, 1.0f)), b(ramp(n, 0.5f)), c(n);
    HIP_OK(launch(module.kernel("vector_add"), {8}, {128}, 0, nullptr, a.get(), b.get(), c.get(), n));
    HIP_OK(hipDeviceSynchronize());
    const std::vector<float> sums = c.read();
    for (int i = 0; i < n; ++i) REQUIRE_EQ(sums[static_cast<std::size_t>(i)], static_cast<float>(i) * 1.5f);
}

TEST_CASE("arguments may come as one block") {
    const Module module(compile(kVectorAdd));
    constexpr int n = 64;
    const Array<float> a(ramp(n, 2.0f)), b(ramp(n, 3.0f)), c(n);
    struct {
        const float *a, *b;
        float* c;
        int n;
    } block{a.get(), b.get(), c.get(), n};
    std::size_t bytes = sizeof block;
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
    HIP_OK(hipModuleLaunchKernel(module.kernel("vector_add"), 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
    CHECK_EQ(c.read()[63], 315.0f);

    bytes = 20;
    HIP_FAILS(hipModuleLaunchKernel(module.kernel("vector_add"), 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra), hipErrorInvalidValue);
    CHECK(explanation().find("takes 28 bytes of arguments and got 20") != std::string::npos);
}

TEST_CASE("an address out of bounds stops the launch and names the allocation") {
    const Module module(compile(kVectorAdd));
    const Array<float> a(ramp(100, 1.0f)), b(ramp(100, 1.0f)), c(64);
    HIP_OK(launch(module.kernel("vector_add"), {1}, {96}, 0, nullptr, a.get(), b.get(), c.get(), 96));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    const std::string text = explanation();
    CHECK(text.find("vector_add") != std::string::npos);
    CHECK(text.find("past the end of hipMalloc #") != std::string::npos);
    CHECK(text.find("global_store") != std::string::npos);
    HIP_OK(hipDeviceSynchronize());  // it was reported: the device goes on
}

TEST_CASE("use after free is found and called so") {
    const Module module(compile(kVectorAdd));
    const Array<float> a(ramp(32, 1.0f)), b(ramp(32, 1.0f));
    void* gone = nullptr;
    HIP_OK(hipMalloc(&gone, 128));
    HIP_OK(hipFree(gone));
    HIP_OK(launch(module.kernel("vector_add"), {1}, {32}, 0, nullptr, a.get(), b.get(), static_cast<float*>(gone), 32));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    CHECK(explanation().find("which was freed") != std::string::npos);
}

TEST_CASE("a launch that the card cannot do is refused at once") {
    const Module module(compile(kVectorAdd));
    const hipFunction_t kernel = module.kernel("vector_add");
    const Array<float> x(32);
    const auto shape = [&](dim3 grid, dim3 block, unsigned shared) { return launch(kernel, grid, block, shared, nullptr, x.get(), x.get(), x.get(), 0); };
    HIP_FAILS(shape({0}, {32}, 0), hipErrorInvalidConfiguration);
    HIP_FAILS(shape({1}, {32, 0}, 0), hipErrorInvalidConfiguration);
    HIP_FAILS(shape({1}, {32, 33}, 0), hipErrorInvalidConfiguration);
    HIP_FAILS(shape({1}, {32}, 65537), hipErrorLaunchOutOfResources);
    HIP_OK(shape({1}, {32}, 65536));
    HIP_FAILS(hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(16), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
              hipErrorInvalidDeviceFunction);
    HIP_FAILS(hipModuleLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), hipErrorInvalidValue);
    HIP_OK(hipDeviceSynchronize());
}

TEST_CASE("the occupancy that is told beforehand is the one a launch has, whatever its block") {
    const Module module(compile(kVectorAdd));
    const hipFunction_t kernel = module.kernel("vector_add");
    constexpr int n = 64;
    const Array<float> a(ramp(n, 1.0f)), b(ramp(n, 1.0f)), c(n);
    for (const unsigned threads : {1u, 32u, 160u, 256u, 1024u}) {
        for (const unsigned dynamic_bytes : {0u, 20000u, 65536u}) {
            CAPTURE(threads);
            CAPTURE(dynamic_bytes);
            int blocks = -1;
            HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), dynamic_bytes));
            HIP_OK(launch(kernel, {1}, {threads}, dynamic_bytes, nullptr, a.get(), b.get(), c.get(), n));
            HIP_OK(hipDeviceSynchronize());
            HipemuLaunchStats stats;
            HIP_OK(hipemuLastLaunch(&stats));
            CHECK_EQ(static_cast<std::uint32_t>(blocks), stats.groups_per_wgp);
        }
    }
    int blocks = -1;
    HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 65537));
    CHECK_EQ(blocks, 0);
    HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 2048, 0));
    CHECK_EQ(blocks, 0);
}

TEST_CASE("the block that fills a multiprocessor best is told, within what the kernel and the caller allow") {
    const Module module(compile(kVectorAdd));
    const Module bounded(compile(R"(extern "C" __global__ __launch_bounds__(96) void fill(int* p) { p[threadIdx.x] = 1; })"));
    const hipFunction_t kernel = module.kernel("vector_add");
    int multiprocessors = 0;
    HIP_OK(hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount, 0));
    const auto best = [&](hipFunction_t function, std::size_t dynamic_bytes, int limit, int most = 1024) {
        int grid = 0, block = 0, blocks = 0;
        HIP_OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, dynamic_bytes, limit));
        HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, block, dynamic_bytes, 0));
        CHECK_EQ(grid, blocks * multiprocessors);
        // None is better.
        for (int size = 32; size <= (limit ? limit : most); size += 32) {
            int others = 0;
            HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&others, function, size, dynamic_bytes));
            CHECK_LE(others * size, blocks * block);
        }
        return block;
    };
    CHECK_EQ(best(kernel, 0, 0), 1024);
    CHECK_EQ(best(kernel, 0, 256), 256);
    CHECK_EQ(best(kernel, 60000, 0), 1024);
    CHECK_LE(best(bounded.kernel("fill"), 0, 0, 96), 96);
    int grid = 0, block = 0;
    HIP_OK(hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, kernel, 0, 100, 1));
    CHECK_GT(block, 0);
    CHECK_LE(block, 100);
    HIP_FAILS(hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, kernel, 0, 0, 2), hipErrorInvalidValue);
    HIP_FAILS(hipModuleOccupancyMaxPotentialBlockSize(nullptr, &block, kernel, 0, 0), hipErrorInvalidValue);
    HIP_FAILS(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, nullptr, 0, 0), hipErrorInvalidDeviceFunction);
}

TEST_CASE("hidden arguments tell the kernel its launch") {
    const Module module(compile(R"(
extern "C" __global__ void shape(unsigned* out) {
    extern __shared__ unsigned dynamic[];
    if (threadIdx.y == 0 && threadIdx.z == 0) dynamic[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0 && blockIdx.x == 1 && blockIdx.y == 2 && blockIdx.z == 3) {
        out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
        out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
        out[6] = blockIdx.x; out[7] = blockIdx.y; out[8] = blockIdx.z;
        out[9] = dynamic[0];
    }
}
)"));
    const Array<unsigned> out(10);
    HIP_OK(launch(module.kernel("shape"), {2, 3, 4}, {8, 4, 2}, 256, nullptr, out.get()));
    CHECK_EQ(out.read(), std::vector<unsigned>{2, 3, 4, 8, 4, 2, 1, 2, 3, 0});
}

TEST_CASE("launch bounds are kept") {
    const Module module(compile(R"(extern "C" __global__ __launch_bounds__(64) void bounded(int* p) { *p = 1; })"));
    const Array<int> p(1);
    HIP_FAILS(launch(module.kernel("bounded"), {1}, {128}, 0, nullptr, p.get()), hipErrorLaunchFailure);
    HIP_OK(launch(module.kernel("bounded"), {1}, {64}, 0, nullptr, p.get()));
    CHECK_EQ(p.read()[0], 1);
    int threads = 0;
    HIP_OK(hipFuncGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, module.kernel("bounded")));
    CHECK_EQ(threads, 64);
}

TEST_CASE("two modules keep their variables apart") {
    const std::string code = compile(R"(
__device__ int counter = 5;
extern "C" __global__ void step(int by) { counter += by; }
)");
    const Module first(code), second(code);
    HIP_OK(launch(first.kernel("step"), {1}, {1}, 0, nullptr, 10));
    HIP_OK(launch(second.kernel("step"), {1}, {1}, 0, nullptr, 100));
    const auto value = [](const Module& module) {
        hipDeviceptr_t pointer = nullptr;
        std::size_t bytes = 0;
        HIP_OK(hipModuleGetGlobal(&pointer, &bytes, module.get(), "counter"));
        CHECK_EQ(bytes, sizeof(int));
        int result = 0;
        HIP_OK(hipMemcpyDtoH(&result, pointer, sizeof result));
        return result;
    };
    CHECK_EQ(value(first), 15);
    CHECK_EQ(value(second), 105);
    hipDeviceptr_t pointer = nullptr;
    HIP_FAILS(hipModuleGetGlobal(&pointer, nullptr, first.get(), "nobody"), hipErrorNotFound);
    hipFunction_t function = nullptr;
    HIP_FAILS(hipModuleGetFunction(&function, first.get(), "nobody"), hipErrorNotFound);
}

TEST_CASE("a kernel's modelled time is the same every time and grows with its work") {
    const Module module(compile(kVectorAdd));
    constexpr int n = 1 << 16;
    const Array<float> a(std::vector<float>(n, 1.0f)), b(std::vector<float>(n, 2.0f)), c(n);
    hipEvent_t start = nullptr, stop = nullptr;
    HIP_OK(hipEventCreate(&start));
    HIP_OK(hipEventCreate(&stop));
    const auto time = [&](unsigned blocks) {
        HIP_OK(hipEventRecord(start, nullptr));
        HIP_OK(launch(module.kernel("vector_add"), {blocks}, {256}, 0, nullptr, a.get(), b.get(), c.get(), n));
        HIP_OK(hipEventRecord(stop, nullptr));
        HIP_OK(hipEventSynchronize(stop));
        float milliseconds = 0;
        HIP_OK(hipEventElapsedTime(&milliseconds, start, stop));
        return milliseconds;
    };
    const float small = time(16), large = time(256);
    CHECK_GT(small, 0.0f);
    CHECK_GT(large, small);
    CHECK_EQ(time(256), doctest::Approx(large).epsilon(1e-6));
    HipemuLaunchStats stats;
    HIP_OK(hipemuLastLaunch(&stats));
    CHECK_EQ(stats.groups, 256);
    CHECK_EQ(stats.groups_run, 256);
    CHECK_GT(stats.instructions[2], 0);
    HIP_OK(hipEventDestroy(start));
    HIP_OK(hipEventDestroy(stop));
}

TEST_CASE("a kernel whose stack the compiler cannot tell has the default one") {
    const Module module(compile(R"(
__device__ __attribute__((noinline)) int fibonacci(int n) {
    volatile int kept = n;
    return n < 2 ? kept : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursive(int* out, int n) { out[threadIdx.x] = fibonacci(n); }
)"));
    int bytes = 0;
    HIP_OK(hipFuncGetAttribute(&bytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, module.kernel("recursive")));
    CHECK_GE(bytes, 1024);
    const Array<int> out(32);
    HIP_OK(launch(module.kernel("recursive"), {1}, {32}, 0, nullptr, out.get(), 6));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(out.read()[31], 8);
}

TEST_CASE("a loop that waits for the clock ends") {
    const Module module(compile(R"(
extern "C" __global__ void wait(unsigned long long* out) {
    const long long start = clock64();
    while (clock64() - start < 1000) {}
    out[0] = static_cast<unsigned long long>(clock64() - start);
    out[1] = wall_clock64();
}
)"));
    const Array<unsigned long long> out(2);
    HIP_OK(launch(module.kernel("wait"), {1}, {32}, 0, nullptr, out.get()));
    HIP_OK(hipDeviceSynchronize());
    CHECK_GE(out.read()[0], 1000);
    CHECK_GT(out.read()[1], 0);
}

TEST_CASE("private memory that no card has is refused when the module is loaded") {
    std::string code = compile(R"(
extern "C" __global__ void scattered(int* out, int i) {
    volatile int kept[300];
    for (int k = 0; k < 300; ++k) kept[k] = k;
    out[threadIdx.x] = kept[i];
}
)");
    int bytes = 0;
    {
        const Module module(code);
        HIP_OK(hipFuncGetAttribute(&bytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, module.kernel("scattered")));
    }
    REQUIRE_GE(bytes, 1200);
    // The kernel descriptor, 64 bytes at a multiple of 64, begins with the bytes of LDS and of private memory.
    const std::uint32_t sizes[] = {0, static_cast<std::uint32_t>(bytes)}, huge[] = {0, 0xfffffff0};
    std::size_t changed = 0;
    for (std::size_t at = 0; at + 64 <= code.size(); at += 64)
        if (std::memcmp(code.data() + at, sizes, sizeof sizes) == 0) std::memcpy(code.data() + at, huge, sizeof huge), ++changed;
    REQUIRE_EQ(changed, 1);
    hipModule_t module = nullptr;
    HIP_FAILS(hipModuleLoadData(&module, code.data()), hipErrorInvalidImage);
    CHECK(explanation().find("private memory") != std::string::npos);
}
