#include "emulator/checks/warnings.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace hipemu {
namespace {

bool same_place(const Fault& a, const Fault& b) { return a.code_address == b.code_address && (a.lane < 0) == (b.lane < 0); }

/// In grid order.
bool comes_first(const std::array<std::uint32_t, 3>& a, const std::array<std::uint32_t, 3>& b) {
    return std::tie(a[2], a[1], a[0]) < std::tie(b[2], b[1], b[0]);
}

}  // namespace

void Warnings::add(Wave& wave, FaultKind kind, std::string message, int lane) {
    // Only the words of the finding are wanted: the wave goes on.
    const WaveState state = wave.state;
    wave.stop_with_fault(kind, std::move(message), lane);
    wave.state = state;
    keep(std::move(*std::exchange(wave.fault, nullptr)));
}

void Warnings::keep(Fault&& warning) {
    const auto known = std::find_if(warnings_.begin(), warnings_.end(), [&](const Fault& one) { return same_place(one, warning); });
    if (known == warnings_.end()) warnings_.push_back(std::move(warning));
    else if (comes_first(warning.group, known->group)) *known = std::move(warning);
}

void Warnings::merge(Warnings&& other) {
    for (Fault& warning : other.warnings_) keep(std::move(warning));
    other.warnings_.clear();
}

std::vector<Fault> Warnings::take(std::array<std::uint32_t, 3> last_group) {
    std::erase_if(warnings_, [&](const Fault& one) { return comes_first(last_group, one.group); });
    std::sort(warnings_.begin(), warnings_.end(),
              [](const Fault& a, const Fault& b) { return std::tie(a.code_address, a.lane) < std::tie(b.code_address, b.lane); });
    return std::exchange(warnings_, {});
}

}  // namespace hipemu
