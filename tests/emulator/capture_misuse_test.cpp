// What a program must not do while a stream is capturing, in each mode, and what becomes of the capture. The errors are those of HIP 6.4.
#include "emulator/graph_program.hpp"

#include <functional>
#include <thread>

namespace {

using namespace hip_test;

constexpr hipStreamCaptureMode kModes[] = {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed};

/// A capture in its own stream; ended well or broken off, as the test says.
struct CapturedStream : Stream {
    explicit CapturedStream(hipStreamCaptureMode mode, unsigned flags = hipStreamNonBlocking) : Stream(flags) { HIP_OK(hipStreamBeginCapture(get, mode)); }

    std::size_t end() const {
        hipGraph_t graph = nullptr;
        HIP_OK(hipStreamEndCapture(get, &graph));
        const std::size_t nodes = node_count(graph);
        HIP_OK(hipGraphDestroy(graph));
        return nodes;
    }
};

/// What `call` returns in another thread.
template <class Call>
hipError_t elsewhere(Call&& call) {
    hipError_t error = hipErrorUnknown;
    std::thread([&] { error = call(); }).join();
    return error;
}

}  // namespace

TEST_CASE("synchronous copies and fills break off captures of every mode") {
    const Array<int> data(16);
    int host = 0;
    const std::pair<const char*, std::function<hipError_t()>> calls[] = {
        {"hipMemcpy", [&] { return hipMemcpy(&host, data.get(), sizeof host, hipMemcpyDeviceToHost); }},
        {"hipMemcpyHtoD", [&] { return hipMemcpyHtoD(data.get(), &host, sizeof host); }},
        {"hipMemcpyDtoH", [&] { return hipMemcpyDtoH(&host, data.get(), sizeof host); }},
        {"hipMemcpyDtoD", [&] { return hipMemcpyDtoD(data.get(), data.get() + 4, sizeof host); }},
        {"hipMemcpy2D", [&] { return hipMemcpy2D(data.get(), 8, data.get() + 8, 8, 4, 2, hipMemcpyDeviceToDevice); }},
        {"hipMemset", [&] { return hipMemset(data.get(), 0, 4); }},
        {"hipMemset2D", [&] { return hipMemset2D(data.get(), 8, 0, 4, 2); }},
        {"hipMemsetD8", [&] { return hipMemsetD8(data.get(), 0, 4); }},
        {"hipMemsetD16", [&] { return hipMemsetD16(data.get(), 0, 4); }},
        {"hipMemsetD32", [&] { return hipMemsetD32(data.get(), 0, 4); }},
    };
    for (const hipStreamCaptureMode mode : kModes)
        for (const auto& call : calls) {
            CAPTURE(call.first);
            const CapturedStream stream(mode);
            HIP_FAILS(call.second(), hipErrorStreamCaptureImplicit);
            end_invalidated(stream.get);
        }
}

TEST_CASE("waiting for a stream that does not take part is as unsafe as an allocation") {
    const Stream other;
    const Event event;
    HIP_OK(hipEventRecord(event.get, other.get));
    const std::function<hipError_t()> calls[] = {[&] { return hipStreamSynchronize(other.get); }, [&] { return hipStreamQuery(other.get); },
                                                 [&] { return hipEventSynchronize(event.get); }};
    for (const auto& call : calls) {
        for (const hipStreamCaptureMode mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal}) {
            const CapturedStream stream(mode);
            HIP_FAILS(call(), hipErrorStreamCaptureUnsupported);
            end_invalidated(stream.get);
        }
        {
            const CapturedStream stream(hipStreamCaptureModeGlobal);
            CHECK_EQ(elsewhere(call), hipErrorStreamCaptureUnsupported);
            end_invalidated(stream.get);
        }
        {
            const CapturedStream stream(hipStreamCaptureModeThreadLocal);
            CHECK_EQ(elsewhere(call), hipSuccess);
            CHECK_EQ(stream.end(), 0);
        }
        const CapturedStream stream(hipStreamCaptureModeRelaxed);
        HIP_OK(call());
        CHECK_EQ(stream.end(), 0);
    }
}

TEST_CASE("registering host memory is unsafe, too") {
    std::vector<char> memory(4096);
    for (const bool registers : {true, false}) {
        const CapturedStream stream(hipStreamCaptureModeGlobal);
        HIP_FAILS(registers ? hipHostRegister(memory.data(), memory.size(), hipHostRegisterDefault) : hipHostUnregister(memory.data()),
                  hipErrorStreamCaptureUnsupported);
        end_invalidated(stream.get);
    }
}

TEST_CASE("an event of a capture can be neither asked nor waited for, and counts as never recorded once the capture has ended") {
    const Stream outside;
    const Event event, before;
    HIP_OK(hipEventRecord(before.get, outside.get));
    HIP_OK(hipStreamSynchronize(outside.get));
    float milliseconds = 0;
    const std::function<hipError_t()> calls[] = {[&] { return hipEventQuery(event.get); }, [&] { return hipEventSynchronize(event.get); },
                                                 [&] { return hipEventElapsedTime(&milliseconds, before.get, event.get); }};
    for (const auto& call : calls) {
        const CapturedStream stream(hipStreamCaptureModeRelaxed);
        HIP_OK(hipEventRecord(event.get, stream.get));
        HIP_FAILS(call(), hipErrorCapturedEvent);
        end_invalidated(stream.get);
    }
    HIP_OK(hipEventQuery(event.get));
    HIP_OK(hipEventSynchronize(event.get));
    HIP_FAILS(hipEventElapsedTime(&milliseconds, before.get, event.get), hipErrorInvalidHandle);
    HIP_OK(hipStreamWaitEvent(outside.get, event.get, 0));
    CHECK_EQ(status_of(outside.get), hipStreamCaptureStatusNone);
    const CapturedStream stream(hipStreamCaptureModeGlobal);
    HIP_OK(hipStreamWaitEvent(stream.get, event.get, 0));  // neither isolation nor merge
    CHECK_EQ(stream.end(), 0);
}

TEST_CASE("an event that was never recorded is nothing to wait for, in a capture or outside") {
    const Event never;
    const Stream outside;
    HIP_OK(hipStreamWaitEvent(outside.get, never.get, 0));
    HIP_OK(hipStreamSynchronize(outside.get));
    const CapturedStream stream(hipStreamCaptureModeGlobal);
    HIP_OK(hipStreamWaitEvent(stream.get, never.get, 0));
    CHECK_EQ(stream.end(), 0);
}

TEST_CASE("work of another stream that follows its last event is unjoined") {
    const Array<int> data(16);
    const Stream side;
    const Event forked, joined;
    const CapturedStream stream(hipStreamCaptureModeGlobal);
    HIP_OK(hipEventRecord(forked.get, stream.get));
    HIP_OK(hipStreamWaitEvent(side.get, forked.get, 0));
    HIP_OK(hipMemsetD32Async(data.get(), 1, 16, side.get));
    HIP_OK(hipEventRecord(joined.get, side.get));
    HIP_OK(hipStreamWaitEvent(stream.get, joined.get, 0));
    HIP_FAILS(hipStreamBeginCapture(side.get, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    HIP_OK(hipMemsetD32Async(data.get(), 2, 16, side.get));
    hipGraph_t graph = nullptr;
    HIP_FAILS(hipStreamEndCapture(stream.get, &graph), hipErrorStreamCaptureUnjoined);
    CHECK(graph == nullptr);
    for (const hipStream_t one : {stream.get, side.get}) CHECK_EQ(status_of(one), hipStreamCaptureStatusNone);
}

TEST_CASE("a stream that joined may leave without work, and a destroyed one breaks the capture off") {
    const Event forked;
    for (const bool destroys : {false, true}) {
        const CapturedStream stream(hipStreamCaptureModeGlobal);
        hipStream_t side = nullptr;
        HIP_OK(hipStreamCreateWithFlags(&side, hipStreamNonBlocking));
        HIP_OK(hipEventRecord(forked.get, stream.get));
        HIP_OK(hipStreamWaitEvent(side, forked.get, 0));
        if (destroys) {
            HIP_OK(hipStreamDestroy(side));
            end_invalidated(stream.get);
        } else {
            CHECK_EQ(stream.end(), 0);
            HIP_OK(hipStreamDestroy(side));
        }
    }
}

TEST_CASE("the legacy default stream in a capture of a blocking stream") {
    const Array<int> data(16);
    const Event event;
    const auto callback = [](hipStream_t, hipError_t, void*) {};
    const std::function<hipError_t()> calls[] = {
        [&] { return hipMemsetD32Async(data.get(), 1, 16, nullptr); },
        [&] { return hipMemcpyDtoDAsync(data.get(), data.get() + 4, 16, hipStreamLegacy); },
        [&] { return hipEventRecord(event.get, nullptr); },
        [&] { return hipLaunchHostFunc(nullptr, [](void*) {}, nullptr); },
        [&] { return hipStreamAddCallback(nullptr, callback, nullptr, 0); },
        [&] { void* memory = nullptr; return hipMallocAsync(&memory, 64, nullptr); },
    };
    for (const auto& call : calls) {
        const CapturedStream stream(hipStreamCaptureModeRelaxed, hipStreamDefault);
        HIP_FAILS(call(), hipErrorStreamCaptureImplicit);
        end_invalidated(stream.get);
    }
    const CapturedStream stream(hipStreamCaptureModeGlobal);
    HIP_FAILS(hipStreamAddCallback(stream.get, callback, nullptr, 0), hipErrorStreamCaptureUnsupported);
    end_invalidated(stream.get);
}

TEST_CASE("a thread's default stream can be captured") {
    const Array<int> data(std::vector<int>(16, 0));
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeGlobal));
    HIP_OK(hipMemsetD32Async(data.get(), 1, 16, hipStreamPerThread));
    HIP_OK(hipStreamEndCapture(hipStreamPerThread, &graph));
    CHECK_EQ(data.read()[3], 0);
    replay(graph, hipStreamPerThread);
    CHECK_EQ(data.read()[3], 1);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("after a capture was broken off nothing enters it, until it is ended") {
    const Array<int> data(16);
    const Event event;
    void* memory = nullptr;
    const CapturedStream stream(hipStreamCaptureModeRelaxed);
    HIP_FAILS(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
    HIP_FAILS(hipMemsetD32Async(data.get(), 1, 16, stream.get), hipErrorStreamCaptureInvalidated);
    HIP_FAILS(hipEventRecord(event.get, stream.get), hipErrorStreamCaptureInvalidated);
    HIP_FAILS(hipLaunchHostFunc(stream.get, [](void*) {}, nullptr), hipErrorStreamCaptureInvalidated);
    HIP_FAILS(hipMallocAsync(&memory, 64, stream.get), hipErrorStreamCaptureInvalidated);
    HIP_FAILS(hipFreeAsync(data.get(), stream.get), hipErrorStreamCaptureInvalidated);
    HIP_FAILS(hipStreamBeginCapture(stream.get, hipStreamCaptureModeRelaxed), hipErrorIllegalState);
    end_invalidated(stream.get);
    HIP_OK(hipMemsetD32Async(data.get(), 1, 16, stream.get));
    HIP_OK(hipStreamSynchronize(stream.get));
}
