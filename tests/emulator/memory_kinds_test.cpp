// Memory of every kind that HIP has: pools, rows, registered and managed memory, and what a pointer says of itself.
#include "emulator/hip_program.hpp"

namespace {

using namespace hip_test;

const std::string& code() {
    static const std::string text = compile(R"(
        extern "C" __global__ void fill(int* to, int value) { to[threadIdx.x] = value + threadIdx.x; })");
    return text;
}

std::size_t free_memory() {
    std::size_t free_bytes = 0, total = 0;
    HIP_OK(hipMemGetInfo(&free_bytes, &total));
    return free_bytes;
}

std::uint64_t attribute(hipMemPool_t pool, hipMemPoolAttr which) {
    std::uint64_t value = 0;
    HIP_OK(hipMemPoolGetAttribute(pool, which, &value));
    return value;
}

hipPointerAttribute_t attributes_of(const void* pointer) {
    hipPointerAttribute_t attributes{};
    HIP_OK(hipPointerGetAttributes(&attributes, pointer));
    return attributes;
}

}  // namespace

TEST_CASE("memory that was freed in stream order is gone for what comes later, and there for what comes before") {
    const Module module(code());
    hipStream_t stream = nullptr;
    HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    int* memory = nullptr;
    HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&memory), 128, stream));
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, stream, memory, 5));
    std::vector<int> result(32);
    HIP_OK(hipMemcpyDtoHAsync(result.data(), memory, 128, stream));
    HIP_OK(hipFreeAsync(memory, stream));
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, stream, memory, 6));
    HIP_FAILS(hipStreamSynchronize(stream), hipErrorIllegalAddress);
    CHECK(explanation().find("hipMallocAsync #") != std::string::npos);
    CHECK(explanation().find("which was freed") != std::string::npos);
    CHECK_EQ(result[31], 36);
    HIP_FAILS(hipFreeAsync(memory, stream), hipErrorInvalidValue);  // twice
    HIP_OK(hipStreamDestroy(stream));
}

TEST_CASE("memory is freed in stream order once, also before the stream gets there") {
    int* memory = nullptr;
    HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&memory), 128, nullptr));
    HIP_OK(hipFreeAsync(memory, nullptr));
    HIP_FAILS(hipFreeAsync(memory, nullptr), hipErrorInvalidValue);
    HIP_FAILS(hipFree(memory), hipErrorInvalidValue);
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&memory), 128));
    HIP_OK(hipFreeAsync(memory, nullptr));
    HIP_OK(hipDeviceSynchronize());
}

TEST_CASE("a pool keeps what is freed up to its threshold, and gives it back when it is trimmed") {
    hipMemPool_t pool = nullptr, current = nullptr;
    HIP_OK(hipDeviceGetDefaultMemPool(&pool, 0));
    HIP_OK(hipDeviceGetMemPool(&current, 0));
    CHECK(pool == current);
    constexpr std::size_t kBytes = 1 << 20;
    const std::size_t before = free_memory();
    void* memory = nullptr;
    HIP_OK(hipMallocAsync(&memory, kBytes, nullptr));
    CHECK_EQ(free_memory(), before - kBytes);
    CHECK_EQ(attribute(pool, hipMemPoolAttrUsedMemCurrent), kBytes);
    HIP_OK(hipFreeAsync(memory, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    CHECK_EQ(free_memory(), before);
    CHECK_GE(attribute(pool, hipMemPoolAttrUsedMemHigh), kBytes);
    CHECK_EQ(attribute(pool, hipMemPoolAttrReservedMemCurrent), 0);

    std::uint64_t threshold = 2 * kBytes;
    HIP_OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
    HIP_OK(hipMallocAsync(&memory, kBytes, nullptr));
    HIP_OK(hipFree(memory));  // allowed as well
    CHECK_EQ(attribute(pool, hipMemPoolAttrUsedMemCurrent), 0);
    CHECK_EQ(attribute(pool, hipMemPoolAttrReservedMemCurrent), kBytes);
    CHECK_EQ(free_memory(), before - kBytes);
    HIP_OK(hipMallocAsync(&memory, kBytes / 2, nullptr));  // out of what is kept
    CHECK_EQ(free_memory(), before - kBytes);
    HIP_OK(hipFreeAsync(memory, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    HIP_OK(hipMemPoolTrimTo(pool, 4096));
    CHECK_EQ(attribute(pool, hipMemPoolAttrReservedMemCurrent), 4096);
    HIP_OK(hipMemPoolTrimTo(pool, 0));
    CHECK_EQ(free_memory(), before);
    threshold = 0;
    HIP_OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
    HIP_OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &threshold));
    CHECK_EQ(attribute(pool, hipMemPoolAttrUsedMemHigh), 0);
    int reuse = 0;
    HIP_OK(hipMemPoolGetAttribute(pool, hipMemPoolReuseAllowOpportunistic, &reuse));
    CHECK_EQ(reuse, 1);
    HIP_FAILS(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &threshold), hipErrorInvalidValue);
    HIP_FAILS(hipMemPoolDestroy(pool), hipErrorInvalidValue);
}

TEST_CASE("memory that a pool keeps is there for plain allocations once the rest is used up") {
    hipMemPool_t pool = nullptr;
    HIP_OK(hipDeviceGetDefaultMemPool(&pool, 0));
    std::uint64_t threshold = UINT64_MAX;
    HIP_OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
    HIP_OK(hipemuSetFaults("oom:4MiB"));
    void *kept = nullptr, *plain = nullptr;
    HIP_OK(hipMallocAsync(&kept, 3 << 20, nullptr));
    HIP_OK(hipFreeAsync(kept, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    CHECK_EQ(attribute(pool, hipMemPoolAttrReservedMemCurrent), 3 << 20);
    HIP_OK(hipMalloc(&plain, 2 << 20));
    CHECK_EQ(attribute(pool, hipMemPoolAttrReservedMemCurrent), 0);
    HIP_OK(hipFree(plain));
    HIP_OK(hipemuSetFaults(""));
    threshold = 0;
    HIP_OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
}

TEST_CASE("a pool of one's own serves as the device's and outlives its handle for what is allocated") {
    hipMemPoolProps properties{};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    hipMemPool_t pool = nullptr, current = nullptr, original = nullptr;
    HIP_OK(hipDeviceGetDefaultMemPool(&original, 0));
    HIP_OK(hipMemPoolCreate(&pool, &properties));
    HIP_OK(hipDeviceSetMemPool(0, pool));
    HIP_OK(hipDeviceGetMemPool(&current, 0));
    CHECK(current == pool);
    const std::size_t before = free_memory();
    void *first = nullptr, *second = nullptr;
    HIP_OK(hipMallocAsync(&first, 4096, nullptr));
    HIP_OK(hipMallocFromPoolAsync(&second, 8192, pool, nullptr));
    CHECK_EQ(attribute(pool, hipMemPoolAttrUsedMemCurrent), 12288);
    CHECK_EQ(attribute(original, hipMemPoolAttrUsedMemCurrent), 0);
    HIP_OK(hipMemPoolDestroy(pool));
    HIP_OK(hipDeviceGetMemPool(&current, 0));
    CHECK(current == original);
    HIP_FAILS(hipMallocFromPoolAsync(&second, 8192, pool, nullptr), hipErrorInvalidValue);
    HIP_OK(hipFreeAsync(first, nullptr));
    HIP_OK(hipFreeAsync(second, nullptr));
    properties.location.id = 77;
    HIP_FAILS(hipMemPoolCreate(&pool, &properties), hipErrorInvalidDevice);
    properties.allocType = hipMemAllocationTypeInvalid;
    HIP_FAILS(hipMemPoolCreate(&pool, &properties), hipErrorInvalidValue);
    HIP_OK(hipStreamSynchronize(nullptr));
    CHECK_EQ(free_memory(), before);
}

TEST_CASE("rows are copied and filled without what lies between them") {
    constexpr std::size_t kWidth = 12, kHeight = 5;
    char *memory = nullptr, *other = nullptr;
    std::size_t pitch = 0, other_pitch = 0;
    HIP_OK(hipMallocPitch(reinterpret_cast<void**>(&memory), &pitch, kWidth, kHeight));
    HIP_OK(hipMallocPitch(reinterpret_cast<void**>(&other), &other_pitch, 300, kHeight));
    CHECK_EQ(pitch, 256);
    CHECK_EQ(other_pitch, 512);
    std::vector<char> host(20 * kHeight);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<char>(i);
    HIP_OK(hipMemset(memory, 0, pitch * kHeight));
    HIP_OK(hipMemcpy2D(memory, pitch, host.data(), 20, kWidth, kHeight, hipMemcpyHostToDevice));
    HIP_OK(hipMemset2D(memory + 4, pitch, 99, 2, 3));
    HIP_OK(hipMemcpy2DAsync(other, other_pitch, memory, pitch, kWidth, kHeight, hipMemcpyDeviceToDevice, nullptr));
    std::vector<char> back(16 * kHeight, 77);
    HIP_OK(hipMemcpy2DAsync(back.data(), 16, other, other_pitch, kWidth, kHeight, hipMemcpyDeviceToHost, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    for (std::size_t row = 0; row < kHeight; ++row)
        for (std::size_t column = 0; column < 16; ++column) {
            CAPTURE(row);
            CAPTURE(column);
            const bool filled = (column == 4 || column == 5) && row < 3;
            CHECK_EQ(static_cast<int>(back[row * 16 + column]), column >= kWidth ? 77 : filled ? 99 : static_cast<int>(row * 20 + column));
        }
    char between = 1;
    HIP_OK(hipMemcpy(&between, memory + kWidth, 1, hipMemcpyDeviceToHost));
    CHECK_EQ(between, 0);
    HIP_FAILS(hipMemcpy2D(memory, 8, host.data(), 20, kWidth, kHeight, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
    HIP_FAILS(hipMemcpy2D(memory, pitch, host.data(), 20, kWidth, kHeight + 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
    HIP_FAILS(hipMemset2D(memory, 8, 0, kWidth, kHeight), hipErrorInvalidPitchValue);
    HIP_OK(hipMemcpy2D(memory, pitch, host.data(), 20, kWidth, 0, hipMemcpyHostToDevice));
    HIP_OK(hipFree(memory));
    HIP_OK(hipFree(other));
}

TEST_CASE("registered host memory is reached by kernels until it is unregistered") {
    const Module module(code());
    std::vector<int> host(64, 0);
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, nullptr, host.data(), 1));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    HIP_OK(hipHostRegister(host.data(), 64 * sizeof(int), hipHostRegisterMapped));
    int* on_device = nullptr;
    HIP_OK(hipHostGetDevicePointer(reinterpret_cast<void**>(&on_device), host.data() + 32, 0));
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, nullptr, on_device, 100));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(host[32], 100);
    CHECK_EQ(host[63], 131);
    unsigned flags = 0;
    HIP_OK(hipHostGetFlags(&flags, host.data()));
    CHECK_EQ(flags, hipHostRegisterMapped);
    HIP_FAILS(hipHostRegister(host.data() + 60, 64, 0), hipErrorHostMemoryAlreadyRegistered);
    HIP_FAILS(hipHostRegister(host.data() - 4, 64, 0), hipErrorHostMemoryAlreadyRegistered);
    HIP_FAILS(hipHostFree(host.data()), hipErrorInvalidValue);
    HIP_FAILS(hipHostUnregister(host.data() + 1), hipErrorHostMemoryNotRegistered);
    HIP_OK(hipHostUnregister(host.data()));
    HIP_FAILS(hipHostUnregister(host.data()), hipErrorHostMemoryNotRegistered);
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, nullptr, host.data(), 1));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    CHECK_EQ(host[0], 0);
}

TEST_CASE("managed memory is one memory for host and kernels") {
    const Module module(code());
    int managed_here = 0;
    HIP_OK(hipDeviceGetAttribute(&managed_here, hipDeviceAttributeManagedMemory, 0));
    CHECK_EQ(managed_here, 1);
    int* memory = nullptr;
    HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&memory), 256, hipMemAttachGlobal));
    memory[40] = 7;
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, nullptr, memory, 100));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(memory[31], 131);
    CHECK_EQ(memory[40], 7);
    HIP_OK(launch(module.kernel("fill"), {1}, {32}, 0, nullptr, memory + 33, 0));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorIllegalAddress);
    HIP_OK(hipFree(memory));
    HIP_FAILS(hipFree(memory), hipErrorInvalidValue);
    HIP_FAILS(hipMallocManaged(reinterpret_cast<void**>(&memory), 256, 77), hipErrorInvalidValue);
}

TEST_CASE("a pointer says what it is") {
    int* managed = nullptr;
    void *pinned = nullptr, *pooled = nullptr;
    std::vector<int> registered(16), plain(16);
    const Array<int> device(16);
    HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&managed), 64, hipMemAttachGlobal));
    HIP_OK(hipHostMalloc(&pinned, 64, hipHostMallocDefault));
    HIP_OK(hipMallocAsync(&pooled, 64, nullptr));
    HIP_OK(hipHostRegister(registered.data(), 64, 0));
    CHECK_EQ(attributes_of(device.get() + 3).type, hipMemoryTypeDevice);
    CHECK(attributes_of(device.get() + 3).devicePointer == device.get() + 3);
    CHECK(attributes_of(device.get()).hostPointer == nullptr);
    CHECK_EQ(attributes_of(pooled).type, hipMemoryTypeDevice);
    CHECK_EQ(attributes_of(pinned).type, hipMemoryTypeHost);
    CHECK(attributes_of(pinned).hostPointer == pinned);
    CHECK_EQ(attributes_of(registered.data() + 1).type, hipMemoryTypeHost);
    CHECK_EQ(attributes_of(managed).type, hipMemoryTypeManaged);
    CHECK_EQ(attributes_of(managed).isManaged, 1);
    CHECK_EQ(attributes_of(pinned).isManaged, 0);
    CHECK_EQ(attributes_of(plain.data()).type, hipMemoryTypeUnregistered);
    void* base = nullptr;
    std::size_t bytes = 0;
    HIP_OK(hipMemGetAddressRange(&base, &bytes, managed + 5));
    CHECK(base == managed);
    CHECK_EQ(bytes, 64);
    HIP_OK(hipMemGetAddressRange(&base, &bytes, device.get() + 15));
    CHECK(base == device.get());
    HIP_FAILS(hipMemGetAddressRange(&base, &bytes, plain.data()), hipErrorNotFound);
    HIP_OK(hipHostUnregister(registered.data()));
    CHECK_EQ(attributes_of(registered.data()).type, hipMemoryTypeUnregistered);
    HIP_OK(hipFree(managed));
    HIP_OK(hipHostFree(pinned));
    HIP_OK(hipFreeAsync(pooled, nullptr));
    HIP_OK(hipDeviceSynchronize());
}

TEST_CASE("advice is taken about memory that is there, and about nothing else") {
    int* managed = nullptr;
    HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&managed), 1024, hipMemAttachGlobal));
    HIP_OK(hipMemAdvise(managed, 1024, hipMemAdviseSetReadMostly, 0));
    HIP_OK(hipMemAdvise(managed + 128, 512, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
    HIP_FAILS(hipMemAdvise(managed + 128, 513, hipMemAdviseSetCoarseGrain, 0), hipErrorInvalidValue);
    HIP_FAILS(hipMemAdvise(nullptr, 4, hipMemAdviseSetCoarseGrain, 0), hipErrorInvalidValue);
    HIP_FAILS(hipMemAdvise(managed, 4, hipMemAdviseSetCoarseGrain, 7), hipErrorInvalidDevice);
    HIP_OK(hipFree(managed));
}
