// Streams that are captured into graphs: what is recorded, and every rule that a program can break.
#include "emulator/graph_program.hpp"

#include <thread>

namespace {

using namespace hip_test;

const std::string& code() {
    static const std::string text = compile(R"(
        extern "C" __global__ void add(int* to, int value) { to[threadIdx.x] += value; })");
    return text;
}

}  // namespace

TEST_CASE("a captured stream does nothing until its graph is launched, and then as often as that") {
    const Module module(code());
    const hipFunction_t add = module.kernel("add");
    const Array<int> data(std::vector<int>(32, 100)), copy(std::vector<int>(32, 0));
    const Stream stream;
    CHECK_EQ(status_of(stream.get), hipStreamCaptureStatusNone);
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    CHECK_EQ(status_of(stream.get), hipStreamCaptureStatusActive);
    int value = 3;
    HIP_OK(launch(add, {1}, {32}, 0, stream.get, data.get(), value));
    value = 4;
    HIP_OK(launch(add, {1}, {32}, 0, stream.get, data.get(), value));
    value = 1000;  // arguments were copied
    HIP_OK(hipMemcpyDtoDAsync(copy.get(), data.get(), 128, stream.get));
    HIP_OK(hipMemsetD32Async(data.get(), 50, 16, stream.get));
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    CHECK_EQ(status_of(stream.get), hipStreamCaptureStatusNone);
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(data.read(), std::vector<int>(32, 100));
    CHECK_EQ(node_count(graph), 4);
    replay(graph, stream.get);
    CHECK_EQ(copy.read(), std::vector<int>(32, 107));
    CHECK_EQ(data.read()[0], 50);
    CHECK_EQ(data.read()[16], 107);
    replay(graph, stream.get, 2);
    CHECK_EQ(copy.read()[0], 57);
    CHECK_EQ(copy.read()[16], 121);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("a host function and a copy from host memory are read and called at each replay") {
    const Array<int> data(4);
    const Stream stream;
    int host[4] = {1, 2, 3, 4};
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeThreadLocal));
    HIP_OK(hipLaunchHostFunc(stream.get, [](void* user) { ++*static_cast<int*>(user); }, host));
    HIP_OK(hipMemcpyHtoDAsync(data.get(), host, sizeof host, stream.get));
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    CHECK_EQ(host[0], 1);
    replay(graph, stream.get);
    CHECK_EQ(data.read(), std::vector<int>{2, 2, 3, 4});
    host[3] = 9;
    replay(graph, stream.get);
    CHECK_EQ(data.read(), std::vector<int>{3, 2, 3, 9});
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("other streams join a capture by its events and lead back to it") {
    const Array<int> data(std::vector<int>(64, 0));
    const Stream origin, side;
    const Event forked, joined;
    HIP_OK(hipStreamBeginCapture(origin.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipMemsetD32Async(data.get(), 1, 64, origin.get));
    HIP_OK(hipEventRecord(forked.get, origin.get));
    HIP_OK(hipStreamWaitEvent(side.get, forked.get, 0));
    CHECK_EQ(status_of(side.get), hipStreamCaptureStatusActive);
    HIP_OK(hipMemsetD32Async(data.get(), 2, 16, side.get));
    HIP_OK(hipMemsetD32Async(data.get() + 32, 3, 16, origin.get));
    HIP_OK(hipEventRecord(joined.get, side.get));
    HIP_OK(hipStreamWaitEvent(origin.get, joined.get, 0));

    hipStreamCaptureStatus status{};
    unsigned long long id = 0, other_id = 0;
    hipGraph_t seen = nullptr;
    const hipGraphNode_t* dependencies = nullptr;
    std::size_t count = 0;
    HIP_OK(hipStreamGetCaptureInfo_v2(origin.get, &status, &id, &seen, &dependencies, &count));
    HIP_OK(hipStreamGetCaptureInfo(side.get, &status, &other_id));
    CHECK_EQ(status, hipStreamCaptureStatusActive);
    CHECK_NE(id, 0);
    CHECK_EQ(id, other_id);
    CHECK_EQ(count, 2);
    CHECK_EQ(node_count(seen), 3);

    HIP_OK(hipMemsetD32Async(data.get() + 15, 4, 2, origin.get));
    hipGraph_t graph = nullptr;
    HIP_FAILS(hipStreamEndCapture(side.get, &graph), hipErrorStreamCaptureUnmatched);
    HIP_OK(hipStreamEndCapture(origin.get, &graph));
    CHECK_EQ(status_of(side.get), hipStreamCaptureStatusNone);
    std::size_t edges = 0;
    HIP_OK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
    CHECK_EQ(edges, 4);
    replay(graph, side.get);
    const std::vector<int> result = data.read();
    CHECK_EQ(result[0], 2);
    CHECK_EQ(result[15], 4);
    CHECK_EQ(result[16], 4);
    CHECK_EQ(result[17], 1);
    CHECK_EQ(result[32], 3);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("work of another stream that is not led back is unjoined") {
    const Array<int> data(64);
    const Stream origin, side;
    const Event forked;
    HIP_OK(hipStreamBeginCapture(origin.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipEventRecord(forked.get, origin.get));
    HIP_OK(hipStreamWaitEvent(side.get, forked.get, 0));
    HIP_OK(hipMemsetD32Async(data.get(), 2, 16, side.get));
    hipGraph_t graph = nullptr;
    HIP_FAILS(hipStreamEndCapture(origin.get, &graph), hipErrorStreamCaptureUnjoined);
    CHECK_EQ(status_of(origin.get), hipStreamCaptureStatusNone);
    CHECK_EQ(status_of(side.get), hipStreamCaptureStatusNone);
    HIP_OK(hipMemsetD32Async(data.get(), 2, 16, side.get));
    HIP_OK(hipStreamSynchronize(side.get));
}

TEST_CASE("a capture begins in a stream that can be captured, once") {
    const Stream stream;
    hipGraph_t graph = nullptr;
    HIP_FAILS(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
    HIP_FAILS(hipStreamBeginCapture(stream.get, static_cast<hipStreamCaptureMode>(3)), hipErrorInvalidValue);
    HIP_FAILS(hipStreamEndCapture(stream.get, &graph), hipErrorIllegalState);
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeRelaxed));
    HIP_FAILS(hipStreamBeginCapture(stream.get, hipStreamCaptureModeRelaxed), hipErrorIllegalState);
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    CHECK_EQ(node_count(graph), 0);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("a stream that is capturing cannot be waited for or asked, and the capture is broken off") {
    const Stream stream;
    const Array<int> data(4);
    for (const auto ask : {&hipStreamSynchronize, &hipStreamQuery}) {
        HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeRelaxed));
        HIP_FAILS(ask(stream.get), hipErrorStreamCaptureUnsupported);
        HIP_FAILS(hipMemsetD32Async(data.get(), 1, 4, stream.get), hipErrorStreamCaptureInvalidated);
        end_invalidated(stream.get);
    }
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeRelaxed));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
    end_invalidated(stream.get);
}

TEST_CASE("the legacy default stream does not mix with the capture of a blocking stream") {
    const Stream blocking(hipStreamDefault), other;
    const Array<int> data(4);
    HIP_OK(hipStreamBeginCapture(blocking.get, hipStreamCaptureModeRelaxed));
    hipStreamCaptureStatus status{};
    HIP_FAILS(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);
    CHECK_EQ(status_of(blocking.get), hipStreamCaptureStatusActive);
    HIP_FAILS(hipMemsetD32Async(data.get(), 1, 4, nullptr), hipErrorStreamCaptureImplicit);
    end_invalidated(blocking.get);

    // A stream that does not wait for it, and it not for that, is of no concern.
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamBeginCapture(other.get, hipStreamCaptureModeRelaxed));
    HIP_OK(hipMemsetD32Async(data.get(), 7, 4, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    HIP_OK(hipStreamEndCapture(other.get, &graph));
    HIP_OK(hipGraphDestroy(graph));
    CHECK_EQ(data.read()[0], 7);
}

TEST_CASE("events keep captures apart from each other and from the rest") {
    const Stream first, second;
    const Event outside, inside;
    HIP_OK(hipEventRecord(outside.get, second.get));
    HIP_OK(hipStreamBeginCapture(first.get, hipStreamCaptureModeRelaxed));
    HIP_FAILS(hipStreamWaitEvent(first.get, outside.get, 0), hipErrorStreamCaptureIsolation);
    end_invalidated(first.get);

    HIP_OK(hipStreamBeginCapture(first.get, hipStreamCaptureModeRelaxed));
    HIP_OK(hipStreamBeginCapture(second.get, hipStreamCaptureModeRelaxed));
    HIP_OK(hipEventRecord(inside.get, first.get));
    HIP_FAILS(hipStreamWaitEvent(second.get, inside.get, 0), hipErrorStreamCaptureMerge);
    end_invalidated(first.get);
    end_invalidated(second.get);

    HIP_OK(hipStreamBeginCapture(first.get, hipStreamCaptureModeRelaxed));
    HIP_OK(hipEventRecord(inside.get, first.get));
    HIP_FAILS(hipStreamWaitEvent(nullptr, inside.get, 0), hipErrorStreamCaptureImplicit);
    end_invalidated(first.get);
    HIP_OK(hipEventRecord(inside.get, first.get));  // anew, outside of captures
    HIP_OK(hipEventSynchronize(inside.get));
}

TEST_CASE("the mode of a capture says who may allocate meanwhile") {
    const Stream stream;
    void* memory = nullptr;
    hipGraph_t graph = nullptr;
    const auto allocate_elsewhere = [&] {
        hipError_t error = hipErrorUnknown;
        std::thread([&] { error = hipMalloc(&memory, 64); }).join();
        return error;
    };
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    CHECK_EQ(allocate_elsewhere(), hipErrorStreamCaptureUnsupported);
    end_invalidated(stream.get);
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_FAILS(hipMalloc(&memory, 64), hipErrorStreamCaptureUnsupported);
    end_invalidated(stream.get);

    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeThreadLocal));
    CHECK_EQ(allocate_elsewhere(), hipSuccess);
    HIP_FAILS(hipFree(memory), hipErrorStreamCaptureUnsupported);
    end_invalidated(stream.get);

    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeRelaxed));
    HIP_OK(hipFree(memory));
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    HIP_OK(hipGraphDestroy(graph));

    // A thread can take the responsibility upon itself.
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    HIP_OK(hipThreadExchangeStreamCaptureMode(&mode));
    CHECK_EQ(mode, hipStreamCaptureModeGlobal);
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipMalloc(&memory, 64));
    HIP_OK(hipThreadExchangeStreamCaptureMode(&mode));
    CHECK_EQ(mode, hipStreamCaptureModeRelaxed);
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    HIP_OK(hipGraphDestroy(graph));
    HIP_OK(hipFree(memory));
}

TEST_CASE("a capture that is not relaxed is ended by the thread that began it") {
    const Stream stream;
    hipGraph_t graph = nullptr;
    const auto end_elsewhere = [&] {
        hipError_t error = hipErrorUnknown;
        std::thread([&] { error = hipStreamEndCapture(stream.get, &graph); }).join();
        return error;
    };
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeThreadLocal));
    CHECK_EQ(end_elsewhere(), hipErrorStreamCaptureWrongThread);
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    HIP_OK(hipGraphDestroy(graph));
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeRelaxed));
    CHECK_EQ(end_elsewhere(), hipSuccess);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("memory that is allocated in a capture is there in its replays between its allocation and its release") {
    const Module module(code());
    const hipFunction_t add = module.kernel("add");
    const Array<int> result(std::vector<int>(32, 0));
    const Stream stream;
    int* memory = nullptr;
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&memory), 128, stream.get));
    HIP_OK(hipMemsetD32Async(memory, 5, 32, stream.get));
    HIP_OK(launch(add, {1}, {32}, 0, stream.get, memory, 2));
    HIP_OK(hipMemcpyDtoDAsync(result.get(), memory, 128, stream.get));
    HIP_OK(hipFreeAsync(memory, stream.get));
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    CHECK_EQ(node_count(graph), 5);
    HIP_FAILS(hipMemset(memory, 0, 4), hipErrorInvalidValue);  // before
    replay(graph, stream.get, 2);
    CHECK_EQ(result.read(), std::vector<int>(32, 7));
    HIP_OK(launch(add, {1}, {32}, 0, stream.get, memory, 2));  // after
    HIP_FAILS(hipStreamSynchronize(stream.get), hipErrorIllegalAddress);
    CHECK(explanation().find("which was freed") != std::string::npos);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("an executable graph that is launched in a capture becomes part of it") {
    const Array<int> data(std::vector<int>(4, 0));
    const Stream stream;
    hipGraph_t inner = nullptr, outer = nullptr;
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipMemsetD32Async(data.get(), 4, 4, stream.get));
    HIP_OK(hipStreamEndCapture(stream.get, &inner));
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphInstantiateWithFlags(&exec, inner, 0));
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipGraphLaunch(exec, stream.get));
    HIP_OK(hipMemsetD32Async(data.get(), 5, 2, stream.get));
    HIP_OK(hipStreamEndCapture(stream.get, &outer));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(data.read(), std::vector<int>(4, 0));
    replay(outer, stream.get);
    CHECK_EQ(data.read(), std::vector<int>{5, 5, 4, 4});
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_OK(hipGraphDestroy(inner));
    HIP_OK(hipGraphDestroy(outer));
}

TEST_CASE("a stream that is destroyed takes its capture with it") {
    hipStream_t stream = nullptr;
    HIP_OK(hipStreamCreate(&stream));
    HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    HIP_OK(hipStreamDestroy(stream));
    const Array<int> data(4);  // nothing is capturing any more
    HIP_OK(hipDeviceSynchronize());
}
