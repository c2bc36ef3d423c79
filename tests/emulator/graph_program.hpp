// What tests of graphs and captures have in common.
#pragma once

#include "emulator/hip_program.hpp"

namespace hip_test {

inline hipStreamCaptureStatus status_of(hipStream_t stream) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    HIP_OK(hipStreamIsCapturing(stream, &status));
    return status;
}

/// Ends a capture that was broken off.
inline void end_invalidated(hipStream_t stream) {
    CHECK_EQ(status_of(stream), hipStreamCaptureStatusInvalidated);
    hipGraph_t graph = nullptr;
    HIP_FAILS(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    CHECK_EQ(status_of(stream), hipStreamCaptureStatusNone);
}

inline std::size_t node_count(hipGraph_t graph) {
    std::size_t count = 0;
    HIP_OK(hipGraphGetNodes(graph, nullptr, &count));
    return count;
}

/// Replays a graph and waits for it.
inline void replay(hipGraph_t graph, hipStream_t stream, int times = 1) {
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int i = 0; i < times; ++i) HIP_OK(hipGraphLaunch(exec, stream));
    HIP_OK(hipStreamSynchronize(stream));
    HIP_OK(hipGraphExecDestroy(exec));
}

/// Parameters of a kernel node with two arguments; they are copied by every call that takes them.
struct KernelNode {
    int* data;
    int value;
    void* arguments[2];
    hipKernelNodeParams parameters;

    KernelNode(hipFunction_t function, int* to, int number, unsigned threads = 32)
        : data(to), value(number), arguments{&data, &value},
          parameters{.blockDim = {threads}, .extra = nullptr, .func = reinterpret_cast<void*>(function), .gridDim = {1}, .kernelParams = arguments, .sharedMemBytes = 0} {}
    KernelNode(const KernelNode&) = delete;
    KernelNode& operator=(const KernelNode&) = delete;
};

}  // namespace hip_test
