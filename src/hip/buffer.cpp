#include "hip/buffer.hpp"

#include <utility>

#include <fmt/format.h>

namespace flashwave::hip {

Buffer::~Buffer() { release(); }

Buffer::Buffer(Buffer&& other) noexcept
    : api_(std::move(other.api_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    release();
    api_ = std::move(other.api_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
}

void Buffer::release() noexcept {
    if (data_) (void)api_->hipFree(data_);
    data_ = nullptr;
    size_ = 0;
}

Result<Buffer> Buffer::allocate(const Device& device, std::size_t bytes) {
    Buffer buffer;
    buffer.api_ = device.shared_api();
    if (bytes == 0) return buffer;
    FLASHWAVE_RETURN_IF_ERROR(device.make_current());
    const hipError_t error = buffer.api_->hipMalloc(&buffer.data_, bytes);
    if (error != hipSuccess) {
        buffer.data_ = nullptr;
        return buffer.api_->status(error, fmt::format("hipMalloc of {} bytes", bytes));
    }
    buffer.size_ = bytes;
    return buffer;
}

Status Buffer::check_range(std::size_t bytes, std::size_t offset) const {
    if (offset <= size_ && bytes <= size_ - offset) return {};
    return {Code::invalid_argument, fmt::format("{} bytes at offset {} do not fit a buffer of {} bytes", bytes, offset, size_)};
}

Status Buffer::upload(const void* from, std::size_t bytes, std::size_t offset) {
    FLASHWAVE_RETURN_IF_ERROR(check_range(bytes, offset));
    if (bytes == 0) return {};
    // HIP's prototype lacks the const; it does not write to the source.
    return api_->status(api_->hipMemcpyHtoD(as<std::byte>() + offset, const_cast<void*>(from), bytes), "hipMemcpyHtoD");
}

Status Buffer::download(void* to, std::size_t bytes, std::size_t offset) const {
    FLASHWAVE_RETURN_IF_ERROR(check_range(bytes, offset));
    if (bytes == 0) return {};
    return api_->status(api_->hipMemcpyDtoH(to, as<std::byte>() + offset, bytes), "hipMemcpyDtoH");
}

Status Buffer::fill(int byte, hipStream_t stream) {
    if (size_ == 0) return {};
    return api_->status(api_->hipMemsetAsync(data_, byte, size_, stream), "hipMemsetAsync");
}

}  // namespace flashwave::hip
