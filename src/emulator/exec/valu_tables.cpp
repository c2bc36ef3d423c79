// Joins the parts of the vector ALU's operation table for one lane build.
#include "emulator/exec/valu_tables.hpp"

#include <vector>

namespace hipemu::HIPEMU_LANES {

std::span<const OpInfo> all_ops() {
    static const std::vector<OpInfo> table = [] {
        std::vector<OpInfo> ops;
        for (const auto part : {int_ops(), int16_ops(), int64_ops(), f32_ops(), f16_ops(), f64_ops(), packed_ops(), convert_ops(), compare_ops(),
                                dot_ops(), transcendental_ops(), dual_ops(), matrix_ops(), exchange_ops()}) {
            ops.insert(ops.end(), part.begin(), part.end());
        }
        return ops;
    }();
    return table;
}

}  // namespace hipemu::HIPEMU_LANES
