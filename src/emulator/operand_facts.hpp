// What several checks ask about the operands of instructions.
#pragma once

#include "emulator/access.hpp"

namespace hipemu {

/// Which source is the scalar part of an address, where there is one: behind the vector part, and in what stores, behind the data.
inline unsigned scalar_address_source(const AccessShape& shape) { return shape.space == AccessSpace::scalar || !shape.writes ? 1 : 2; }

inline bool overlaps(const RegSet& a, const RegSet& b) {
    for (std::size_t i = 0; i < a.bits.size(); ++i) {
        if ((a.bits[i] & b.bits[i]) != 0) return true;
    }
    return false;
}

}  // namespace hipemu
