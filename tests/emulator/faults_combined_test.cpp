// Faults on purpose, several at once, in captures and replays, and while kernels run in other threads.
#include "emulator/graph_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace {

using namespace hip_test;
using Clock = std::chrono::steady_clock;

struct Faults {
    explicit Faults(const std::string& text) { HIP_OK(hipemuSetFaults(text.c_str())); }
    ~Faults() { (void)hipemuSetFaults(""); }
};

const std::string& code() {
    static const std::string text = compile(R"(
        extern "C" __global__ void fill(int* to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; })");
    return text;
}

/// A graph of three fills of 32 values each, one after another.
hipGraph_t captured_fills(const Module& module, int* to, hipStream_t stream) {
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (int i = 0; i < 3; ++i) HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, stream, to + 32 * i, i + 1));
    HIP_OK(hipStreamEndCapture(stream, &graph));
    return graph;
}

}  // namespace

TEST_CASE("a failure, a delay, a limit of memory and a noisy clock do not get in each other's way") {
    const Module module(code());
    const Array<int> data(64 * 64);
    HIP_OK(hipDeviceSynchronize());
    std::size_t free_bytes = 0, total = 0;
    HIP_OK(hipMemGetInfo(&free_bytes, &total));
    const Faults faults("fail:hipMalloc:2:hipErrorIllegalState;delay:hipMalloc:2:60ms;delay:hipMalloc:3:30ms;oom:" +
                        std::to_string(total - free_bytes + (2 << 20)) + ";noise:10%:seed=3");
    void* memory[3] = {};
    const auto timed = [&](int i, std::size_t bytes, hipError_t expected) {
        const auto begun = Clock::now();
        CHECK_EQ(hipMalloc(&memory[i], bytes), expected);
        return Clock::now() - begun;
    };
    (void)timed(0, 1 << 20, hipSuccess);
    CHECK_GE(timed(1, 4096, hipErrorIllegalState), std::chrono::milliseconds(60));  // it is delayed, and then it fails
    CHECK_GE(timed(1, 4 << 20, hipErrorOutOfMemory), std::chrono::milliseconds(30));
    CHECK_LT(timed(2, 4096, hipSuccess), std::chrono::milliseconds(30));
    const auto time = [&] {
        const Event begin, end;
        float milliseconds = 0;
        HIP_OK(hipEventRecord(begin.get, nullptr));
        HIP_OK(launch(module.kernel("fill"), {64}, {64}, 0, nullptr, data.get(), 1));
        HIP_OK(hipEventRecord(end.get, nullptr));
        HIP_OK(hipEventSynchronize(end.get));
        HIP_OK(hipEventElapsedTime(&milliseconds, begin.get, end.get));
        return milliseconds;
    };
    CHECK_NE(time(), time());
    for (void* one : memory) HIP_OK(hipFree(one));
}

TEST_CASE("a call that fails on purpose in a capture adds nothing and leaves the capture as it is") {
    const Array<int> data(std::vector<int>(64, 0));
    const Stream stream;
    const Faults faults("fail:hipMemsetD32Async:2:hipErrorInvalidValue;fail:hipStreamEndCapture:1:hipErrorUnknown;oom:1");
    void* memory = nullptr;
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipMemsetD32Async(data.get(), 1, 64, stream.get));
    HIP_FAILS(hipMemsetD32Async(data.get(), 2, 64, stream.get), hipErrorInvalidValue);
    HIP_FAILS(hipMallocAsync(&memory, 64, stream.get), hipErrorOutOfMemory);
    HIP_OK(hipMemsetD32Async(data.get() + 32, 3, 32, stream.get));
    HIP_FAILS(hipStreamEndCapture(stream.get, &graph), hipErrorUnknown);
    CHECK_EQ(status_of(stream.get), hipStreamCaptureStatusActive);
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    CHECK_EQ(node_count(graph), 2);
    replay(graph, stream.get);
    CHECK_EQ(data.read()[0], 1);
    CHECK_EQ(data.read()[63], 3);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("kernels of a replay hang and have their bits turned over as others do, counted one by one") {
    const Module module(code());
    const Array<int> data(std::vector<int>(96, 0));
    const Stream stream;
    hipGraph_t graph = captured_fills(module, data.get(), stream.get);
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    {
        const Faults faults("hang:fill:5;flip:fill:2:buffer=0,byte=132,bit=6");
        HIP_OK(hipGraphLaunch(exec, stream.get));
        HIP_OK(hipStreamSynchronize(stream.get));
        CHECK_EQ(data.read()[33], 2 + 64);
        HIP_OK(hipMemset(data.get(), 0, 384));
        HIP_OK(hipDeviceSynchronize());
        HIP_OK(hipGraphLaunch(exec, stream.get));
        HIP_FAILS(hipStreamSynchronize(stream.get), hipErrorLaunchTimeOut);
        const std::vector<int> values = data.read();
        CHECK_EQ(std::vector<int>{values[0], values[32], values[64]}, std::vector<int>{1, 0, 0});
    }
    HIP_OK(hipGraphLaunch(exec, stream.get));
    HIP_OK(hipStreamSynchronize(stream.get));
    CHECK_EQ(data.read()[64], 3);
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("faults are set anew while a kernel runs and a call is delayed, and both end") {
    const Module module(code());
    const Array<int> data(std::vector<int>(64, 0));
    HIP_OK(hipemuSetFaults("hang:fill:1:block;delay:hipGetDevice:1:1000s;fail:hipMalloc:1:hipErrorOutOfMemory"));
    std::atomic<int> started{0};
    std::thread launching([&] {
        const Stream stream;
        ++started;
        HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, stream.get, data.get(), 1));
        HIP_FAILS(hipStreamSynchronize(stream.get), hipErrorLaunchTimeOut);
    });
    std::thread delayed([&] {
        int device = -1;
        ++started;
        HIP_OK(hipGetDevice(&device));
    });
    while (started != 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    void* memory = nullptr;
    HIP_FAILS(hipMalloc(&memory, 64), hipErrorOutOfMemory);  // neither holds it up
    HIP_OK(hipMalloc(&memory, 64));
    HIP_OK(hipemuSetFaults("fail:hipMalloc:1:hipErrorOutOfMemory;noise:5%"));
    launching.join();
    delayed.join();
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, nullptr, data.get(), 2));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(data.read()[0], 2);
    void* another = nullptr;
    HIP_FAILS(hipMalloc(&another, 64), hipErrorOutOfMemory);
    HIP_OK(hipemuSetFaults(""));
    HIP_OK(hipFree(memory));
}

TEST_CASE("a child is killed at a point within a capture or a replay") {
    const Module module(code());
    const Array<int> data(std::vector<int>(96, 0));
    const Stream stream;
    const auto program = [&](const char* faults) {
        const pid_t child = fork();
        if (child == 0) {
            (void)hipemuSetFaults(faults);
            const hipGraph_t graph = captured_fills(module, data.get(), stream.get);
            replay(graph, stream.get);
            _exit(0);
        }
        int status = 0;
        REQUIRE_EQ(waitpid(child, &status, 0), child);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    };
    CHECK_EQ(program("kill:hipStreamEndCapture:1"), SIGKILL);
    CHECK_EQ(program("kill:hipGraphLaunch:1"), SIGKILL);
    CHECK_EQ(program("kill:launch:3"), SIGKILL);
    CHECK_EQ(program("kill:launch:4;kill:hipGraphLaunch:2;delay:hipGraphLaunch:1:1ms"), 0);
}

TEST_CASE("a clock that drifts without end stops rather than to run backwards") {
    const Module module(code());
    const Array<int> data(64 * 64);
    const Faults faults("drift:100000000%");
    const auto child_is_right = [&] {
        const Event first;
        HIP_OK(hipEventRecord(first.get, nullptr));
        float last = 0;
        for (int i = 0; i < 300; ++i) {
            const Event end;
            float milliseconds = -1;
            HIP_OK(launch(module.kernel("fill"), {1}, {64}, 0, nullptr, data.get(), 1));
            HIP_OK(hipEventRecord(end.get, nullptr));
            HIP_OK(hipEventSynchronize(end.get));
            HIP_OK(hipEventElapsedTime(&milliseconds, first.get, end.get));
            if (milliseconds < last) return false;
            last = milliseconds;
        }
        return last > 1e9f;
    };
    const pid_t child = fork();  // the clock stays where it is
    if (child == 0) _exit(child_is_right() ? 0 : 1);
    int status = 0;
    REQUIRE_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}
