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
            const unsigned r = source.index + word;
            const auto undefined = [&](int lane) { return wave.defined.contains(r) ? 0 : wave.undefined[r][lane]; };
            const auto value_in = [&](int lane) {
                return undefined(lane) != 0 ? fmt::format("undefined bits in lane {}", lane) : fmt::format("{:#x} in lane {}", row[lane], lane);
            };
            for (int low = 0, high = kLanes / 2; high < kLanes; ++low, ++high) {
                // Bits that are undefined in both lanes make the product undefined, which is found where that matters.
                if (((row[low] ^ row[high]) & ~(undefined(low) & undefined(high))) == 0) continue;
                wave.stop_with_fault(FaultKind::wmma_halves,
                                     fmt::format("v{} of operand {} holds {} and {}; the two must be equal", r, operand == 0 ? "A" : "B", value_in(low),
                                                 value_in(high)),
                                     undefined(high) != 0 ? high : low);
                return;
            }
        }
    }
}

}  // namespace hipemu
