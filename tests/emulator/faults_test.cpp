// Faults on purpose, by the call and by the environment: each one happens where it was asked for and nowhere else.
#include "emulator/hip_program.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

namespace {

using namespace hip_test;

/// Faults for as long as it lives.
struct Faults {
    explicit Faults(const std::string& text) { HIP_OK(hipemuSetFaults(text.c_str())); }
    ~Faults() { (void)hipemuSetFaults(""); }
};

const std::string& fill_code() {
    static const std::string code = compile(R"(
        extern "C" __global__ void fill(int* to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
        extern "C" __global__ void fill_two(int* first, int* second, int value) { first[threadIdx.x] = value; second[threadIdx.x] = value + 1; })");
    return code;
}

/// The signal that ends a child which runs `work`; 0 if it ends by itself.
template <class Work>
int signal_that_ends(Work&& work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = 0;
    REQUIRE_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

float milliseconds_of(hipFunction_t kernel, int* to) {
    hipEvent_t start = nullptr, stop = nullptr;
    HIP_OK(hipEventCreate(&start));
    HIP_OK(hipEventCreate(&stop));
    HIP_OK(hipEventRecord(start, nullptr));
    HIP_OK(launch(kernel, {64}, {64}, 0, nullptr, to, 1));
    HIP_OK(hipEventRecord(stop, nullptr));
    HIP_OK(hipEventSynchronize(stop));
    float milliseconds = 0;
    HIP_OK(hipEventElapsedTime(&milliseconds, start, stop));
    HIP_OK(hipEventDestroy(start));
    HIP_OK(hipEventDestroy(stop));
    return milliseconds;
}

}  // namespace

TEST_CASE("the n-th call of a function fails with the error asked for, and does nothing") {
    const Faults faults("fail:hipMalloc:2:hipErrorOutOfMemory");
    void *first = nullptr, *second = nullptr;
    HIP_OK(hipMalloc(&first, 64));
    HIP_FAILS(hipMalloc(&second, 64), hipErrorOutOfMemory);
    CHECK(explanation().find("hipMalloc: made to fail on purpose") != std::string::npos);
    CHECK_EQ(hipGetLastError(), hipErrorOutOfMemory);
    CHECK(second == nullptr);
    HIP_OK(hipMalloc(&second, 64));
    HIP_OK(hipFree(first));
    HIP_OK(hipFree(second));
}

TEST_CASE("every call of HIP that returns an error can be made to fail") {
    void* library = dlopen(FLASHWAVE_BUILD_DIR "/lib/libhipemu.so", RTLD_NOW);
    REQUIRE(library);
    const std::string names = output_of("readelf -W --dyn-syms " FLASHWAVE_BUILD_DIR
                                        "/lib/libhipemu.so | awk '$7 != \"UND\" && $4 == \"FUNC\" {print $8}' | grep '^hip' | grep -v '^hipemu' | "
                                        "sed 's/@.*//' | grep -v 'LastError$\\|GetErrorName$\\|GetErrorString$'");
    std::size_t count = 0;
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = names.find('\n', at);
        const std::string name = names.substr(at, end - at);
        at = end + 1;
        CAPTURE(name);
        HIP_OK(hipemuSetFaults(("fail:" + name + ":*:hipErrorSetOnActiveProcess").c_str()));
        // It fails before it looks at any argument.
        using AnyCall = hipError_t (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);
        void* const address = dlsym(library, name.c_str());
        REQUIRE(address);
        const auto call = reinterpret_cast<AnyCall>(address);
        CHECK_EQ(call(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
                 hipErrorSetOnActiveProcess);
        ++count;
    }
    HIP_OK(hipemuSetFaults(""));
    CHECK_GT(count, 100);
    (void)hipGetLastError();
}

TEST_CASE("a call that is made of others counts as the one that was made") {
    const Faults faults("fail:hipHostMalloc:1:hipErrorOutOfMemory");
    void* memory = nullptr;
    HIP_OK(hipHostAlloc(&memory, 64, hipHostMallocDefault));
    HIP_OK(hipHostFree(memory));
    HIP_FAILS(hipHostMalloc(&memory, 64, hipHostMallocDefault), hipErrorOutOfMemory);
}

TEST_CASE("a call is delayed") {
    const Faults faults("delay:hipGetDevice:2:60ms");
    const auto time_of_call = [] {
        const auto begun = std::chrono::steady_clock::now();
        int device = 0;
        HIP_OK(hipGetDevice(&device));
        return std::chrono::steady_clock::now() - begun;
    };
    CHECK(time_of_call() < std::chrono::milliseconds(60));
    CHECK(time_of_call() >= std::chrono::milliseconds(60));
}

TEST_CASE("device memory ends at the limit, whatever the card has") {
    const Array<char> before(1 << 20);
    const Faults faults("oom:3MiB");
    void *fits = nullptr, *too_much = nullptr;
    HIP_OK(hipMalloc(&fits, 1 << 20));
    HIP_FAILS(hipMalloc(&too_much, 2 << 20), hipErrorOutOfMemory);
    CHECK(explanation().find("on purpose") != std::string::npos);
    HIP_FAILS(hipMallocAsync(&too_much, 2 << 20, nullptr), hipErrorOutOfMemory);
    HIP_OK(hipFree(fits));
    HIP_OK(hipMalloc(&too_much, 2 << 20));
    HIP_OK(hipFree(too_much));
}

TEST_CASE("a kernel that never ends is stopped as a hang is") {
    const Module module(fill_code());
    const Array<int> data(std::vector<int>(64, 0));
    const Faults faults("hang:fill:2");
    HIP_OK(launch(module.kernel("fill"), {1}, {64}, 0, nullptr, data.get(), 1));
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(launch(module.kernel("fill_two"), {1}, {32}, 0, nullptr, data.get(), data.get() + 32, 5));
    HIP_OK(launch(module.kernel("fill"), {1}, {64}, 0, nullptr, data.get(), 2));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorLaunchTimeOut);
    CHECK(explanation().find("kernel fill,") != std::string::npos);
    CHECK_EQ(data.read()[0], 5);
}

TEST_CASE("a kernel that never ends for real ends when the faults do") {
    const Module module(fill_code());
    const Array<int> data(64);
    HIP_OK(hipemuSetFaults("hang:fill:1:block"));
    std::thread savior([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
        HIP_OK(hipemuSetFaults(""));
    });
    const auto begun = std::chrono::steady_clock::now();
    HIP_OK(launch(module.kernel("fill"), {1}, {64}, 0, nullptr, data.get(), 1));
    HIP_FAILS(hipDeviceSynchronize(), hipErrorLaunchTimeOut);
    CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(70));
    savior.join();
}

TEST_CASE("the process is killed at the point asked for") {
    const Module module(fill_code());
    const Array<int> data(64);
    const hipFunction_t fill = module.kernel("fill");
    const auto program = [&](const std::string& faults) {
        return signal_that_ends([&] {
            (void)hipemuSetFaults(faults.c_str());
            int value = 0, device = 0;
            (void)hipGetDevice(&device);
            for (int i = 0; i < 2; ++i) (void)launch(fill, {1}, {32}, 0, nullptr, data.get(), i);
            (void)hipMemcpy(&value, data.get(), sizeof value, hipMemcpyDeviceToHost);
            (void)hipDeviceSynchronize();
        });
    };
    CHECK_EQ(program(""), 0);
    CHECK_EQ(program("kill:hipGetDevice:1"), SIGKILL);
    CHECK_EQ(program("kill:hipGetDevice:2"), 0);
    CHECK_EQ(program("kill:launch:2"), SIGKILL);
    CHECK_EQ(program("kill:launch:3"), 0);
    CHECK_EQ(program("kill:before-copy:1"), SIGKILL);
    CHECK_EQ(program("kill:after-copy:1"), SIGKILL);
    CHECK_EQ(program("kill:after-copy:2"), 0);
}

TEST_CASE("the bit that was named turns over in the result of the launch that was named") {
    const Module module(fill_code());
    const Array<int> first(std::vector<int>(32, 0)), second(std::vector<int>(32, 0));
    const Faults faults("flip:fill_two:2:buffer=1,byte=9,bit=4");
    const auto run = [&](int value) { HIP_OK(launch(module.kernel("fill_two"), {1}, {32}, 0, nullptr, first.get(), second.get(), value)); };
    run(100);
    CHECK_EQ(first.read(), std::vector<int>(32, 100));
    CHECK_EQ(second.read(), std::vector<int>(32, 101));
    run(200);
    std::vector<int> expected(32, 201);
    expected[2] ^= 1 << 12;
    CHECK_EQ(first.read(), std::vector<int>(32, 200));
    CHECK_EQ(second.read(), expected);
    run(300);
    CHECK_EQ(second.read(), std::vector<int>(32, 301));
}

TEST_CASE("a bit drawn by a seed turns over, the same one every time") {
    const Module module(fill_code());
    const Array<int> data(256), other(std::vector<int>(64, 3));
    const auto result = [&](const std::string& text) {
        HIP_OK(hipMemset(data.get(), 0xff, 1024));
        const Faults faults(text);
        HIP_OK(launch(module.kernel("fill"), {4}, {64}, 0, nullptr, data.get(), 0));
        HIP_OK(hipDeviceSynchronize());
        return data.read();
    };
    const auto ones = [](const std::vector<int>& values) {
        int count = 0;
        for (const int value : values) count += __builtin_popcount(static_cast<unsigned>(value));
        return count;
    };
    const auto once = result("flip:*:1:seed=7"), again = result("flip:*:1:seed=7"), otherwise = result("flip:*:1:seed=8");
    CHECK_EQ(ones(once), 1);
    CHECK_EQ(ones(otherwise), 1);
    CHECK_EQ(once, again);
    CHECK_NE(once, otherwise);
    CHECK_EQ(ones(result("flip:fill_two")), 0);
    CHECK_EQ(other.read(), std::vector<int>(64, 3));
}

TEST_CASE("a clock with noise gives other times within its share, the same for the same seed, and says that it is not exact") {
    const Module module(fill_code());
    const Array<int> data(64 * 64);
    const hipFunction_t fill = module.kernel("fill");
    const float exact = milliseconds_of(fill, data.get());
    HipemuDeviceInfo info;
    HIP_OK(hipemuDeviceInfo(0, &info));
    CHECK_EQ(info.deterministic_clock, 1);
    const auto times = [&](const std::string& text) {
        const Faults faults(text);
        HIP_OK(hipemuDeviceInfo(0, &info));
        CHECK_EQ(info.deterministic_clock, 0);
        std::vector<float> all;
        for (int i = 0; i < 20; ++i) all.push_back(milliseconds_of(fill, data.get()));
        return all;
    };
    const std::vector<float> noisy = times("noise:10%:seed=3");
    float least = noisy[0], most = noisy[0];
    for (const float one : noisy) {
        least = std::min(least, one);
        most = std::max(most, one);
        CHECK_GE(one, exact * 0.899f);
        CHECK_LE(one, exact * 1.101f);
    }
    CHECK_LT(least, exact * 0.97f);
    CHECK_GT(most, exact * 1.03f);
    const std::vector<float> again = times("noise:10%:seed=3");
    for (std::size_t i = 0; i < noisy.size(); ++i) CHECK_EQ(again[i], doctest::Approx(noisy[i]).epsilon(1e-4));
    CHECK_NE(times("noise:10%:seed=4"), noisy);
    HIP_OK(hipemuDeviceInfo(0, &info));
    CHECK_EQ(info.deterministic_clock, 1);
    CHECK_EQ(milliseconds_of(fill, data.get()), doctest::Approx(exact).epsilon(1e-4));
}

TEST_CASE("a clock that drifts makes the same work slower as time goes by") {
    const Module module(fill_code());
    const Array<int> data(64 * 64);
    const hipFunction_t fill = module.kernel("fill");
    // Modelled time in this process so far is milliseconds: a drift that is seen within them.
    const Faults faults("drift:1000000%");
    float last = milliseconds_of(fill, data.get());
    for (int i = 0; i < 5; ++i) {
        const float now = milliseconds_of(fill, data.get());
        CHECK_GT(now, last);
        last = now;
    }
}

TEST_CASE("a text that is not understood is refused and changes nothing") {
    const Faults faults("fail:hipGetDevice:1:hipErrorUnknown");
    HIP_FAILS(hipemuSetFaults("fail:hipGetDevise:1:hipErrorUnknown"), hipErrorInvalidValue);
    CHECK(explanation().find("\"hipGetDevise\" is no HIP call") != std::string::npos);
    HIP_FAILS(hipemuSetFaults("fail:hipGetLastError:1:hipErrorUnknown"), hipErrorInvalidValue);
    int device = 0;
    HIP_FAILS(hipGetDevice(&device), hipErrorUnknown);
    HIP_OK(hipGetDevice(&device));
}

TEST_CASE("faults come from the environment, and a text that is not understood leaves no device") {
    if (std::getenv("HIPEMU_FAULTS")) return;  // the inner process
    const auto inner = [](const std::string& faults, const std::string& test) {
        return output_of("HIPEMU_FAULTS='" + faults + "' " FLASHWAVE_BUILD_DIR "/bin/hip_tests -tc='" + test + "' --no-skip 2>&1; echo status $?");
    };
    const std::string failed = inner("fail:hipMalloc:1:hipErrorIllegalState", "work of one stream runs in its order");
    CHECK_MESSAGE(failed.find("hipMalloc: made to fail on purpose") != std::string::npos, failed);
    const std::string bad = inner("fial:hipMalloc:1", "work of one stream runs in its order");
    CHECK_MESSAGE(bad.find("hipemu: HIPEMU_FAULTS: faults: \"fial:hipMalloc:1\"") != std::string::npos, bad);
    CHECK_MESSAGE(bad.find("hipErrorNoDevice") != std::string::npos, bad);
    const std::string fine = inner("fail:hipMalloc:1000000:hipErrorIllegalState", "work of one stream runs in its order");
    CHECK_MESSAGE(fine.find("status 0") != std::string::npos, fine);
}
