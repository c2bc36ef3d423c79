// What a test needs to be a plain HIP program: kernels compiled by the worker, device arrays, launches. Every failure ends the test case.
#pragma once

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "emulator/compiled_kernel.hpp"
#include "hip/hip_calls.hpp"
#include "hip/hipemu_ext.hpp"

// A HIP call that has to succeed; what the emulator says of a failure is shown.
#define HIP_OK(call)                                             \
    do {                                                         \
        const hipError_t hip_error = (call);                     \
        INFO(std::string(#call ": "), hip_test::explanation());              \
        REQUIRE_EQ(std::string(hipGetErrorName(hip_error)), "hipSuccess"); \
    } while (false)
// A HIP call that has to fail in one way.
#define HIP_FAILS(call, error)                                              \
    do {                                                                    \
        const hipError_t hip_error = (call);                                \
        INFO(std::string(#call ": "), hip_test::explanation());                         \
        REQUIRE_EQ(std::string(hipGetErrorName(hip_error)), #error);  \
    } while (false)

namespace hip_test {

/// What the emulator says of the calling thread's last failure.
inline std::string explanation() {
    char text[4096] = "";
    (void)hipemuExplainLastError(text, sizeof text);
    return text;
}

/// What a shell command writes.
inline std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> part;
    while (const std::size_t count = fread(part.data(), 1, part.size(), pipe.get())) text.append(part.data(), count);
    return text;
}

class Module {
public:
    explicit Module(const std::string& code) { HIP_OK(hipModuleLoadData(&module_, code.data())); }
    ~Module() { (void)hipModuleUnload(module_); }
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    hipModule_t get() const { return module_; }
    hipFunction_t kernel(const char* name) const {
        hipFunction_t function = nullptr;
        HIP_OK(hipModuleGetFunction(&function, module_, name));
        return function;
    }

private:
    hipModule_t module_ = nullptr;
};

template <class T>
class Array {
public:
    explicit Array(std::size_t count) : count_(count) { HIP_OK(hipMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T))); }
    explicit Array(const std::vector<T>& values) : Array(values.size()) {
        HIP_OK(hipMemcpy(data_, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    }
    ~Array() { (void)hipFree(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    T* get() const { return data_; }
    std::size_t size() const { return count_; }
    std::vector<T> read() const {
        std::vector<T> values(count_);
        HIP_OK(hipMemcpy(values.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

struct Stream {
    hipStream_t get = nullptr;
    explicit Stream(unsigned flags = hipStreamNonBlocking) { HIP_OK(hipStreamCreateWithFlags(&get, flags)); }
    ~Stream() { (void)hipStreamDestroy(get); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
};

struct Event {
    hipEvent_t get = nullptr;
    Event() { HIP_OK(hipEventCreate(&get)); }
    ~Event() { (void)hipEventDestroy(get); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
};

/// Launches with the arguments given by value, in order.
template <class... Arguments>
hipError_t launch(hipFunction_t kernel, dim3 grid, dim3 block, unsigned shared_bytes, hipStream_t stream, Arguments... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    return hipModuleLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes, stream, pointers, nullptr);
}

}  // namespace hip_test
