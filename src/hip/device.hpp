// One device of one HIP library, opened by name. A cheap value; its Api is shared. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "flashwave/status.hpp"
#include "hip/hip_api.hpp"

namespace flashwave::hip {

/// What the device says of itself, read once when it is opened.
struct DeviceFacts {
    std::string name;                  // "AMD Radeon RX 7900 XTX"
    std::string target;                // gcnArchName in full: "gfx1100", "gfx90a:sramecc+:xnack-"
    int compute_units = 0;             // physical; HIP counts WGPs on RDNA
    int multiprocessors = 0;           // as HIP counts
    int wave_size = 0;
    int clock_khz = 0;
    std::uint64_t memory_bytes = 0;
    std::uint32_t shared_bytes_per_block = 0;
    std::uint32_t l2_bytes = 0;
    int max_threads_per_block = 0;
    std::string pci;                   // "0000:03:00", for the identity of a card among equals
    int driver_version = 0, runtime_version = 0;
    // The emulator only:
    bool emulated = false;             // its times are modelled
    bool deterministic_clock = false;  // the same launch always takes the same time
    std::string card;                  // "rx7900xtx"
    std::string timing_table_hash;     // of the model's constants
};

class Device {
public:
    /// `name` is "hip:N", "emulated:TARGET" or "emulated:CARD". Makes the device current for the calling thread.
    ///   Code::invalid_argument  not of that form, or a card nobody models
    ///   Code::unavailable       no HIP library, or no such device in it
    static Result<Device> open(std::string_view name);

    const Api& api() const noexcept { return *api_; }
    const std::shared_ptr<const Api>& shared_api() const noexcept { return api_; }
    int ordinal() const noexcept { return ordinal_; }
    const DeviceFacts& facts() const noexcept { return facts_; }

    /// What measurements on this device are stored under: model, target, clock and memory; for the emulator also the hash of its timing
    /// table. Two cards of one model are the same device.
    std::string identity() const;

    /// HIP's current device is a property of a thread: every thread that allocates, loads or launches does this first.
    Status make_current() const;
    /// Waits for all work of all streams; an earlier failure in any of it is reported here.
    Status synchronize() const;
    /// Bytes of device memory that are free.
    Result<std::uint64_t> free_memory() const;

private:
    Device(std::shared_ptr<const Api> api, int ordinal) : api_(std::move(api)), ordinal_(ordinal) {}
    Status read_facts();

    std::shared_ptr<const Api> api_;
    int ordinal_ = 0;
    DeviceFacts facts_;
};

}  // namespace flashwave::hip
