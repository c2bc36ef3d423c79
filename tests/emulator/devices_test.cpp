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

TEST_CASE("a memory pool grants other devices access to what comes from it") {
    if (!two_devices()) return;
    const Module module(code());
    const hipFunction_t copy = module.kernel("copy");
    const Array<int> here(std::vector<int>(32, 3));
    hipMemPoolProps properties{};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {.type = hipMemLocationTypeDevice, .id = 1};
    hipMemPool_t pool = nullptr;
    int* theirs = nullptr;
    HIP_OK(hipMemPoolCreate(&pool, &properties));
    HIP_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&theirs), 128, pool, nullptr));
    {
        const OnDevice other(1);
        HIP_OK(hipMemsetD32Async(theirs, 9, 32, nullptr));
        HIP_OK(hipDeviceSynchronize());
    }
    hipMemLocation mine{.type = hipMemLocationTypeDevice, .id = 0};
    const auto access = [&](hipMemAccessFlags flags) {
        const hipMemAccessDesc list{.location = mine, .flags = flags};
        HIP_OK(hipMemPoolSetAccess(pool, &list, 1));
        hipMemAccessFlags told{};
        HIP_OK(hipMemPoolGetAccess(&told, pool, &mine));
        CHECK_EQ(told, flags);
    };
    const auto run = [&](int* to, const int* from) {
        HIP_OK(launch(copy, {1}, {32}, 0, nullptr, to, from));
        return hipDeviceSynchronize();
    };
    hipMemAccessFlags told{};
    HIP_OK(hipMemPoolGetAccess(&told, pool, &mine));
    CHECK_EQ(told, hipMemAccessFlagsProtNone);
    CHECK_EQ(run(here.get(), theirs), hipErrorIllegalAddress);
    access(hipMemAccessFlagsProtRead);
    CHECK_EQ(run(here.get(), theirs), hipSuccess);
    CHECK_EQ(here.read()[31], 9);
    CHECK_NE(run(theirs, here.get()), hipSuccess);
    access(hipMemAccessFlagsProtReadWrite);
    CHECK_EQ(run(theirs, here.get()), hipSuccess);
    access(hipMemAccessFlagsProtNone);
    CHECK_EQ(run(here.get(), theirs), hipErrorIllegalAddress);

    hipMemAccessDesc bad{.location = {.type = hipMemLocationTypeDevice, .id = 1}, .flags = hipMemAccessFlagsProtNone};
    HIP_FAILS(hipMemPoolSetAccess(pool, &bad, 1), hipErrorInvalidDevice);
    bad.location.id = 2;
    HIP_FAILS(hipMemPoolSetAccess(pool, &bad, 1), hipErrorInvalidDevice);
    bad = {.location = mine, .flags = static_cast<hipMemAccessFlags>(2)};
    HIP_FAILS(hipMemPoolSetAccess(pool, &bad, 1), hipErrorInvalidValue);
    HIP_FAILS(hipMemPoolSetAccess(pool, nullptr, 1), hipErrorInvalidValue);
    mine.id = 7;
    HIP_FAILS(hipMemPoolGetAccess(&told, pool, &mine), hipErrorInvalidValue);
    HIP_OK(hipFreeAsync(theirs, nullptr));
    HIP_OK(hipMemPoolDestroy(pool));
}

TEST_CASE("a copy of the default stream comes after the default stream of the other device, and does not take what failed there") {
    if (!two_devices()) return;
    const Array<int> here(std::vector<int>(32, 0));
    int* there = nullptr;
    const OnDevice other(1);
    const Module their_module(code());
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&there), 128));
    for (int round = 1; round <= 3; ++round) {
        HIP_OK(hipMemsetD32Async(there, round, 32, nullptr));
        const OnDevice first(0);
        HIP_OK(hipMemcpyPeer(here.get(), 0, there, 1, 128));
        CHECK_EQ(here.read(), std::vector<int>(32, round));
    }
    HIP_OK(launch(their_module.kernel("copy"), {1}, {32}, 0, nullptr, there, here.get()));  // it has no access
    {
        const OnDevice first(0);
        HIP_OK(hipMemcpyPeer(here.get(), 0, there, 1, 128));
        HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
        CHECK_EQ(here.read(), std::vector<int>(32, 3));
    }
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    HIP_OK(hipFree(there));
}

TEST_CASE("a failure on one device is none of the other, unless that waits for it") {
    if (!two_devices()) return;
    const Array<int> here(std::vector<int>(32, 0));
    {
        const OnDevice other(1);
        const Module their_module(code());
        int* there = nullptr;
        HIP_OK(hipMalloc(reinterpret_cast<void**>(&there), 128));
        HIP_OK(launch(their_module.kernel("copy"), {1}, {32}, 0, nullptr, there, here.get()));
        {
            const OnDevice first(0);
            HIP_OK(hipMemsetD32(here.get(), 1, 32));
            HIP_OK(hipDeviceSynchronize());
            CHECK_EQ(here.read(), std::vector<int>(32, 1));
        }
        HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
        HIP_OK(hipDeviceReset());
    }
    CHECK_EQ(here.read(), std::vector<int>(32, 1));  // resetting the other device left it
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
