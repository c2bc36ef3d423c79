#include "emulator/state/wave.hpp"

#include <utility>

#include "emulator/isa/program.hpp"

namespace hipemu {

void Wave::stop_with_fault(FaultKind kind, std::string message, int lane, std::uint64_t data_address) {
    if (fault != nullptr) return;  // the first finding is the one reported
    fault = std::make_unique<Fault>();
    fault->kind = kind;
    fault->message = std::move(message);
    fault->wave = index;
    fault->lane = lane;
    fault->data_address = data_address;
    if (group != nullptr) {
        for (int i = 0; i < 3; ++i) fault->group[static_cast<std::size_t>(i)] = group->id[i];
    }
    if (current != nullptr && program != nullptr) {
        fault->code_address = current->address;
        const std::int32_t at = program->index_of(current->address);
        if (at >= 0) fault->instruction = program->text[static_cast<std::size_t>(at)];
    }
    state = WaveState::faulted;
}

}  // namespace hipemu
