// Turns over one bit of what a launch wrote (injection.hpp, flip). What was written is found by comparison with a copy made before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/runtime/injection.hpp"
#include "emulator/state/memory.hpp"

namespace hipemu {

class BitFlip {
public:
    /// Copies all that kernels may write. Throws if the host has no memory for it.
    explicit BitFlip(std::shared_ptr<const MemoryMap> memory);

    /// After the launch. Returns what was done, in words: "bit 3 of byte 17 of hipMalloc #2 was turned over".
    std::string apply(const FlipRule& rule, std::uint64_t draw) const;

private:
    std::shared_ptr<const MemoryMap> memory_;
    std::vector<std::vector<std::byte>> before_;  // of each allocation; empty where kernels may not write
};

}  // namespace hipemu
