// What becomes of work that fails: who waits for it, who is told, how often, and what is left out. The same under every scheduling policy.
#include "emulator/hip_program.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace hip_test;

const std::string& code() {
    static const std::string text = compile(R"(extern "C" __global__ void store(int* p, int at) { p[at] = 1; })");
    return text;
}

/// Kernels and arrays; `fail` is stopped by a finding.
struct Program {
    const Module module{code()};
    const Array<int> data{std::vector<int>(16, 0)};

    void fail(hipStream_t stream) const { HIP_OK(launch(module.kernel("store"), {1}, {1}, 0, stream, data.get(), 16)); }
    void store(hipStream_t stream, int at) const { HIP_OK(launch(module.kernel("store"), {1}, {1}, 0, stream, data.get(), at)); }
    int at(std::size_t place) const { return data.read()[place]; }
};

}  // namespace

TEST_CASE("a stream that waits for an event behind failed work is left out and tells of it, once") {
    const Program program;
    const Stream first, second;
    const Event event;
    program.fail(first.get);
    HIP_OK(hipEventRecord(event.get, first.get));
    HIP_OK(hipStreamWaitEvent(second.get, event.get, 0));
    program.store(second.get, 2);
    HIP_FAILS(hipStreamSynchronize(first.get), hipErrorIllegalAddress);
    HIP_FAILS(hipStreamSynchronize(second.get), hipErrorIllegalAddress);
    HIP_OK(hipStreamSynchronize(first.get));
    HIP_OK(hipStreamSynchronize(second.get));
    CHECK_EQ(program.at(2), 0);
    // It was told: what is queued from now on is done, also behind that event.
    HIP_OK(hipStreamWaitEvent(second.get, event.get, 0));
    program.store(second.get, 3);
    HIP_OK(hipStreamSynchronize(second.get));
    CHECK_EQ(program.at(3), 1);
}

TEST_CASE("a stream that waits for an event before the failed work is none of its concern") {
    const Program program;
    const Stream first, second;
    const Event event;
    program.store(first.get, 1);
    HIP_OK(hipEventRecord(event.get, first.get));
    program.fail(first.get);
    HIP_OK(hipStreamWaitEvent(second.get, event.get, 0));
    program.store(second.get, 2);
    HIP_OK(hipStreamSynchronize(second.get));
    HIP_OK(hipEventSynchronize(event.get));
    HIP_OK(hipEventQuery(event.get));
    HIP_FAILS(hipStreamSynchronize(first.get), hipErrorIllegalAddress);
    CHECK_EQ(program.at(1), 1);
    CHECK_EQ(program.at(2), 1);
}

TEST_CASE("work that was queued before a failure was told is left out, work that was queued after is done") {
    const Program program;
    const Stream stream;
    const Event event;
    program.fail(stream.get);
    HIP_OK(hipEventRecord(event.get, stream.get));
    program.store(stream.get, 4);
    HIP_FAILS(hipEventSynchronize(event.get), hipErrorIllegalAddress);
    program.store(stream.get, 5);
    HIP_OK(hipStreamSynchronize(stream.get));
    CHECK_EQ(program.at(4), 0);
    CHECK_EQ(program.at(5), 1);
}

TEST_CASE("a program that polls an event or a stream hears of the failure") {
    const Program program;
    const Stream stream;
    const Event event;
    const auto poll = [](auto&& ask) {
        for (;;)
            if (const hipError_t error = ask(); error != hipErrorNotReady) return error;
    };
    program.fail(stream.get);
    HIP_OK(hipEventRecord(event.get, stream.get));
    CHECK_EQ(poll([&] { return hipEventQuery(event.get); }), hipErrorIllegalAddress);
    CHECK_EQ(poll([&] { return hipEventQuery(event.get); }), hipSuccess);
    program.fail(stream.get);
    CHECK_EQ(poll([&] { return hipStreamQuery(stream.get); }), hipErrorIllegalAddress);
    CHECK_EQ(poll([&] { return hipStreamQuery(stream.get); }), hipSuccess);
}

TEST_CASE("the default stream waits for failed work of a blocking stream, and is waited for by others") {
    const Program program;
    const Stream blocking(hipStreamDefault), other(hipStreamDefault);
    int value = 7;
    program.fail(blocking.get);
    HIP_FAILS(hipMemcpy(&value, program.data.get(), sizeof value, hipMemcpyDeviceToHost), hipErrorIllegalAddress);
    CHECK_EQ(value, 7);
    HIP_OK(hipStreamSynchronize(blocking.get));

    program.fail(nullptr);
    program.store(other.get, 6);
    HIP_FAILS(hipStreamSynchronize(other.get), hipErrorIllegalAddress);
    HIP_FAILS(hipStreamSynchronize(nullptr), hipErrorIllegalAddress);
    CHECK_EQ(program.at(6), 0);
}

TEST_CASE("whoever waits for the default stream waits for the blocking streams") {
    int* pinned = nullptr;
    HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), sizeof(int), hipHostMallocDefault));
    const Stream blocking(hipStreamDefault);
    *pinned = 1;
    HIP_OK(hipMemsetD32Async(pinned, 2, 1, blocking.get));
    HIP_OK(hipStreamSynchronize(nullptr));
    CHECK_EQ(*pinned, 2);
    HIP_OK(hipMemsetD32Async(pinned, 3, 1, blocking.get));
    while (hipStreamQuery(nullptr) == hipErrorNotReady) {}
    CHECK_EQ(*pinned, 3);
    HIP_OK(hipHostFree(pinned));
}

TEST_CASE("the failure of a stream that was destroyed is told by the device") {
    const Program program;
    hipStream_t stream = nullptr;
    HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    program.fail(stream);
    HIP_OK(hipStreamDestroy(stream));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    CHECK(explanation().find("store") != std::string::npos);
    HIP_OK(hipDeviceSynchronize());
}

TEST_CASE("hipDeviceReset forgets failures") {
    {
        const Program program;
        program.fail(nullptr);
    }
    HIP_OK(hipDeviceReset());
    HIP_OK(hipDeviceSynchronize());
    const Program program;
    program.store(nullptr, 1);
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(program.at(1), 1);
}

TEST_CASE("streams that wait for each other by turns may do so as often as they like") {
    const Stream streams[2];
    const Event events[2];
    const Array<int> data(4);
    constexpr int kTurns = 60000;
    for (int turn = 0; turn < kTurns; ++turn) {
        if (turn > 0) HIP_OK(hipStreamWaitEvent(streams[turn % 2].get, events[(turn + 1) % 2].get, 0));
        HIP_OK(hipEventRecord(events[turn % 2].get, streams[turn % 2].get));
    }
    HIP_OK(hipMemsetD32Async(data.get(), 9, 4, streams[(kTurns - 1) % 2].get));
    HIP_OK(hipStreamSynchronize(streams[(kTurns - 1) % 2].get));
    CHECK_EQ(data.read()[3], 9);
}

TEST_CASE("a host function that waits for another thread's work does not hold that up") {
    const Program program;
    const Stream stream;
    static std::atomic<bool> inside{false}, leave{false};
    inside = leave = false;
    std::thread runner([&] {
        HIP_OK(hipLaunchHostFunc(
            stream.get,
            [](void*) {
                inside = true;
                while (!leave) std::this_thread::yield();
            },
            nullptr));
        HIP_OK(hipStreamSynchronize(stream.get));
    });
    while (!inside) std::this_thread::yield();
    const Stream other;
    program.store(other.get, 1);
    HIP_OK(hipStreamSynchronize(other.get));
    CHECK_EQ(hipStreamQuery(stream.get), hipErrorNotReady);
    leave = true;
    runner.join();
    CHECK_EQ(program.at(1), 1);
}
