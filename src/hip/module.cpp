#include "hip/module.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace flashwave::hip {

Status Kernel::launch(const LaunchShape& shape, hipStream_t stream, const void* arguments, std::size_t argument_bytes) const {
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments), HIP_LAUNCH_PARAM_BUFFER_SIZE, &argument_bytes,
                     HIP_LAUNCH_PARAM_END};
    const hipError_t error =
        api_->hipModuleLaunchKernel(function_, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
                                    shape.dynamic_shared_bytes, stream, nullptr, extra);
    return error == hipSuccess ? Status() : api_->status(error, "hipModuleLaunchKernel");
}

Result<int> Kernel::attribute(hipFunction_attribute which) const {
    int value = 0;
    FLASHWAVE_RETURN_IF_ERROR(api_->status(api_->hipFuncGetAttribute(&value, which, function_), "hipFuncGetAttribute"));
    return value;
}

Result<int> Kernel::blocks_per_multiprocessor(int block_size, std::size_t dynamic_shared_bytes) const {
    int blocks = 0;
    FLASHWAVE_RETURN_IF_ERROR(api_->status(
        api_->hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, block_size, dynamic_shared_bytes),
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"));
    return blocks;
}

Module::~Module() { release(); }

Module::Module(Module&& other) noexcept : api_(std::move(other.api_)), module_(std::exchange(other.module_, nullptr)) {}

Module& Module::operator=(Module&& other) noexcept {
    if (this == &other) return *this;
    release();
    api_ = std::move(other.api_);
    module_ = std::exchange(other.module_, nullptr);
    return *this;
}

void Module::release() noexcept {
    if (module_) (void)api_->hipModuleUnload(module_);
    module_ = nullptr;
}

Result<Module> Module::load(const Device& device, std::span<const std::byte> code_object) {
    // HIP takes no size: it reads as far as the ELF header says. A file that is cut short would be read beyond its end.
    constexpr std::size_t elf_header_bytes = 64;
    if (code_object.size() < elf_header_bytes || std::memcmp(code_object.data(), "\177ELF", 4) != 0)
        return Status(Code::corrupt, fmt::format("a code object of {} bytes is no ELF file", code_object.size()));
    std::uint64_t section_table = 0;
    std::uint16_t section_size = 0, section_count = 0;
    std::memcpy(&section_table, code_object.data() + 40, 8);
    std::memcpy(&section_size, code_object.data() + 58, 2);
    std::memcpy(&section_count, code_object.data() + 60, 2);
    const std::uint64_t table_bytes = std::uint64_t{section_size} * section_count;
    if (section_table > code_object.size() || table_bytes > code_object.size() - section_table)
        return Status(Code::corrupt, fmt::format("a code object is cut short: it has {} bytes and its header says {}", code_object.size(),
                                                 section_table + table_bytes));

    FLASHWAVE_RETURN_IF_ERROR(device.make_current());
    Module module;
    module.api_ = device.shared_api();
    FLASHWAVE_RETURN_IF_ERROR(
        module.api_->status(module.api_->hipModuleLoadData(&module.module_, code_object.data()), "hipModuleLoadData"));
    return module;
}

Result<Kernel> Module::kernel(const std::string& name) const {
    hipFunction_t function = nullptr;
    FLASHWAVE_RETURN_IF_ERROR(api_->status(api_->hipModuleGetFunction(&function, module_, name.c_str()), "hipModuleGetFunction")
                                  .with_context(fmt::format("kernel {}", name)));
    return Kernel(api_.get(), function);
}

}  // namespace flashwave::hip
