// A point in a stream, with the device's time of it. One thread at a time.
#pragma once

#include <memory>

#include "flashwave/status.hpp"
#include "hip/device.hpp"

namespace flashwave::hip {

class Event {
public:
    Event() noexcept = default;
    ~Event();
    Event(Event&& other) noexcept;
    Event& operator=(Event&& other) noexcept;

    static Result<Event> create(const Device& device);

    hipEvent_t get() const noexcept { return event_; }
    Status record(hipStream_t stream);
    Status synchronize() const;
    /// Milliseconds on the device from `start` to this event; both must have happened. HIP's resolution is about 1 microsecond on a GPU.
    Result<float> milliseconds_since(const Event& start) const;

private:
    void release() noexcept;

    std::shared_ptr<const Api> api_;
    hipEvent_t event_ = nullptr;
};

}  // namespace flashwave::hip
