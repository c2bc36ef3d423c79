// Devices, properties, errors and memory as a plain HIP program sees them.
#include "emulator/hip_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <thread>

#include "temporary_directory.hpp"

namespace {

using namespace hip_test;

/// The signal that ends a child process which runs `work`; 0 if none does.
template <class Work>
int signal_of(Work&& work) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("the device is a gfx1100 that calls itself emulated") {
    int count = 0;
    HIP_OK(hipInit(0));
    HIP_OK(hipGetDeviceCount(&count));
    REQUIRE_GE(count, 1);
    hipDeviceProp_tR0600 p;
    HIP_OK(hipGetDevicePropertiesR0600(&p, 0));
    CHECK_EQ(std::string(p.gcnArchName), "gfx1100");
    CHECK(std::string(p.name).find("emulated") != std::string::npos);
    CHECK_EQ(p.warpSize, 32);
    CHECK_EQ(p.multiProcessorCount, 48);  // WGPs: HIP counts so on RDNA
    CHECK_EQ(p.sharedMemPerBlock, 65536);
    CHECK_EQ(p.maxThreadsPerBlock, 1024);
    CHECK_EQ(p.totalGlobalMem, std::size_t{24} << 30);
    CHECK_EQ(p.major, 11);
    CHECK_EQ(p.minor, 0);

    HipemuDeviceInfo info;
    HIP_OK(hipemuDeviceInfo(0, &info));
    CHECK_EQ(info.emulated, 1);
    CHECK_EQ(info.deterministic_clock, 1);
    CHECK_EQ(std::string(info.target), "gfx1100");
    CHECK_EQ(std::strlen(info.timing_table_hash), 64);
    CHECK_EQ(info.compute_units, 96);
}

TEST_CASE("both layouts of the properties agree, and the attributes with them") {
    hipDeviceProp_tR0600 now;
    hipDeviceProp_tR0000 old;
    HIP_OK(hipGetDevicePropertiesR0600(&now, 0));
    HIP_OK(hipGetDeviceProperties(&old, 0));
    CHECK_EQ(std::string(now.name), std::string(old.name));
    CHECK_EQ(std::string(now.gcnArchName), std::string(old.gcnArchName));
    CHECK_EQ(now.totalGlobalMem, old.totalGlobalMem);
    CHECK_EQ(now.clockRate, old.clockRate);
    CHECK_EQ(old.gcnArch, 1100);
    const auto attribute = [](hipDeviceAttribute_t which) {
        int value = -1;
        HIP_OK(hipDeviceGetAttribute(&value, which, 0));
        return value;
    };
    CHECK_EQ(attribute(hipDeviceAttributeMultiprocessorCount), now.multiProcessorCount);
    CHECK_EQ(attribute(hipDeviceAttributePhysicalMultiProcessorCount), 96);
    CHECK_EQ(attribute(hipDeviceAttributeWarpSize), 32);
    CHECK_EQ(attribute(hipDeviceAttributeClockRate), now.clockRate);
    CHECK_EQ(attribute(hipDeviceAttributeL2CacheSize), 6 << 20);
    int value = 0;
    HIP_FAILS(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(7777), 0), hipErrorInvalidValue);
}

TEST_CASE("layouts have the offsets of HIP's headers") {
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, uuid), 256);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, totalGlobalMem), 288);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, warpSize), 308);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, multiProcessorCount), 388);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, surfaceAlignment), 568);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, l2CacheSize), 616);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, reserved), 780);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, gcnArchName), 1160);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, maxSharedMemoryPerMultiProcessor), 1416);
    CHECK_EQ(offsetof(hipDeviceProp_tR0600, asicRevision), 1468);
    CHECK_EQ(sizeof(hipDeviceProp_tR0600), 1472);
    CHECK_EQ(offsetof(hipDeviceProp_tR0000, totalGlobalMem), 256);
    CHECK_EQ(offsetof(hipDeviceProp_tR0000, multiProcessorCount), 336);
    CHECK_EQ(offsetof(hipDeviceProp_tR0000, gcnArchName), 396);
    CHECK_EQ(sizeof(hipDeviceProp_tR0000), 792);
}

TEST_CASE("errors have names, and the last one is kept for its thread") {
    CHECK_EQ(hipGetErrorName(hipErrorIllegalAddress), std::string("hipErrorIllegalAddress"));
    CHECK_EQ(hipGetErrorString(hipErrorOutOfMemory), std::string("out of memory"));
    (void)hipGetLastError();
    HIP_FAILS(hipSetDevice(99), hipErrorInvalidDevice);
    CHECK_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    std::thread([] { CHECK_EQ(hipPeekAtLastError(), hipSuccess); }).join();
    CHECK_EQ(hipGetLastError(), hipErrorInvalidDevice);
    CHECK_EQ(hipGetLastError(), hipSuccess);
    HIP_FAILS(hipMalloc(nullptr, 16), hipErrorInvalidValue);
    HIP_FAILS(hipGetDevicePropertiesR0600(nullptr, 0), hipErrorInvalidValue);
}

TEST_CASE("the last error is that of the last call, of the whole call where it is made of others, and none of the emulator's own calls") {
    HIP_FAILS(hipSetDevice(99), hipErrorInvalidDevice);
    HIP_FAILS(hipemuSetStrictness("nonsense"), hipErrorInvalidValue);
    HIP_FAILS(hipemuSetFaults("nonsense"), hipErrorInvalidValue);
    HipemuDeviceInfo info;
    HIP_OK(hipemuDeviceInfo(0, &info));
    CHECK_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    int device = 0;
    HIP_OK(hipGetDevice(&device));  // HIP 7 would keep the error
    CHECK_EQ(hipGetLastError(), hipSuccess);
    const int unknown = 0;
    HIP_FAILS(hipFuncSetAttribute(&unknown, hipFuncAttributeMaxDynamicSharedMemorySize, 0), hipErrorInvalidDeviceFunction);
    CHECK_EQ(hipGetLastError(), hipErrorInvalidDeviceFunction);
}

TEST_CASE("HIP can be called from what runs at exit, also after an error") {
    const pid_t child = fork();
    if (child == 0) {
        (void)hipSetDevice(99);
        (void)std::atexit([] {
            const bool right = hipSetDevice(98) == hipErrorInvalidDevice && explanation().find("there is no device 98") != std::string::npos &&
                               hipSetDevice(0) == hipSuccess;
            _exit(right ? 42 : 1);
        });
        std::exit(0);
    }
    int status = 0;
    REQUIRE_EQ(waitpid(child, &status, 0), child);
    REQUIRE(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 42);
}

TEST_CASE("the host cannot follow a device pointer") {
    const Array<int> data(std::vector<int>{1, 2, 3});
    CHECK_EQ(signal_of([&] { (void)*const_cast<volatile int*>(data.get()); }), SIGSEGV);
    CHECK_EQ(signal_of([&] { *const_cast<volatile int*>(data.get()) = 4; }), SIGSEGV);
    CHECK_EQ(signal_of([] {}), 0);
}

TEST_CASE("copies arrive, between any two places") {
    std::vector<unsigned char> bytes(100'000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
    const Array<unsigned char> first(bytes.size()), second(bytes.size());
    HIP_OK(hipMemcpyHtoD(first.get(), bytes.data(), bytes.size()));
    HIP_OK(hipMemcpyDtoD(second.get(), first.get(), bytes.size()));
    std::vector<unsigned char> back(bytes.size());
    HIP_OK(hipMemcpy(back.data(), second.get(), back.size(), hipMemcpyDefault));
    CHECK(back == bytes);
    std::vector<unsigned char> part(13);
    HIP_OK(hipMemcpyDtoH(part.data(), second.get() + 77, part.size()));
    CHECK(std::equal(part.begin(), part.end(), bytes.begin() + 77));
    std::vector<unsigned char> host(bytes.size());
    HIP_OK(hipMemcpy(host.data(), bytes.data(), bytes.size(), hipMemcpyHostToHost));
    CHECK(host == bytes);
}

TEST_CASE("a copy that is not possible is refused and says what is wrong") {
    const Array<char> data(100);
    char host[200] = {};
    HIP_FAILS(hipMemcpyHtoD(data.get(), host, 101), hipErrorInvalidValue);
    CHECK(explanation().find("1 bytes past the end of hipMalloc #") != std::string::npos);
    HIP_FAILS(hipMemcpyHtoD(data.get() + 100, host, 1), hipErrorInvalidValue);
    HIP_FAILS(hipMemcpyDtoH(host, data.get() - 1, 2), hipErrorInvalidValue);
    HIP_FAILS(hipMemcpy(host, data.get(), 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
    HIP_FAILS(hipMemcpy(host, data.get(), 10, static_cast<hipMemcpyKind>(9)), hipErrorInvalidMemcpyDirection);
    HIP_FAILS(hipMemcpy(nullptr, data.get(), 10, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    HIP_OK(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDeviceToHost));
}

TEST_CASE("fills write their pattern and nothing else") {
    const Array<std::uint32_t> data(std::vector<std::uint32_t>(8, 0xffffffffu));
    HIP_OK(hipMemsetD32(data.get() + 1, 0x01020304, 2));
    HIP_OK(hipMemsetD16(reinterpret_cast<std::uint16_t*>(data.get() + 3), 0xabcd, 1));
    HIP_OK(hipMemset(data.get() + 5, 0x11, 3));
    CHECK_EQ(data.read(), std::vector<std::uint32_t>{0xffffffffu, 0x01020304u, 0x01020304u, 0xffffabcdu, 0xffffffffu, 0xff111111u, 0xffffffffu,
                                                     0xffffffffu});
    HIP_FAILS(hipMemset(data.get(), 0, 33), hipErrorInvalidValue);
    HIP_FAILS(hipMemsetD32(reinterpret_cast<char*>(data.get()) + 1, 0, 1), hipErrorInvalidValue);
    std::uint32_t host = 0;
    HIP_FAILS(hipMemset(&host, 0, 4), hipErrorInvalidValue);
}

TEST_CASE("memory nobody wrote does not come to the host as zeros") {
    const Array<unsigned char> data(64);
    HIP_OK(hipMemset(data.get() + 8, 0, 16));
    const std::vector<unsigned char> bytes = data.read();
    CHECK_NE(bytes[0], 0);
    CHECK_EQ(bytes[8], 0);
    CHECK_EQ(bytes[23], 0);
    CHECK_NE(bytes[24], 0);
    const Array<unsigned char> copy(64);
    HIP_OK(hipMemcpyDtoD(copy.get() + 1, data.get(), 63));
    CHECK_NE(copy.read()[8], 0);
    CHECK_EQ(copy.read()[9], 0);
}

TEST_CASE("freeing twice, in the middle or something else is an error") {
    void* pointer = nullptr;
    HIP_OK(hipMalloc(&pointer, 1000));
    HIP_FAILS(hipFree(static_cast<char*>(pointer) + 8), hipErrorInvalidValue);
    HIP_OK(hipFree(pointer));
    HIP_FAILS(hipFree(pointer), hipErrorInvalidValue);
    CHECK(explanation().find("which was freed") != std::string::npos);
    int host = 0;
    HIP_FAILS(hipFree(&host), hipErrorInvalidValue);
    HIP_OK(hipFree(nullptr));
    char byte = 0;
    HIP_FAILS(hipMemcpyDtoH(&byte, pointer, 1), hipErrorInvalidValue);
}

TEST_CASE("memory is as large as the card's and comes back when it is freed") {
    std::size_t before = 0, total = 0, now = 0;
    HIP_OK(hipMemGetInfo(&before, &total));
    CHECK_EQ(total, std::size_t{24} << 30);
    void* huge = nullptr;
    HIP_FAILS(hipMalloc(&huge, total + 1), hipErrorOutOfMemory);
    CHECK_EQ(huge, nullptr);
    HIP_OK(hipMalloc(&huge, std::size_t{20} << 30));  // it costs the host nothing until it is written
    HIP_OK(hipMemGetInfo(&now, nullptr));
    CHECK_EQ(before - now, std::size_t{20} << 30);
    void* more = nullptr;
    HIP_FAILS(hipMalloc(&more, std::size_t{5} << 30), hipErrorOutOfMemory);
    HIP_OK(hipMemsetD8(static_cast<char*>(huge) + (std::size_t{19} << 30), 3, 1));
    HIP_OK(hipFree(huge));
    HIP_OK(hipMemGetInfo(&now, nullptr));
    CHECK_EQ(now, before);
}

TEST_CASE("addresses are aligned and not used again at once") {
    std::vector<void*> seen;
    for (int i = 0; i < 50; ++i) {
        void* pointer = nullptr;
        HIP_OK(hipMalloc(&pointer, 100));
        CHECK_EQ(reinterpret_cast<std::uintptr_t>(pointer) % 256, 0);
        for (void* other : seen) REQUIRE_NE(other, pointer);
        seen.push_back(pointer);
        HIP_OK(hipFree(pointer));
    }
}

TEST_CASE("pointers tell what they are") {
    const Array<int> data(4);
    void* pinned = nullptr;
    HIP_OK(hipHostMalloc(&pinned, 64, hipHostMallocDefault));
    hipPointerAttribute_t attributes;
    HIP_OK(hipPointerGetAttributes(&attributes, data.get() + 2));
    CHECK_EQ(attributes.type, hipMemoryTypeDevice);
    CHECK_EQ(attributes.devicePointer, static_cast<void*>(data.get() + 2));
    CHECK_EQ(attributes.device, 0);
    HIP_OK(hipPointerGetAttributes(&attributes, pinned));
    CHECK_EQ(attributes.type, hipMemoryTypeHost);
    CHECK_EQ(attributes.hostPointer, pinned);
    int local = 0;
    HIP_OK(hipPointerGetAttributes(&attributes, &local));
    CHECK_EQ(attributes.type, hipMemoryTypeUnregistered);
    HIP_FAILS(hipPointerGetAttributes(&attributes, data.get() + 4), hipErrorInvalidValue);
    hipDeviceptr_t base = nullptr;
    std::size_t bytes = 0;
    HIP_OK(hipMemGetAddressRange(&base, &bytes, data.get() + 3));
    CHECK_EQ(base, static_cast<void*>(data.get()));
    CHECK_EQ(bytes, 16);
    HIP_OK(hipHostFree(pinned));
}

TEST_CASE("pinned memory has its older names too") {
    int* pinned = nullptr;
    HIP_OK(hipMallocHost(reinterpret_cast<void**>(&pinned), 16));
    HIP_OK(hipMemsetD32(pinned, 9, 4));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(pinned[3], 9);
    void* device_pointer = nullptr;
    HIP_OK(hipHostGetDevicePointer(&device_pointer, pinned, 0));
    CHECK_EQ(device_pointer, static_cast<void*>(pinned));
    HIP_OK(hipFreeHost(pinned));
    HIP_FAILS(hipFreeHost(pinned), hipErrorInvalidValue);
    HIP_OK(hipHostAlloc(&device_pointer, 16, 0));
    HIP_OK(hipHostFree(device_pointer));
}

TEST_CASE("threads share the device") {
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t, &wrong] {
            for (int i = 0; i < 50; ++i) {
                void* pointer = nullptr;
                int value = 0;
                if (hipMalloc(&pointer, 4096) != hipSuccess || hipMemsetD32(pointer, t * 1000 + i, 1024) != hipSuccess ||
                    hipMemcpyDtoH(&value, static_cast<char*>(pointer) + 4092, 4) != hipSuccess || value != t * 1000 + i ||
                    hipFree(pointer) != hipSuccess)
                    ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(wrong, 0);
}

TEST_CASE("what is no code object for the device does not load") {
    hipModule_t module = nullptr;
    std::vector<char> nothing(256, 'x');
    HIP_FAILS(hipModuleLoadData(&module, nothing.data()), hipErrorInvalidImage);
    HIP_FAILS(hipModuleLoad(&module, "/nowhere/kernel.co"), hipErrorFileNotFound);
    HIP_FAILS(hipModuleUnload(nullptr), hipErrorInvalidHandle);
    HIP_FAILS(hipModuleLoadData(nullptr, nothing.data()), hipErrorInvalidValue);
}

TEST_CASE("a damaged bundle does not load") {
    std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
    const std::string name = "hipv4-amdgcn-amd-amdhsa--gfx1100";
    for (const std::uint64_t word : {std::uint64_t{1}, std::uint64_t{0x400000000}, std::uint64_t{4096}, std::uint64_t{name.size()}})
        bundle.append(reinterpret_cast<const char*>(&word), sizeof word);
    bundle += name;
    bundle.resize(256);
    const flashwave::testing::TemporaryDirectory directory;
    const std::string file = directory / "damaged.hipfb";
    std::ofstream(file, std::ios::binary) << bundle;
    hipModule_t module = nullptr;
    HIP_FAILS(hipModuleLoad(&module, file.c_str()), hipErrorInvalidImage);
    CHECK(explanation().find("damaged") != std::string::npos);
    HIP_FAILS(hipModuleLoadData(&module, bundle.data()), hipErrorInvalidImage);
    std::ofstream(file, std::ios::binary) << bundle.substr(0, 70);
    HIP_FAILS(hipModuleLoad(&module, file.c_str()), hipErrorInvalidImage);
}

TEST_CASE("a reset frees what the device holds") {
    std::size_t before = 0, after = 0;
    HIP_OK(hipMemGetInfo(&before, nullptr));
    void* pointer = nullptr;
    hipStream_t stream = nullptr;
    HIP_OK(hipMalloc(&pointer, 1 << 20));
    HIP_OK(hipStreamCreate(&stream));
    HIP_OK(hipMemsetAsync(pointer, 0, 1 << 20, stream));
    HIP_OK(hipDeviceReset());
    HIP_OK(hipMemGetInfo(&after, nullptr));
    CHECK_EQ(after, std::size_t{24} << 30);
    CHECK_GE(after, before);
    HIP_FAILS(hipFree(pointer), hipErrorInvalidValue);
    HIP_FAILS(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
    HIP_OK(hipDeviceSynchronize());
}
