// A loaded code object and a kernel of it. A Module must outlive the launches of its kernels; loading takes one thread at a time, launching
// any number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "flashwave/status.hpp"
#include "hip/device.hpp"

namespace flashwave::hip {

/// Where and how a kernel is launched.
struct LaunchShape {
    std::array<std::uint32_t, 3> grid{1, 1, 1};   // blocks
    std::array<std::uint32_t, 3> block{1, 1, 1};  // threads
    std::uint32_t dynamic_shared_bytes = 0;
};

class Kernel {
public:
    Kernel() noexcept = default;
    Kernel(const Api* api, hipFunction_t function) noexcept : api_(api), function_(function) {}

    /// Launches with `arguments`, the kernel's arguments as one block of memory laid out like its parameter list. They are copied; the
    /// call returns when the kernel is queued. It allocates nothing.
    Status launch(const LaunchShape& shape, hipStream_t stream, const void* arguments, std::size_t argument_bytes) const;

    /// A HIP attribute: registers (HIP_FUNC_ATTRIBUTE_NUM_REGS), static LDS, scratch a thread, largest block.
    Result<int> attribute(hipFunction_attribute which) const;
    /// Blocks that fit one multiprocessor at a time.
    Result<int> blocks_per_multiprocessor(int block_size, std::size_t dynamic_shared_bytes) const;

    hipFunction_t get() const noexcept { return function_; }

private:
    const Api* api_ = nullptr;
    hipFunction_t function_ = nullptr;
};

class Module {
public:
    Module() noexcept = default;
    ~Module();
    Module(Module&& other) noexcept;
    Module& operator=(Module&& other) noexcept;

    /// Loads a code object. Its bytes may go afterwards. Code::device_error: HIP refuses it.
    static Result<Module> load(const Device& device, std::span<const std::byte> code_object);

    /// Code::not_found: no kernel of that name.
    Result<Kernel> kernel(const std::string& name) const;

private:
    void release() noexcept;

    std::shared_ptr<const Api> api_;
    hipModule_t module_ = nullptr;
};

}  // namespace flashwave::hip
