// Two devices in one process (HIPEMU_DEVICE names two): each has its memory, its streams and its order; what passes between them is allowed or
// found.
#include "emulator/hip_program.hpp"

namespace {

using namespace hip_test;

bool two_devices() {
    int count = 0;
    HIP_OK(hipGetDeviceCount(&count));
    return count >= 2;
}

struct OnDevice {
    explicit OnDevice(int device) {
        HIP_OK(hipGetDevice(&before_));
        HIP_OK(hipSetDevice(device));
    }
    ~OnDevice() { (void)hipSetDevice(before_); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    int before_ = 0;
};

const std::string& code() {
    static const std::string text = compile(R"(
        extern "C" __global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; })");
    return text;
}

}  // namespace

TEST_CASE("devices have names, memory and streams of their own") {
    if (!two_devices()) return;
    hipUUID first{}, second{};
    HIP_OK(hipDeviceGetUuid(&first, 0));
    HIP_OK(hipDeviceGetUuid(&second, 1));
    CHECK_NE(std::string(first.bytes, 16), std::string(second.bytes, 16));
    std::size_t before = 0, after = 0, total = 0;
    HIP_OK(hipMemGetInfo(&before, &total));
    void* memory = nullptr;
    hipStream_t stream = nullptr;
    {
        const OnDevice other(1);
        HIP_OK(hipMalloc(&memory, 1 << 20));
        HIP_OK(hipStreamCreate(&stream));
        HIP_OK(hipMemGetInfo(&after, &total));
        CHECK_EQ(after, total - (1 << 20));
    }
    HIP_OK(hipMemGetInfo(&after, &total));
    CHECK_EQ(after, before);
    hipPointerAttribute_t attributes{};
    HIP_OK(hipPointerGetAttributes(&attributes, memory));
    CHECK_EQ(attributes.device, 1);
    int device = -1;
    HIP_OK(hipStreamGetDevice(stream, &device));
    CHECK_EQ(device, 1);
    hipEvent_t event = nullptr;  // of device 0
    HIP_OK(hipEventCreate(&event));
    HIP_FAILS(hipEventRecord(event, stream), hipErrorInvalidHandle);
    HIP_OK(hipEventDestroy(event));
    HIP_OK(hipFree(memory));
    HIP_OK(hipStreamDestroy(stream));
}

TEST_CASE("a kernel that touches memory of another device needs peer access to it") {
    if (!two_devices()) return;
    const Module module(code());
    const hipFunction_t copy = module.kernel("copy");
    const Array<int> to(std::vector<int>(32, 0));
    int* theirs = nullptr;
    {
        const OnDevice other(1);
        HIP_OK(hipMalloc(reinterpret_cast<void**>(&theirs), 128));
        HIP_OK(hipMemsetD32Async(theirs, 9, 32, nullptr));
        HIP_OK(hipDeviceSynchronize());
    }
    HIP_OK(launch(copy, {1}, {32}, 0, nullptr, to.get(), theirs));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    CHECK(explanation().find("memory of another device to which there is no peer access") != std::string::npos);

    int can = 0;
    HIP_OK(hipDeviceCanAccessPeer(&can, 0, 1));
    CHECK_EQ(can, 1);
    HIP_OK(hipDeviceCanAccessPeer(&can, 1, 1));
    CHECK_EQ(can, 0);
    HIP_FAILS(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
    HIP_FAILS(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
    HIP_FAILS(hipDeviceEnablePeerAccess(1, 1), hipErrorInvalidValue);
    HIP_OK(hipDeviceEnablePeerAccess(1, 0));
    HIP_FAILS(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
    HIP_OK(launch(copy, {1}, {32}, 0, nullptr, to.get(), theirs));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(to.read(), std::vector<int>(32, 9));
    {
        // It is access in one direction.
        const OnDevice other(1);
        const Module their_module(code());
        HIP_OK(launch(their_module.kernel("copy"), {1}, {32}, 0, nullptr, theirs, to.get()));
        HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    }
    HIP_OK(hipDeviceDisablePeerAccess(1));
    HIP_OK(launch(copy, {1}, {32}, 0, nullptr, to.get(), theirs));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    HIP_OK(hipFree(theirs));
}

TEST_CASE("copies pass between devices with and without peer access") {
    if (!two_devices()) return;
    const Array<int> here(std::vector<int>{1, 2, 3, 4}), back(4);
    int* there = nullptr;
    {
        const OnDevice other(1);
        HIP_OK(hipMalloc(reinterpret_cast<void**>(&there), 16));
    }
    HIP_OK(hipMemcpyPeer(there, 1, here.get(), 0, 16));
    HIP_OK(hipMemcpyPeerAsync(back.get(), 0, there, 1, 16, nullptr));
    CHECK_EQ(back.read(), std::vector<int>{1, 2, 3, 4});
    HIP_OK(hipMemset(back.get(), 0, 16));
    HIP_OK(hipMemcpy(back.get(), there, 16, hipMemcpyDefault));
    CHECK_EQ(back.read(), std::vector<int>{1, 2, 3, 4});
    HIP_FAILS(hipMemcpyPeer(there, 0, here.get(), 0, 16), hipErrorInvalidValue);
    HIP_FAILS(hipMemcpyPeer(there, 7, here.get(), 0, 16), hipErrorInvalidDevice);
    HIP_OK(hipFree(there));
}

TEST_CASE("a stream waits for an event of another device") {
    if (!two_devices()) return;
    const Array<int> here(std::vector<int>(32, 0));
    int* there = nullptr;
    hipStream_t stream = nullptr, other_stream = nullptr;
    hipEvent_t filled = nullptr, mine = nullptr, done = nullptr;
    HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    HIP_OK(hipEventCreate(&mine));
    HIP_OK(hipEventCreate(&done));
    {
        const OnDevice other(1);
        HIP_OK(hipMalloc(reinterpret_cast<void**>(&there), 128));
        HIP_OK(hipStreamCreateWithFlags(&other_stream, hipStreamNonBlocking));
        HIP_OK(hipEventCreate(&filled));
    }
    for (int round = 1; round <= 4; ++round) {
        HIP_OK(hipMemsetD32Async(there, round, 32, other_stream));
        HIP_OK(hipEventRecord(filled, other_stream));
        HIP_OK(hipStreamWaitEvent(stream, filled, 0));
        HIP_OK(hipMemcpyPeerAsync(here.get(), 0, there, 1, 128, stream));
        HIP_OK(hipEventRecord(mine, stream));
        HIP_OK(hipStreamSynchronize(stream));
        CHECK_EQ(here.read(), std::vector<int>(32, round));
    }
    float milliseconds = 0;
    HIP_FAILS(hipEventElapsedTime(&milliseconds, filled, mine), hipErrorInvalidHandle);
    for (const hipEvent_t event : {filled, mine, done}) HIP_OK(hipEventDestroy(event));
    for (const hipStream_t one : {stream, other_stream}) HIP_OK(hipStreamDestroy(one));
    HIP_OK(hipFree(there));
}
