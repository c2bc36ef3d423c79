#include "hip/event.hpp"

#include <utility>

namespace flashwave::hip {

Event::~Event() { release(); }

Event::Event(Event&& other) noexcept : api_(std::move(other.api_)), event_(std::exchange(other.event_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
    if (this == &other) return *this;
    release();
    api_ = std::move(other.api_);
    event_ = std::exchange(other.event_, nullptr);
    return *this;
}

void Event::release() noexcept {
    if (event_) (void)api_->hipEventDestroy(event_);
    event_ = nullptr;
}

Result<Event> Event::create(const Device& device) {
    FLASHWAVE_RETURN_IF_ERROR(device.make_current());
    Event event;
    event.api_ = device.shared_api();
    FLASHWAVE_RETURN_IF_ERROR(
        event.api_->status(event.api_->hipEventCreateWithFlags(&event.event_, hipEventDefault), "hipEventCreateWithFlags"));
    return event;
}

Status Event::record(hipStream_t stream) { return api_->status(api_->hipEventRecord(event_, stream), "hipEventRecord"); }

Status Event::synchronize() const { return api_->status(api_->hipEventSynchronize(event_), "hipEventSynchronize"); }

Result<float> Event::milliseconds_since(const Event& start) const {
    float milliseconds = 0;
    FLASHWAVE_RETURN_IF_ERROR(
        api_->status(api_->hipEventElapsedTime(&milliseconds, start.event_, event_), "hipEventElapsedTime"));
    return milliseconds;
}

}  // namespace flashwave::hip
