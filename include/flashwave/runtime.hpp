// Runtime: one device, its kernels and their cache. The entry to the library.
//
//     flashwave::Runtime runtime = flashwave::Runtime::create({.device = "emulated:gfx1100"}).value();
//     flashwave::Status status = runtime.forward({.q = q, .k = k, .v = v, .o = o});
//
// Thread-safe: one Runtime may be used from any number of threads. Several may live in one process. A Runtime owns its
// plans and loaded kernels and must outlive the work launched through it; it keeps no file or database open between
// calls.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "flashwave/attention.hpp"
#include "flashwave/export.hpp"
#include "flashwave/options.hpp"
#include "flashwave/status.hpp"

namespace flashwave {

struct DeviceInfo {
    std::string name;    ///< "AMD Radeon RX 7900 XTX", or what the emulated card calls itself
    std::string target;  ///< "gfx1100", with its feature suffix where there is one
    int compute_units = 0;
    bool emulated = false;  ///< its times are modelled, not measured
};

/// Device memory, freed with the object. A convenience for programs that do not use HIP themselves; any device pointer
/// of the same HIP library serves as well.
class FLASHWAVE_API Buffer {
  public:
    Buffer() noexcept;
    ~Buffer();
    Buffer(Buffer&&) noexcept;
    Buffer& operator=(Buffer&&) noexcept;

    void* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

    /// Copies `size` bytes of host memory to the front of the buffer and waits for it.
    /// Code::invalid_argument: more than the buffer holds. Code::device_error: HIP refused.
    Status upload(const void* from, std::size_t size);
    /// Copies `size` bytes from the front of the buffer to host memory, after all work launched before it on the
    /// default stream. Statuses as for upload; work that failed on the device is reported here.
    Status download(void* to, std::size_t size) const;

  private:
    friend class Runtime;
    struct Owner;
    std::unique_ptr<Owner> owner_;
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

class FLASHWAVE_API Runtime {
  public:
    /// Opens the device. It needs neither a compiler nor a cache yet.
    ///   Code::invalid_argument  a field of `options` is malformed; the message names it
    ///   Code::unavailable       no HIP library or no such device; the message says how to ask for the emulator
    ///   Code::unsupported       the device's target has no kernels in this version
    static Result<Runtime> create(const Options& options = {});

    ~Runtime();
    Runtime(Runtime&&) noexcept;
    Runtime& operator=(Runtime&&) noexcept;

    /// Computes attention: checks the arguments, finds or makes the plan of this problem and launches it on
    /// args.stream. It returns when the kernel is launched, not when it has finished. The first call of a problem may
    /// compile and tune (Options::tune); later ones neither allocate nor wait.
    ///
    ///   Code::invalid_argument  an argument breaks a rule; the message names it, its value and what is allowed.
    ///   Nothing was launched Code::unsupported       well-formed, but not served by this version: a head_dim or dtype
    ///   without a kernel Code::not_found         TuneMode::replay and no stored winner for this problem
    ///   Code::unavailable       a kernel has to be compiled and there is no compiler; the message says how to get one
    ///   Code::compile_error, Code::crashed, Code::deadline   compiling failed so; the message carries the compiler's
    ///   log Code::device_error, Code::out_of_memory              HIP refused to load or launch the kernel
    ///
    /// Trouble with the cache is never among them: it costs a warning and a compile.
    /// `info`, where given, is filled in when the call succeeds.
    Status forward(const ForwardArgs& args, ForwardInfo* info = nullptr);

    /// Does all that the first forward of this problem would do, and launches nothing. Shapes, strides, dtypes and the
    /// mask are looked at; pointers are not, and may be null. Where an earlier tuning ran out of its budget, it goes on
    /// there, while forward takes the winner so far. Statuses as for forward.
    Status warm(const ForwardArgs& args, ForwardInfo* info = nullptr);

    /// Device memory for programs without HIP. Code::out_of_memory, Code::device_error.
    Result<Buffer> allocate(std::size_t bytes);

    /// Waits for all work on the stream (nullptr: the default stream) and reports what went wrong in it.
    Status synchronize(void* stream = nullptr);

    const DeviceInfo& device() const noexcept;

    /// The folder the cache lies in; empty where nothing is kept.
    const std::string& cache_dir() const noexcept;

    class Impl;
    /// For flashwave's own programs; Impl is not part of the public surface.
    Impl& impl() noexcept { return *impl_; }

  private:
    explicit Runtime(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace flashwave
