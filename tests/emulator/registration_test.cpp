// What hipcc's host code does: registering an embedded bundle, launching by the address of a host function, variables by their shadow.
#include "emulator/hip_program.hpp"

extern "C" {
void** __hipRegisterFatBinary(const void* data);
void __hipRegisterFunction(void** handle, const void* host_function, char* device_function, const char* device_name, unsigned thread_limit, void*,
                           void*, dim3*, dim3*, int*);
void __hipRegisterVar(void** handle, void* variable, char* host_name, char* device_name, int external, std::size_t bytes, int constant, int global);
void __hipRegisterManagedVar(void* handle, void** pointer, void* first_value, const char* name, std::size_t bytes, unsigned alignment);
void __hipUnregisterFatBinary(void** handle);
hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes, hipStream_t stream,
                              hipEvent_t start, hipEvent_t stop, int flags);
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream);
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, hipStream_t* stream);
}

namespace {

using namespace hip_test;

/// A bundle with one entry, at an alignment as the compiler gives it.
std::string bundle_of(const std::string& code) {
    const std::string name = "hipv4-amdgcn-amd-amdhsa--gfx1100";
    std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
    const auto word = [&](std::uint64_t value) { bundle.append(reinterpret_cast<const char*>(&value), 8); };
    word(1);
    word(4096);
    word(code.size());
    word(name.size());
    bundle += name;
    bundle.resize(4096);
    return bundle + code;
}

struct Wrapper {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* binary;
    void* unused = nullptr;
};
int shadow = 0;                 // the host's stand-in of a device variable
void scale_stub(int*, int) {}   // and of a kernel
void unknown_stub() {}

}  // namespace

TEST_CASE("a program of hipcc registers its kernels and variables and uses them by their host addresses") {
    const std::string bundle = bundle_of(compile(R"(
__device__ int factor = 3;
extern "C" __global__ void scale(int* p, int by) { p[threadIdx.x] *= by * factor; }
)"));
    const Wrapper wrapper{.binary = bundle.data()};
    void** handle = __hipRegisterFatBinary(&wrapper);
    REQUIRE(handle);
    char name[] = "scale", variable[] = "factor";
    const void* kernel = reinterpret_cast<const void*>(&scale_stub);
    __hipRegisterFunction(handle, kernel, name, name, ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
    __hipRegisterVar(handle, &shadow, variable, variable, 0, sizeof(int), 0, 0);

    HIP_OK(__hipPushCallConfiguration({1}, {4}, 0, nullptr));
    dim3 grid, block;
    std::size_t shared_bytes = 1;
    hipStream_t stream = hipStreamLegacy;
    HIP_OK(__hipPopCallConfiguration(&grid, &block, &shared_bytes, &stream));
    CHECK_EQ(block.x, 4);
    CHECK_EQ(shared_bytes, 0);
    CHECK_EQ(__hipPopCallConfiguration(&grid, &block, &shared_bytes, &stream), hipErrorMissingConfiguration);

    const Array<int> data(std::vector<int>{1, 2, 3, 4});
    int* pointer = data.get();
    int by = 2;
    void* arguments[] = {&pointer, &by};
    HIP_OK(hipLaunchKernel(kernel, grid, block, arguments, 0, nullptr));
    CHECK_EQ(data.read(), std::vector<int>{6, 12, 18, 24});

    // The same between two events.
    hipEvent_t start = nullptr, stop = nullptr;
    HIP_OK(hipEventCreate(&start));
    HIP_OK(hipEventCreate(&stop));
    int one = 1;
    void* unchanged[] = {&pointer, &one};
    HIP_OK(hipExtLaunchKernel(kernel, grid, block, unchanged, 0, nullptr, start, stop, 0));
    HIP_OK(hipEventSynchronize(stop));
    float milliseconds = 0;
    HIP_OK(hipEventElapsedTime(&milliseconds, start, stop));
    CHECK_GT(milliseconds, 0);
    CHECK_EQ(data.read(), std::vector<int>{18, 36, 54, 72});
    HIP_OK(hipEventDestroy(start));
    HIP_OK(hipEventDestroy(stop));

    const int seven = 7;
    int factor = 0;
    HIP_OK(hipMemcpyFromSymbol(&factor, &shadow, sizeof factor, 0, hipMemcpyDeviceToHost));
    CHECK_EQ(factor, 3);
    HIP_OK(hipMemcpyToSymbol(&shadow, &seven, sizeof seven, 0, hipMemcpyHostToDevice));
    HIP_OK(hipLaunchKernel(kernel, grid, block, arguments, 0, nullptr));
    CHECK_EQ(data.read()[0], 252);
    HIP_FAILS(hipMemcpyToSymbol(&shadow, &seven, sizeof seven, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);

    hipFuncAttributes attributes;
    HIP_OK(hipFuncGetAttributes(&attributes, kernel));
    CHECK_EQ(attributes.sharedSizeBytes, 0);
    CHECK_GT(attributes.numRegs, 0);
    int blocks = 0;
    HIP_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    CHECK_GT(blocks, 0);
    int with_flags = 0, best_grid = 0, best_block = 0;
    HIP_OK(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&with_flags, kernel, 256, 0, 0));
    CHECK_EQ(with_flags, blocks);
    HIP_OK(hipOccupancyMaxPotentialBlockSize(&best_grid, &best_block, kernel, 0, 0));
    CHECK_GT(best_grid, 0);
    CHECK_GT(best_block, 0);
    HIP_OK(hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 65536));
    HIP_FAILS(hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 65537), hipErrorInvalidValue);
    HIP_FAILS(hipLaunchKernel(reinterpret_cast<const void*>(&unknown_stub), grid, block, arguments, 0, nullptr), hipErrorInvalidDeviceFunction);

    __hipUnregisterFatBinary(handle);
    HIP_FAILS(hipLaunchKernel(kernel, grid, block, arguments, 0, nullptr), hipErrorInvalidDeviceFunction);
}

TEST_CASE("a managed variable is one for the host and for the kernels of a program, and outlives a reset of the device") {
    const std::string bundle = bundle_of(compile(R"(
__attribute__((managed)) __device__ int count = 7;
extern "C" __global__ void add(int by) { count += by; }
)"));
    const Wrapper wrapper{.binary = bundle.data()};
    void** handle = __hipRegisterFatBinary(&wrapper);
    REQUIRE(handle);
    char name[] = "add";
    const void* kernel = reinterpret_cast<const void*>(&scale_stub);
    __hipRegisterFunction(handle, kernel, name, name, ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
    int* count = nullptr;
    int first_value = 7;
    __hipRegisterManagedVar(handle, reinterpret_cast<void**>(&count), &first_value, "count", sizeof(int), 4);
    REQUIRE(count);
    CHECK_EQ(*count, 7);
    int by = 5;
    void* arguments[] = {&by};
    *count = 20;
    HIP_OK(hipLaunchKernel(kernel, {1}, {1}, arguments, 0, nullptr));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(*count, 25);
    void* address = nullptr;
    HIP_OK(hipGetSymbolAddress(&address, &count));
    CHECK_EQ(address, count);
    HIP_OK(hipDeviceReset());
    HIP_OK(hipLaunchKernel(kernel, {1}, {1}, arguments, 0, nullptr));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(*count, 30);
    __hipUnregisterFatBinary(handle);
}
