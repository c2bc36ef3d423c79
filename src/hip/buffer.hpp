// Device memory with an owner. Moves; frees when it goes. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>

#include "flashwave/status.hpp"
#include "hip/device.hpp"

namespace flashwave::hip {

class Buffer {
public:
    Buffer() noexcept = default;
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;

    /// Code::out_of_memory where the device has not got so much. Zero bytes is an empty buffer with a null pointer.
    static Result<Buffer> allocate(const Device& device, std::size_t bytes);

    void* data() const noexcept { return data_; }
    template <class T>
    T* as() const noexcept { return static_cast<T*>(data_); }
    std::size_t size() const noexcept { return size_; }

    /// Copy `bytes` from or to host memory at `offset` of the buffer, in order with the default stream; they return when it is done.
    Status upload(const void* from, std::size_t bytes, std::size_t offset = 0);
    Status download(void* to, std::size_t bytes, std::size_t offset = 0) const;
    /// Fills the whole buffer with one byte value, in order with `stream`.
    Status fill(int byte, hipStream_t stream = nullptr);

private:
    Status check_range(std::size_t bytes, std::size_t offset) const;
    void release() noexcept;

    std::shared_ptr<const Api> api_;
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace flashwave::hip
