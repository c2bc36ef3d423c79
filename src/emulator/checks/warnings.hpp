// Warnings: what the hardware allows and is wrong all the same. The wave goes on. Each place of a kernel is warned of once a launch, of the
// first group in grid order. One a host thread; merged afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulator/isa/fault.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

class Warnings {
public:
    /// Of the instruction that the wave runs. `lane`: -1 if it is not of one lane; the two are different warnings of one place.
    void add(Wave& wave, FaultKind kind, std::string message, int lane = -1);

    /// Takes over another thread's.
    void merge(Warnings&& other);

    /// In the order of the code; those of groups behind `last_group` in grid order are left out.
    std::vector<Fault> take(std::array<std::uint32_t, 3> last_group);

private:
    void keep(Fault&& warning);

    std::vector<Fault> warnings_;  // few
};

}  // namespace hipemu
