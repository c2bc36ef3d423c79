// Races between work-groups in global memory: every bug beside its corrected twin, and the patterns that look like one and are none.
#include "emulator/hip_program.hpp"

#include <numeric>
#include <regex>

namespace {

using namespace hip_test;

constexpr const char* kKernels = R"(
#define AGENT __HIP_MEMORY_SCOPE_AGENT

extern "C" __global__ void blur_in_place(float* x, float*, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float left = i > 0 ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0, own = x[i];
    __syncthreads();
    x[i] = (left + own + right) / 3;
}
extern "C" __global__ void blur(float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float left = i > 0 ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0, own = x[i];
    y[i] = (left + own + right) / 3;
}
extern "C" __global__ void scale_in_place(float* x, float*, int) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 2 * x[i];
}
extern "C" __global__ void sum_into_first(float* x, float* y, int) {
    y[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
extern "C" __global__ void overlapping_tiles(float* x, float* y, int) {
    const int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    y[i] = x[i] + blockIdx.x;
}
// The same tiles, and both groups store the same where these overlap.
extern "C" __global__ void redundant_tiles(float* x, float* y, int) {
    const int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    y[i] = x[i];
    if (threadIdx.x % 2 == 0) ((short*)y)[2 * i + 1] = ((short*)x)[2 * i + 1];
}
template <int with_a_difference>
__device__ void all_tell(int* y, int n) {
    y[0] = with_a_difference == 1 && blockIdx.x == 5 && threadIdx.x >= 32 ? 8 : 7;
    ((volatile unsigned char*)y)[4001] = with_a_difference == 2 && blockIdx.x == 2 ? 1 : 3;   // 0 is there, of the 1 before
    if (with_a_difference == 3 && blockIdx.x == 3) y[900 + threadIdx.x] = y[n - 1024];
}
extern "C" __global__ void all_tell_the_same(int*, int* y, int n) { all_tell<0>(y, n); }
extern "C" __global__ void one_tells_something_else(int*, int* y, int n) { all_tell<1>(y, n); }
extern "C" __global__ void one_tells_another_byte(int*, int* y, int n) { all_tell<2>(y, n); }
extern "C" __global__ void one_reads_what_is_told(int*, int* y, int n) { all_tell<3>(y, n); }
// The first group stores what the memory held before the launch.
extern "C" __global__ void one_changes_nothing(int*, int* y, int) { y[0] = blockIdx.x == 0 ? 1 : 2; }
extern "C" __global__ void add_up(int* x, int* y, int) { atomicAdd(&y[x[blockIdx.x * blockDim.x + threadIdx.x] % 8], 1); }
extern "C" __global__ void start_in_one_group(int* x, int* y, int) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) y[0] = 0;
        __syncthreads();
    }
    atomicAdd(&y[0], 1);
}
extern "C" __global__ void bytes(unsigned char*, unsigned char* y, int) {
    if (threadIdx.x < 16) y[threadIdx.x * gridDim.x + blockIdx.x] = threadIdx.x;
}
extern "C" __global__ void shared_bytes(unsigned char*, unsigned char* y, int) {
    if (threadIdx.x < 16) y[threadIdx.x * gridDim.x / 2 + blockIdx.x / 2] = threadIdx.x + blockIdx.x;
}
extern "C" __global__ void transpose(float* x, float* y, int) {
    y[threadIdx.x * gridDim.x + blockIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}

// The last group to count adds up what every group has left.
template <bool fence, bool atomic>
__device__ void last_adds(int* x, int* y) {
    __shared__ bool last;
    int* const counter = y + 1000;
    int* const part = y + 1;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x];
        if (fence) __threadfence();
        int before;
        if (atomic) {
            before = atomicAdd(counter, 1);
        } else {
            before = *counter;
            *counter = before + 1;
        }
        last = before == int(gridDim.x) - 1;
    }
    __syncthreads();
    if (!last) return;
    if (fence) __threadfence();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i];
        y[0] = sum;
        *counter = 0;   // for the next launch
    }
}
extern "C" __global__ void last_group(int* x, int* y, int) { last_adds<true, true>(x, y); }
extern "C" __global__ void last_group_without_fence(int* x, int* y, int) { last_adds<false, true>(x, y); }
extern "C" __global__ void last_group_without_atomic(int* x, int* y, int) { last_adds<true, false>(x, y); }

// Each group takes over from the one before it.
extern "C" __global__ void chain(int* x, int* y, int) {
    int* const flag = x + 512;
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            while (__hip_atomic_load(flag + blockIdx.x - 1, __ATOMIC_ACQUIRE, AGENT) != 77) {}
        }
        y[0] = y[0] + 1;
        __hip_atomic_store(flag + blockIdx.x, 77, __ATOMIC_RELEASE, AGENT);
    }
}
extern "C" __global__ void chain_that_writes_late(int* x, int* y, int) {
    int* const flag = x + 512;
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            while (__hip_atomic_load(flag + blockIdx.x - 1, __ATOMIC_ACQUIRE, AGENT) != 77) {}
        }
        __hip_atomic_store(flag + blockIdx.x, 77, __ATOMIC_RELEASE, AGENT);
        y[0] = blockIdx.x;
    }
}
extern "C" __global__ void nobody_waits(int* x, int* y, int) {
    if (threadIdx.x == 0) {
        y[0] = y[0] + 1;
        __hip_atomic_store(x + 512 + blockIdx.x, 77, __ATOMIC_RELEASE, AGENT);
    }
}
extern "C" __global__ void locked(int*, int* y, int) {
    int* const lock = y + 999;
    if (threadIdx.x == 0) {
        int open = 1;
        while (!__hip_atomic_compare_exchange_strong(lock, &open, 2, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, AGENT)) open = 1;
        y[0] = y[0] + 1;
        __hip_atomic_store(lock, 1, __ATOMIC_RELEASE, AGENT);
    }
}
)";

/// What the emulator says of a kernel that is given two arrays of 1024 elements of 4 bytes, x of 1, 2, 3, ..., y all 1, and run by `groups` of 64; empty: nothing.
std::string finding(const char* kernel, unsigned groups = 8) {
    static const std::string code = compile(kKernels);
    const Module module(code);
    std::vector<int> numbers(1024);
    std::iota(numbers.begin(), numbers.end(), 1);
    const Array<int> x(numbers), y(std::vector<int>(1024, 1));
    if (std::string(kernel).starts_with("last_group")) {
        const int none = 0;
        HIP_OK(hipMemcpy(y.get() + 1000, &none, sizeof none, hipMemcpyHostToDevice));
    }
    HIP_OK(launch(module.kernel(kernel), {groups}, {64}, 0, nullptr, x.get(), y.get(), 1024));
    return hipDeviceSynchronize() == hipSuccess ? "" : explanation();
}

void check_race(const std::string& text) {
    INFO(text);
    CHECK(text.find("which group (") != std::string::npos);
    CHECK(text.find("nothing orders the two groups") != std::string::npos);
}

}  // namespace

TEST_CASE("a group that reads what its neighbour overwrites is found, with both groups and the place") {
    const std::string text = finding("blur_in_place");
    check_race(text);
    CHECK(text.find("group (0,0,0)") != std::string::npos);
    CHECK(text.find("group (1,0,0)") != std::string::npos);
    CHECK(text.find("writes 4 bytes") != std::string::npos);
    CHECK(text.find(" of hipMalloc #") != std::string::npos);
    CHECK(text.find("`global_store_b32") != std::string::npos);
    CHECK(text.find("reads with `global_load_b32") != std::string::npos);
    CHECK(finding("blur") == "");
    CHECK(finding("scale_in_place") == "");
}

TEST_CASE("groups that store equal bytes to one place do not race with each other, but with one that stores something else, or reads") {
    CHECK(finding("redundant_tiles") == "");
    CHECK(finding("all_tell_the_same") == "");
    // Waves of the group that tells something else may find the values of other groups between their own: then theirs is the race that is named.
    for (const char* kernel : {"one_tells_something_else", "one_tells_another_byte", "one_reads_what_is_told", "one_changes_nothing"}) {
        INFO(std::string(kernel));
        CHECK(finding(kernel).find("orders the two") != std::string::npos);
    }
}

TEST_CASE("two groups that store different values to one element are found") {
    check_race(finding("sum_into_first"));
    const std::string text = finding("overlapping_tiles");
    check_race(text);
    CHECK(text.find("byte 252 of") != std::string::npos);
    CHECK(finding("transpose") == "");
}

TEST_CASE("one group alone cannot race with another") { CHECK(finding("sum_into_first", 1) == ""); }

TEST_CASE("bytes of one word belong to a group each") {
    CHECK(finding("bytes") == "");
    check_race(finding("shared_bytes"));
}

TEST_CASE("atomics do not race with each other, but with a store that nothing orders") {
    CHECK(finding("add_up") == "");
    check_race(finding("start_in_one_group"));
}

TEST_CASE("the last group to count may read what the others have released") {
    CHECK(finding("last_group") == "");
    check_race(finding("last_group_without_fence"));
    check_race(finding("last_group_without_atomic"));
}

TEST_CASE("a flag hands over from group to group") {
    CHECK(finding("chain") == "");
    check_race(finding("chain_that_writes_late"));
    check_race(finding("nobody_waits"));
}

TEST_CASE("a lock orders the groups that hold it") { CHECK(finding("locked") == ""); }

TEST_CASE("a finding does not depend on which groups ran first") {
    for (const char* kernel : {"blur_in_place", "overlapping_tiles", "shared_bytes"}) {
        const auto place = [&] {
            const std::string text = finding(kernel);   // addresses differ from run to run
            const std::string same = text.substr(0, text.find(" at 0x")) + text.substr(std::min(text.find(", which"), text.size()));
            return std::regex_replace(same, std::regex("wave [0-9]+"), "wave");  // of several that a group's store is made of, any
        };
        const std::string first = place();
        for (int i = 0; i < 5; ++i) CHECK(place() == first);
    }
}
