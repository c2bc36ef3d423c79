// Cooperative launches: all work-groups run at once and meet at a barrier of the grid.
#include "emulator/hip_program.hpp"

namespace {

using namespace hip_test;

// What cooperative_groups::this_grid().sync() of HIP's headers is, and what is_valid() asks.
constexpr const char* kGrid = R"(
extern "C" __device__ void __ockl_grid_sync(void);
extern "C" __device__ int __ockl_grid_is_valid(void);
)";

constexpr const char* kReversed = R"(
extern "C" __global__ void reversed(int* from, int* to, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, last = gridDim.x * blockDim.x - 1;
    for (int round = 0; round < rounds; ++round) {
        from[i] = i + round;
        if (MEET) __ockl_grid_sync();
        to[i] = from[last - i];
        __ockl_grid_sync();
    }
}
extern "C" __global__ void valid(int* result) { *result = __ockl_grid_is_valid(); }
)";

std::string source(bool meets) { return std::string(meets ? "#define MEET 1\n" : "#define MEET 0\n") + kGrid + kReversed; }

hipError_t together(hipFunction_t function, unsigned blocks, unsigned threads, void** arguments, hipStream_t stream = nullptr) {
    return hipModuleLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments);
}

}  // namespace

TEST_CASE("the work-groups of a cooperative launch meet as often as they like, in every launch anew") {
    const Module module(compile(source(true)));
    constexpr int kBlocks = 40, kThreads = 64, kCount = kBlocks * kThreads;
    const Array<int> from(kCount), to(kCount);
    for (int rounds = 1; rounds <= 3; ++rounds) {
        int *first = from.get(), *second = to.get();
        void* arguments[] = {&first, &second, &rounds};
        HIP_OK(together(module.kernel("reversed"), kBlocks, kThreads, arguments));
        HIP_OK(hipDeviceSynchronize());
        const std::vector<int> result = to.read();
        for (int i = 0; i < kCount; ++i) REQUIRE_EQ(result[static_cast<std::size_t>(i)], kCount - 1 - i + rounds - 1);
    }
}

TEST_CASE("work-groups that do not wait for each other race, also in a cooperative launch") {
    const Module module(compile(source(false)));
    const Array<int> from(std::vector<int>(256)), to(256);
    int *first = from.get(), *second = to.get(), rounds = 2;
    void* arguments[] = {&first, &second, &rounds};
    HIP_OK(together(module.kernel("reversed"), 4, 64, arguments));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorLaunchFailure);
    const std::string text = explanation();
    CHECK_MESSAGE(text.find("nothing orders the two groups") != std::string::npos, text);
}

TEST_CASE("a kernel knows whether its launch is cooperative, and a graph's is what was captured") {
    const Module module(compile(source(true)));
    const Array<int> result(1);
    int* pointer = result.get();
    void* arguments[] = {&pointer};
    HIP_OK(together(module.kernel("valid"), 1, 1, arguments));
    CHECK_EQ(result.read()[0], 1);
    HIP_OK(hipModuleLaunchKernel(module.kernel("valid"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK_EQ(result.read()[0], 0);

    hipStream_t stream = nullptr;
    HIP_OK(hipStreamCreate(&stream));
    HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    HIP_OK(together(module.kernel("valid"), 1, 1, arguments, stream));
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamEndCapture(stream, &graph));
    hipGraphExec_t replay = nullptr;
    HIP_OK(hipGraphInstantiate(&replay, graph, nullptr, nullptr, 0));
    HIP_OK(hipGraphLaunch(replay, stream));
    HIP_OK(hipStreamSynchronize(stream));
    CHECK_EQ(result.read()[0], 1);
    HIP_OK(hipGraphExecDestroy(replay));
    HIP_OK(hipGraphDestroy(graph));
    HIP_OK(hipStreamDestroy(stream));
}

TEST_CASE("a cooperative launch of more blocks than the device holds is refused") {
    const Module module(compile(source(true)));
    const Array<int> from(1), to(1);
    int *first = from.get(), *second = to.get(), rounds = 0;
    void* arguments[] = {&first, &second, &rounds};
    int held = 0;
    HIP_OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&held, module.kernel("reversed"), 1024, 0));
    hipDeviceProp_tR0600 properties;
    HIP_OK(hipGetDevicePropertiesR0600(&properties, 0));
    CHECK_EQ(properties.cooperativeLaunch, 1);
    const auto most = static_cast<unsigned>(held * properties.multiProcessorCount);
    HIP_OK(together(module.kernel("reversed"), most, 1024, arguments));
    HIP_OK(hipDeviceSynchronize());
    HIP_FAILS(together(module.kernel("reversed"), most + 1, 1024, arguments), hipErrorCooperativeLaunchTooLarge);
    CHECK(explanation().find("the device holds " + std::to_string(most) + " of them at a time") != std::string::npos);
}
