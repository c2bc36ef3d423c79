// Addresses of global_*, flat_* and scratch_* instructions, for their loads, stores and atomics.
#pragma once

#include "emulator/isa/decode_operand.hpp"
#include "emulator/state/lane_access.hpp"

namespace hipemu {

enum class Space { global, flat, scratch };

/// vaddr and saddr of one instruction: which of its sources they are follows from its kind.
template <Space space>
class VectorAddress {
public:
    VectorAddress(const Wave& wave, const Operand& vaddr, const Operand* saddr, std::int32_t offset) : wave_(wave), vaddr_(vaddr) {
        base_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(offset));
        if (saddr == nullptr || saddr->kind != OperandKind::sgpr || saddr->index == kNull) return;
        base_ += wave.s[saddr->index];
        if (space != Space::scratch) base_ += static_cast<std::uint64_t>(wave.s[saddr->index + 1]) << 32;
    }

    /// What all lanes have in common: the scalar part and the offset.
    std::uint64_t base() const { return base_; }

    std::uint64_t of(int lane) const {
        if (vaddr_.kind != OperandKind::vgpr) return base_;
        std::uint64_t own = wave_.v[vaddr_.index][lane];
        if (vaddr_.count > 1) own |= static_cast<std::uint64_t>(wave_.v[vaddr_.index + 1][lane]) << 32;
        return base_ + own;
    }

private:
    const Wave& wave_;
    const Operand& vaddr_;
    std::uint64_t base_ = 0;
};

/// Finds the bytes of one lane's access in whatever memory its address means.
template <Space space>
bool find_place(Wave& wave, std::uint64_t address, unsigned bytes, int lane, bool a_write, Place& place) {
    if constexpr (space == Space::scratch) return scratch_place(wave, static_cast<std::uint32_t>(address), bytes, lane, place);
    if constexpr (space == Space::flat) {
        const std::uint64_t window = address >> 32 << 32;
        if (window == kSharedAperture) return lds_place(wave, static_cast<std::uint32_t>(address), bytes, lane, place);
        if (window == kPrivateAperture) return scratch_place(wave, static_cast<std::uint32_t>(address), bytes, lane, place);
    }
    return global_place(wave, address, bytes, lane, a_write, place);
}

std::span<const OpInfo> vmem_move_ops();
std::span<const OpInfo> vmem_atomic_ops();

}  // namespace hipemu
