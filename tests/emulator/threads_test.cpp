// Several threads in one process: a kernel that runs holds up nobody who does not wait for it, and times and results are as with one thread.
#include "emulator/hip_program.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using namespace hip_test;

const std::string& code() {
    static const std::string text = compile(R"(
        extern "C" __global__ void fill(int* to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value + threadIdx.x; })");
    return text;
}

/// A kernel that blocks until its release.
class Blocked {
public:
    Blocked(const Module& module, int* to) {
        HIP_OK(hipemuSetFaults("hang:fill:1:block"));
        thread_ = std::thread([this, kernel = module.kernel("fill"), to] {
            hipStream_t stream = nullptr;
            HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
            started_ = true;
            HIP_OK(launch(kernel, {1}, {32}, 0, stream, to, 1));
            error_ = hipStreamSynchronize(stream);
            HIP_OK(hipStreamDestroy(stream));
            ended_ = true;
        });
        while (!started_) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ~Blocked() { (void)end(); }

    bool ended() const { return ended_; }
    hipError_t end() {
        (void)hipemuSetFaults("");
        if (thread_.joinable()) thread_.join();
        return error_;
    }

private:
    std::thread thread_;
    std::atomic<bool> started_{false}, ended_{false};
    hipError_t error_ = hipSuccess;
};

}  // namespace

TEST_CASE("calls that do not wait for work go on while a kernel runs in another thread") {
    const Module module(code());
    const Array<int> data(std::vector<int>(32, 0)), other(std::vector<int>(32, 0));
    Blocked blocked(module, data.get());
    int device = -1;
    HIP_OK(hipGetDevice(&device));
    void* memory = nullptr;
    HIP_OK(hipMalloc(&memory, 4096));
    hipStream_t stream = nullptr;
    HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    hipEvent_t event = nullptr;
    HIP_OK(hipEventCreate(&event));
    const Module another(code());
    CHECK(another.kernel("fill") != nullptr);
    HIP_OK(hipStreamQuery(stream));
    HIP_OK(hipEventQuery(event));
    hipPointerAttribute_t attributes{};
    HIP_OK(hipPointerGetAttributes(&attributes, memory));
    CHECK_FALSE(blocked.ended());
    CHECK_EQ(blocked.end(), hipErrorLaunchTimeOut);
    HIP_OK(hipMemsetD32Async(other.get(), 3, 32, stream));
    HIP_OK(hipStreamSynchronize(stream));
    HIP_OK(hipFree(memory));
    HIP_OK(hipEventDestroy(event));
    HIP_OK(hipStreamDestroy(stream));
}

TEST_CASE("what needs the device waits for its turn, and memory that a kernel sees is freed only after it") {
    const Module module(code());
    int* data = nullptr;
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&data), 128));
    Blocked blocked(module, data);
    std::atomic<bool> freed{false};
    std::thread freeing([&] {
        HIP_OK(hipFree(data));
        freed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(freed);
    CHECK_EQ(blocked.end(), hipErrorLaunchTimeOut);
    freeing.join();
    CHECK(freed);
}

TEST_CASE("threads with a stream each get their own results, whatever the others do") {
    const Module module(code());
    const hipFunction_t fill = module.kernel("fill");
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            hipStream_t stream = nullptr;
            if (hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess) return;
            bool right = true;
            for (int round = 0; round < 20; ++round) {
                int* memory = nullptr;
                std::vector<int> result(256);
                const int value = thread * 1000 + round;
                right = right && hipMallocAsync(reinterpret_cast<void**>(&memory), 1024, stream) == hipSuccess;
                right = right && launch(fill, {4}, {64}, 0, stream, memory, value) == hipSuccess;
                right = right && hipMemcpyDtoHAsync(result.data(), memory, 1024, stream) == hipSuccess;
                right = right && hipFreeAsync(memory, stream) == hipSuccess && hipStreamSynchronize(stream) == hipSuccess;
                for (int i = 0; i < 256; ++i) right = right && result[static_cast<std::size_t>(i)] == value + i % 64;
            }
            right = right && hipStreamDestroy(stream) == hipSuccess;
            good += right;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(good, 4);
}

TEST_CASE("a kernel's modelled time is the same beside busy threads") {
    const Module module(code());
    const hipFunction_t fill = module.kernel("fill");
    const Array<int> data(64 * 64), other(64 * 64);
    const auto time = [&] {
        hipEvent_t start = nullptr, stop = nullptr;
        HIP_OK(hipEventCreate(&start));
        HIP_OK(hipEventCreate(&stop));
        HIP_OK(hipEventRecord(start, nullptr));
        HIP_OK(launch(fill, {64}, {64}, 0, nullptr, data.get(), 1));
        HIP_OK(hipEventRecord(stop, nullptr));
        HIP_OK(hipEventSynchronize(stop));
        float milliseconds = 0;
        HIP_OK(hipEventElapsedTime(&milliseconds, start, stop));
        HIP_OK(hipEventDestroy(start));
        HIP_OK(hipEventDestroy(stop));
        return milliseconds;
    };
    const float alone = time();
    std::atomic<bool> over{false};
    std::thread busy([&] {
        // Of no use to the device's engines: what is asked and allocated.
        while (!over) {
            void* memory = nullptr;
            int device = 0;
            if (hipMalloc(&memory, 4096) != hipSuccess || hipGetDevice(&device) != hipSuccess || hipFree(memory) != hipSuccess) break;
        }
    });
    for (int i = 0; i < 10; ++i) CHECK_EQ(time(), doctest::Approx(alone).epsilon(1e-4));
    over = true;
    busy.join();
}

TEST_CASE("a host function does not hold up other threads") {
    hipStream_t stream = nullptr;
    HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    static std::atomic<bool> inside{false}, leave{false};
    inside = leave = false;
    std::thread runner([&] {
        HIP_OK(hipLaunchHostFunc(
            stream,
            [](void*) {
                inside = true;
                while (!leave) std::this_thread::yield();
            },
            nullptr));
        HIP_OK(hipStreamSynchronize(stream));
    });
    while (!inside) std::this_thread::yield();
    int count = 0;
    HIP_OK(hipGetDeviceCount(&count));
    CHECK_GE(count, 1);
    CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
    leave = true;
    runner.join();
    HIP_OK(hipStreamDestroy(stream));
}

TEST_CASE("a thread's default stream is its own, and a new one after hipDeviceReset") {
    int* pinned = nullptr;
    std::atomic<int> step{0};
    const auto reach = [&](int next) {
        step = next;
        while (step == next) std::this_thread::yield();
    };
    std::thread other([&] {
        HIP_OK(hipStreamSynchronize(hipStreamPerThread));
        reach(1);
        HIP_OK(hipMemsetD32Async(pinned, 5, 1, hipStreamPerThread));
        HIP_OK(hipStreamSynchronize(hipStreamPerThread));
        CHECK_EQ(*pinned, 5);
    });
    while (step != 1) std::this_thread::yield();
    HIP_OK(hipDeviceReset());
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), sizeof(int), hipHostMallocDefault));
    HIP_OK(hipStreamSynchronize(hipStreamPerThread));
    step = 2;
    other.join();
    HIP_OK(hipHostFree(pinned));
}

TEST_CASE("what is left in a thread's default stream is done when the thread ends, and its failure is told by the device") {
    const Module module(compile(R"(extern "C" __global__ void store(int* p, int at) { p[at] = 1; })"));
    const Array<int> data(std::vector<int>(16, 0));
    std::thread([&] { HIP_OK(launch(module.kernel("store"), {1}, {1}, 0, hipStreamPerThread, data.get(), 3)); }).join();
    CHECK_EQ(data.read()[3], 1);
    std::thread([&] { HIP_OK(launch(module.kernel("store"), {1}, {1}, 0, hipStreamPerThread, data.get(), 16)); }).join();
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    HIP_OK(hipDeviceSynchronize());
}
