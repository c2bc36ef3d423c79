// Carries out what injection.hpp describes: counts calls, launches and copies, and says what has to go wrong now. Set from HIPEMU_FAULTS at
// first use, and anew by hipemuSetFaults. Thread-safe; costs one load where nothing is injected.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/runtime/injection.hpp"
#include "emulator/runtime/queue.hpp"
#include "emulator/runtime/random.hpp"
#include "flashwave/status.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

/// What is to become of a launch.
struct LaunchOrders {
    bool hangs = false;
    bool blocks = false;                 // for real: see Injector::block
    std::optional<FlipRule> flip;
    std::uint64_t draw = 0;              // random number for `flip`
};

class Injector {
public:
    static Injector& instance();

    /// Replaces what is injected; counts begin anew, a launch that blocks ends. invalid_argument: the text is not understood, nothing changes.
    flashwave::Status set(std::string_view text);
    /// What was wrong with HIPEMU_FAULTS; empty: nothing.
    const std::string& trouble() const { return trouble_; }

    /// At the entry of a call: may kill the process or sleep; returns the error it has to fail with.
    hipError_t at_call(std::string_view call);
    /// As a kernel starts: may kill the process.
    LaunchOrders at_launch(std::string_view kernel);
    /// Does not return before the faults are set anew.
    void block();
    void before_copy();
    void after_copy();

    std::optional<std::uint64_t> memory_limit();
    /// How long an operation takes by the clock of today.
    Picoseconds stretch(Picoseconds duration, Picoseconds start);
    bool exact_clock();

private:
    Injector();
    void at_point(std::string_view point);

    std::mutex lock_;
    std::condition_variable set_anew_;
    std::atomic<bool> active_{false};
    std::uint64_t generation_ = 0;  // of the text, for block()
    std::string trouble_;
    Injection injection_;
    Random noise_{0};
    // How often each rule's occasion came; in the order of injection_.
    std::vector<std::uint64_t> fails_, delays_, hangs_, kills_, flips_;
};

/// A HIP call of this library that at_call is asked about.
bool is_injectable_call(std::string_view name);

}  // namespace hipemu
