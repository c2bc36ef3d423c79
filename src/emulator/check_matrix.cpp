#include "emulator/check_matrix.hpp"

#include <cstring>

#include <fmt/format.h>

namespace hipemu {

void check_matrix_halves(Wave& wave, const Inst& inst) {
    for (unsigned operand = 0; operand < 2; ++operand) {
        const Operand& source = inst.src[operand];
        if (source.kind != OperandKind::vgpr) continue;
        for (unsigned word = 0; word < source.count; ++word) {
            const std::uint32_t(&row)[kLanes] = wave.v[source.index + word];
            if (std::memcmp(row, row + kLanes / 2, sizeof(row) / 2) == 0) continue;
            int lane = 0;
            while (row[lane] == row[lane + kLanes / 2]) ++lane;
            wave.stop_with_fault(FaultKind::wmma_halves,
                                 fmt::format("v{} of operand {} holds {:#x} in lane {} and {:#x} in lane {}; the two must be equal",
                                             source.index + word, operand == 0 ? "A" : "B", row[lane], lane, row[lane + kLanes / 2], lane + kLanes / 2),
                                 lane);
            return;
        }
    }
}

}  // namespace hipemu
