#include "emulator/isa/fault.hpp"

#include <fmt/format.h>

namespace hipemu {

std::string Fault::to_string() const {
    std::string place = fmt::format("kernel {}, group ({},{},{}), wave {}", kernel, group[0], group[1], group[2], wave);
    if (lane >= 0) place += fmt::format(", lane {}", lane);
    if (!instruction.empty()) place += fmt::format(", at +{:#x} `{}`", code_address, instruction);
    if (!source.empty()) place += fmt::format(" ({})", source);
    return place + ": " + message;
}

}  // namespace hipemu
