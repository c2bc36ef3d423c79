// A stream of our own. It does not wait for the default stream, nor the default stream for it. One thread at a time.
#pragma once

#include <memory>

#include "flashwave/status.hpp"
#include "hip/device.hpp"

namespace flashwave::hip {

class Stream {
public:
    Stream() noexcept = default;
    ~Stream();
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;

    static Result<Stream> create(const Device& device);

    hipStream_t get() const noexcept { return stream_; }
    /// Waits for everything put into it so far; a failure in any of that is reported here.
    Status synchronize() const;

private:
    void release() noexcept;

    std::shared_ptr<const Api> api_;
    hipStream_t stream_ = nullptr;
};

}  // namespace flashwave::hip
