// Streams and events under every scheduling policy: what has to be ordered is, whatever HIPEMU_SCHEDULE says.
#include "emulator/hip_program.hpp"

#include <cstdlib>

namespace {

using namespace hip_test;

bool scheduled(const char* policy) {
    const char* value = std::getenv("HIPEMU_SCHEDULE");
    return value && std::string(value) == policy;
}

struct Streams {
    hipStream_t first = nullptr, second = nullptr;
    explicit Streams(unsigned flags) {
        HIP_OK(hipStreamCreateWithFlags(&first, flags));
        HIP_OK(hipStreamCreateWithFlags(&second, flags));
    }
    ~Streams() {
        (void)hipStreamDestroy(first);
        (void)hipStreamDestroy(second);
    }
};

}  // namespace

TEST_CASE("work of one stream runs in its order") {
    const Streams streams(hipStreamNonBlocking);
    const Array<int> data(256);
    for (int value = 1; value <= 20; ++value) HIP_OK(hipMemsetD32Async(data.get(), value, 256, streams.first));
    int* pinned = nullptr;
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), 1024, hipHostMallocDefault));
    HIP_OK(hipMemcpyDtoHAsync(pinned, data.get(), 1024, streams.first));
    HIP_OK(hipStreamSynchronize(streams.first));
    CHECK_EQ(pinned[0], 20);
    CHECK_EQ(pinned[255], 20);
    HIP_OK(hipHostFree(pinned));
}

TEST_CASE("a stream waits for another's event") {
    const Streams streams(hipStreamNonBlocking);
    hipEvent_t filled = nullptr;
    HIP_OK(hipEventCreateWithFlags(&filled, hipEventDisableTiming));
    for (int round = 1; round <= 8; ++round) {
        const Array<int> from(64), to(64);
        HIP_OK(hipMemsetD32Async(from.get(), round, 64, streams.first));
        HIP_OK(hipEventRecord(filled, streams.first));
        HIP_OK(hipStreamWaitEvent(streams.second, filled, 0));
        HIP_OK(hipMemcpyDtoDAsync(to.get(), from.get(), 256, streams.second));
        HIP_OK(hipStreamSynchronize(streams.second));
        std::vector<int> result(64);
        HIP_OK(hipMemcpyDtoHAsync(result.data(), to.get(), 256, streams.second));
        CHECK_EQ(result[63], round);
    }
    HIP_OK(hipEventDestroy(filled));
}

TEST_CASE("the default stream waits for blocking streams and they wait for it") {
    const Streams streams(hipStreamDefault);
    const Array<int> data(64), copy(64);
    HIP_OK(hipMemsetD32Async(data.get(), 7, 64, streams.first));
    HIP_OK(hipMemcpyDtoDAsync(copy.get(), data.get(), 256, nullptr));
    HIP_OK(hipMemsetD32Async(data.get(), 8, 64, streams.second));
    HIP_OK(hipStreamSynchronize(streams.second));
    std::vector<int> result(64);
    HIP_OK(hipMemcpy(result.data(), copy.get(), 256, hipMemcpyDeviceToHost));
    CHECK_EQ(result[0], 7);
}

TEST_CASE("the late policy runs nothing before somebody waits") {
    if (!scheduled("late")) return;
    int* pinned = nullptr;
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), sizeof(int), hipHostMallocDefault));
    *pinned = 1;
    const Streams streams(hipStreamNonBlocking);
    HIP_OK(hipMemsetD32Async(pinned, 2, 1, streams.first));
    CHECK_EQ(*pinned, 1);
    HIP_OK(hipStreamSynchronize(streams.second));  // of no concern to the first
    CHECK_EQ(*pinned, 1);
    HIP_OK(hipStreamSynchronize(streams.first));
    CHECK_EQ(*pinned, 2);
    HIP_OK(hipHostFree(pinned));
}

TEST_CASE("an asynchronous copy from pageable memory has read it when the call returns") {
    const Streams streams(hipStreamNonBlocking);
    const Array<int> data(4);
    std::vector<int> source{1, 2, 3, 4};
    HIP_OK(hipMemcpyHtoDAsync(data.get(), source.data(), 16, streams.first));
    source = {9, 9, 9, 9};
    HIP_OK(hipStreamSynchronize(streams.first));
    CHECK_EQ(data.read(), std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("a program that polls gets there") {
    const Streams streams(hipStreamNonBlocking);
    const Array<int> data(64);
    hipEvent_t event = nullptr;
    HIP_OK(hipEventCreate(&event));
    for (int i = 0; i < 5; ++i) HIP_OK(hipMemsetD32Async(data.get(), i, 64, streams.first));
    HIP_OK(hipEventRecord(event, streams.first));
    int polls = 0;
    while (hipEventQuery(event) == hipErrorNotReady) REQUIRE_LT(++polls, 1000);
    while (hipStreamQuery(streams.first) == hipErrorNotReady) REQUIRE_LT(++polls, 1000);
    CHECK_EQ(hipPeekAtLastError(), hipSuccess);
    CHECK_EQ(data.read()[0], 4);
    HIP_OK(hipEventDestroy(event));
}

TEST_CASE("elapsed time is the model's: more bytes take longer, the same bytes the same time") {
    const Streams streams(hipStreamNonBlocking);
    const Array<char> data(64 << 20);
    hipEvent_t start = nullptr, stop = nullptr;
    HIP_OK(hipEventCreate(&start));
    HIP_OK(hipEventCreate(&stop));
    const auto time = [&](std::size_t bytes) {
        HIP_OK(hipEventRecord(start, streams.first));
        HIP_OK(hipMemsetAsync(data.get(), 0, bytes, streams.first));
        HIP_OK(hipEventRecord(stop, streams.first));
        HIP_OK(hipEventSynchronize(stop));
        float milliseconds = 0;
        HIP_OK(hipEventElapsedTime(&milliseconds, start, stop));
        return milliseconds;
    };
    const float small = time(1 << 20), large = time(64 << 20);
    CHECK_GT(small, 0.0f);
    CHECK_GT(large, 2 * small);
    CHECK_EQ(time(1 << 20), doctest::Approx(small).epsilon(1e-6));
    // No card writes faster than its memory: 960 GB/s.
    CHECK_GT(static_cast<double>(large) * 1e-3 * 960e9, 64 << 20);
    HIP_OK(hipEventDestroy(start));
    HIP_OK(hipEventDestroy(stop));
}

TEST_CASE("events say what they cannot tell") {
    hipEvent_t never = nullptr, untimed = nullptr, timed = nullptr;
    HIP_OK(hipEventCreate(&never));
    HIP_OK(hipEventCreate(&timed));
    HIP_OK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    float milliseconds = 0;
    HIP_OK(hipEventRecord(timed, nullptr));
    HIP_OK(hipEventRecord(untimed, nullptr));
    HIP_OK(hipDeviceSynchronize());
    HIP_FAILS(hipEventElapsedTime(&milliseconds, never, timed), hipErrorInvalidHandle);
    HIP_FAILS(hipEventElapsedTime(&milliseconds, untimed, timed), hipErrorInvalidHandle);
    HIP_OK(hipEventElapsedTime(&milliseconds, timed, timed));
    CHECK_EQ(milliseconds, 0.0f);
    HIP_OK(hipEventSynchronize(never));
    HIP_OK(hipEventQuery(never));
    HIP_OK(hipEventDestroy(never));
    HIP_FAILS(hipEventDestroy(never), hipErrorInvalidHandle);
    HIP_FAILS(hipEventRecord(never, nullptr), hipErrorInvalidHandle);
    HIP_OK(hipEventDestroy(timed));
    HIP_OK(hipEventDestroy(untimed));
}

TEST_CASE("a destroyed stream is refused, its work was done") {
    hipStream_t stream = nullptr;
    HIP_OK(hipStreamCreate(&stream));
    const Array<int> data(16);
    HIP_OK(hipMemsetD32Async(data.get(), 3, 16, stream));
    HIP_OK(hipStreamDestroy(stream));
    CHECK_EQ(data.read()[15], 3);
    HIP_FAILS(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
    HIP_FAILS(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
}

TEST_CASE("a host function runs in stream order and may not call HIP") {
    const Streams streams(hipStreamNonBlocking);
    struct Seen {
        int calls = 0;
        int value = 0;
        hipError_t inner = hipSuccess;
        int* pinned = nullptr;
    } seen;
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&seen.pinned), sizeof(int), hipHostMallocDefault));
    HIP_OK(hipMemsetD32Async(seen.pinned, 5, 1, streams.first));
    HIP_OK(hipLaunchHostFunc(
        streams.first,
        [](void* user) {
            Seen& what = *static_cast<Seen*>(user);
            ++what.calls;
            what.value = *what.pinned;
            what.inner = hipDeviceSynchronize();
        },
        &seen));
    HIP_OK(hipMemsetD32Async(seen.pinned, 6, 1, streams.first));
    HIP_OK(hipStreamSynchronize(streams.first));
    CHECK_EQ(seen.calls, 1);
    CHECK_EQ(seen.value, 5);
    CHECK_EQ(seen.inner, hipErrorIllegalState);
    CHECK_EQ(*seen.pinned, 6);
    HIP_OK(hipHostFree(seen.pinned));
}

TEST_CASE("a failed kernel is reported where its stream is waited for, once, and what follows it is left out") {
    const Module module(compile(R"(extern "C" __global__ void store(int* p, int at) { p[at] = 1; })"));
    const Streams streams(hipStreamNonBlocking);
    const Array<int> data(std::vector<int>(16, 0)), after(std::vector<int>(16, 0));
    HIP_OK(launch(module.kernel("store"), {1}, {1}, 0, streams.first, data.get(), 16));
    HIP_OK(launch(module.kernel("store"), {1}, {1}, 0, streams.first, after.get(), 3));
    HIP_OK(launch(module.kernel("store"), {1}, {1}, 0, streams.second, data.get(), 2));
    HIP_OK(hipStreamSynchronize(streams.second));
    HIP_FAILS(hipStreamSynchronize(streams.first), hipErrorIllegalAddress);
    CHECK(explanation().find("store") != std::string::npos);
    HIP_OK(hipStreamSynchronize(streams.first));
    CHECK_EQ(after.read()[3], 0);
    CHECK_EQ(data.read()[2], 1);
    char fault[256] = "";
    HIP_OK(hipemuLastFault(fault, sizeof fault));
    CHECK(std::string(fault).find("store") != std::string::npos);
}

TEST_CASE("a non-blocking stream does not wait for the default stream, nor that for it") {
    int* pinned = nullptr;
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), 2 * sizeof(int), hipHostMallocDefault));
    pinned[0] = pinned[1] = 1;
    const Streams streams(hipStreamNonBlocking);
    HIP_OK(hipMemsetD32Async(pinned, 2, 1, streams.first));
    HIP_OK(hipMemsetD32Async(pinned + 1, 2, 1, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    CHECK_EQ(pinned[1], 2);
    if (scheduled("late")) CHECK_EQ(pinned[0], 1);  // nobody made it run
    HIP_OK(hipStreamSynchronize(streams.first));
    CHECK_EQ(pinned[0], 2);
    HIP_OK(hipHostFree(pinned));
}

TEST_CASE("a blocking stream's work is done once the default stream is waited for") {
    int* pinned = nullptr;
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), sizeof(int), hipHostMallocDefault));
    *pinned = 1;
    const Streams streams(hipStreamDefault);
    HIP_OK(hipMemsetD32Async(pinned, 2, 1, streams.first));
    HIP_OK(hipMemsetD32Async(pinned, 3, 1, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    CHECK_EQ(*pinned, 3);
    HIP_OK(hipHostFree(pinned));
}

TEST_CASE("callbacks get their stream, its state and their argument, in order with its work") {
    const Streams streams(hipStreamNonBlocking);
    struct Seen {
        hipStream_t stream = nullptr;
        hipError_t status = hipErrorUnknown;
        int value = 0;
        int* pinned = nullptr;
    } seen;
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&seen.pinned), sizeof(int), hipHostMallocDefault));
    HIP_OK(hipMemsetD32Async(seen.pinned, 5, 1, streams.first));
    HIP_OK(hipStreamAddCallback(
        streams.first,
        [](hipStream_t stream, hipError_t status, void* user) {
            Seen& what = *static_cast<Seen*>(user);
            what.stream = stream;
            what.status = status;
            what.value = *what.pinned;
        },
        &seen, 0));
    HIP_OK(hipMemsetD32Async(seen.pinned, 6, 1, streams.first));
    HIP_OK(hipStreamSynchronize(streams.first));
    CHECK(seen.stream == streams.first);
    CHECK_EQ(seen.status, hipSuccess);
    CHECK_EQ(seen.value, 5);
    HIP_FAILS(hipStreamAddCallback(streams.first, nullptr, nullptr, 0), hipErrorInvalidValue);
    HIP_FAILS(hipLaunchHostFunc(streams.first, nullptr, nullptr), hipErrorInvalidValue);
    HIP_OK(hipHostFree(seen.pinned));
}

TEST_CASE("priorities are kept within the range that the device names") {
    int least = 0, greatest = 0, priority = 7;
    HIP_OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK_LT(greatest, least);
    for (const auto& [asked, given] : {std::pair{greatest, greatest}, {least, least}, {0, 0}, {greatest - 5, greatest}, {least + 5, least}}) {
        hipStream_t stream = nullptr;
        HIP_OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, asked));
        HIP_OK(hipStreamGetPriority(stream, &priority));
        CHECK_EQ(priority, given);
        HIP_OK(hipStreamDestroy(stream));
    }
}

TEST_CASE("a stream and an event that have work left are not ready") {
    if (!scheduled("late")) return;
    const Streams streams(hipStreamNonBlocking);
    const Array<int> data(64);
    hipEvent_t event = nullptr;
    HIP_OK(hipEventCreate(&event));
    HIP_OK(hipMemsetD32Async(data.get(), 1, 64, streams.first));
    HIP_OK(hipEventRecord(event, streams.first));
    CHECK_EQ(hipStreamQuery(streams.first), hipErrorNotReady);
    float milliseconds = 0;
    CHECK_EQ(hipEventElapsedTime(&milliseconds, event, event), hipErrorNotReady);
    HIP_OK(hipEventSynchronize(event));
    HIP_OK(hipEventQuery(event));
    HIP_OK(hipStreamQuery(streams.first));
    HIP_OK(hipEventDestroy(event));
}
