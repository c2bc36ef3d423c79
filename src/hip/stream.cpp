#include "hip/stream.hpp"

#include <utility>

namespace flashwave::hip {

Stream::~Stream() { release(); }

Stream::Stream(Stream&& other) noexcept : api_(std::move(other.api_)), stream_(std::exchange(other.stream_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
    if (this == &other) return *this;
    release();
    api_ = std::move(other.api_);
    stream_ = std::exchange(other.stream_, nullptr);
    return *this;
}

void Stream::release() noexcept {
    if (stream_) (void)api_->hipStreamDestroy(stream_);
    stream_ = nullptr;
}

Result<Stream> Stream::create(const Device& device) {
    FLASHWAVE_RETURN_IF_ERROR(device.make_current());
    Stream stream;
    stream.api_ = device.shared_api();
    FLASHWAVE_RETURN_IF_ERROR(stream.api_->status(stream.api_->hipStreamCreateWithFlags(&stream.stream_, hipStreamNonBlocking),
                                                  "hipStreamCreateWithFlags"));
    return stream;
}

Status Stream::synchronize() const { return api_->status(api_->hipStreamSynchronize(stream_), "hipStreamSynchronize"); }

}  // namespace flashwave::hip
