// The public Runtime and Buffer over what stands behind them.
#include "flashwave/runtime.hpp"

#include <utility>

#include "hip/buffer.hpp"
#include "hip/current_device.hpp"
#include "runtime/runtime.hpp"

namespace flashwave {

struct Buffer::Owner {
    hip::Buffer memory;
};

Buffer::Buffer() noexcept = default;
Buffer::~Buffer() = default;
Buffer::Buffer(Buffer&& other) noexcept
    : owner_(std::move(other.owner_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}
Buffer& Buffer::operator=(Buffer&& other) noexcept {
    owner_ = std::move(other.owner_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
}

Status Buffer::upload(const void* from, std::size_t size) {
    if (size > size_)
        return Status(Code::invalid_argument,
                      "upload of " + std::to_string(size) + " bytes into a buffer of " + std::to_string(size_));
    return size == 0 ? Status() : owner_->memory.upload(from, size);
}

Status Buffer::download(void* to, std::size_t size) const {
    if (size > size_)
        return Status(Code::invalid_argument,
                      "download of " + std::to_string(size) + " bytes from a buffer of " + std::to_string(size_));
    return size == 0 ? Status() : owner_->memory.download(to, size);
}

Runtime::Runtime(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Runtime::~Runtime() = default;
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

Result<Runtime> Runtime::create(const Options& options) {
    Result<std::unique_ptr<Impl>> impl = Impl::create(options);
    if (!impl.ok()) return impl.status();
    return Runtime(*std::move(impl));
}

Status Runtime::forward(const ForwardArgs& args, ForwardInfo* info) { return impl_->forward(args, info); }
Status Runtime::warm(const ForwardArgs& args, ForwardInfo* info) { return impl_->warm(args, info); }

Result<Buffer> Runtime::allocate(std::size_t bytes) {
    const hip::CurrentDevice current(impl_->device());
    FLASHWAVE_RETURN_IF_ERROR(current.status());
    Result<hip::Buffer> memory = hip::Buffer::allocate(impl_->device(), bytes);
    if (!memory.ok()) return memory.status();
    Buffer buffer;
    buffer.data_ = memory->data();
    buffer.size_ = bytes;
    buffer.owner_ = std::make_unique<Buffer::Owner>(Buffer::Owner{*std::move(memory)});
    return buffer;
}

Status Runtime::synchronize(void* stream) {
    const hip::Device& device = impl_->device();
    const hip::CurrentDevice current(device);
    FLASHWAVE_RETURN_IF_ERROR(current.status());
    return device.api().status(device.api().hipStreamSynchronize(static_cast<hipStream_t>(stream)),
                               "hipStreamSynchronize");
}

const DeviceInfo& Runtime::device() const noexcept { return impl_->device_info(); }
const std::string& Runtime::cache_dir() const noexcept { return impl_->store().directory(); }

}  // namespace flashwave
