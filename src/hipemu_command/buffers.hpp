// The buffers of a launch: contents made or read on the host, memory on the device, and what became of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flashwave/status.hpp"
#include "hip/buffer.hpp"
#include "hip/device.hpp"
#include "hipemu_command/launch_description.hpp"

namespace hipemu::command {

/// Elements of an output against what was expected.
struct Comparison {
    std::size_t compared = 0, beyond = 0;   // beyond the tolerance
    std::size_t worst = 0;                  // index of the element that is farthest beyond its bound, or just farthest off
    double got = 0, expected = 0, bound = 0;

    bool passed() const { return beyond == 0; }
};

/// The elements as numbers: NaN and infinities are counted and left out of the others.
struct Summary {
    double least = 0, most = 0, mean = 0;
    std::size_t nans = 0, infinities = 0;
};

class LaunchBuffer {
public:
    /// Reads or makes the contents. Nothing is done on a device yet.
    static flashwave::Result<LaunchBuffer> make(const ArgumentDescription& argument);

    flashwave::Status allocate(const flashwave::hip::Device& device);
    /// Puts the contents into device memory, where there are any.
    flashwave::Status upload();
    /// Fetches what the kernel left.
    flashwave::Status download();

    const std::string& name() const { return name_; }
    const BufferDescription& description() const { return description_; }
    ElementType type() const { return description_.type; }
    const std::vector<std::int64_t>& shape() const { return description_.shape; }
    std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(memory_.data()); }
    const std::string& bytes() const { return result_; }
    bool changed() const { return result_ != contents_; }
    std::size_t elements() const { return bytes_ / size_of(type()); }
    double element(std::size_t index) const;

    Summary summary() const;
    /// Against the expectation, which there is.
    Comparison compare() const;
    flashwave::Status write_out() const;

private:
    flashwave::Status read_expected();

    std::string name_;
    BufferDescription description_;
    std::size_t bytes_ = 0;
    std::string contents_;           // empty: left as allocated
    std::vector<double> expected_;   // one for all, or one an element
    flashwave::hip::Buffer memory_;
    std::string result_;
};

}  // namespace hipemu::command
