// HIP's current device belongs to the calling thread and to the application: while one of these lives it is ours, then it is set back.
#pragma once

#include "hip/device.hpp"

namespace flashwave::hip {

class CurrentDevice {
public:
    explicit CurrentDevice(const Device& device) : api_(device.api()) {
        if (api_.hipGetDevice(&before_) != hipSuccess || before_ == device.ordinal()) before_ = -1;
        else status_ = device.make_current();
    }
    ~CurrentDevice() {
        if (before_ >= 0) (void)api_.hipSetDevice(before_);
    }
    CurrentDevice(const CurrentDevice&) = delete;
    CurrentDevice& operator=(const CurrentDevice&) = delete;

    const Status& status() const { return status_; }

private:
    const Api& api_;
    int before_ = -1;
    Status status_;
};

}  // namespace flashwave::hip
