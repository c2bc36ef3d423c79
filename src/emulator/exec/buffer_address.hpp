// Addresses of buffer_* instructions: a buffer descriptor V# of four scalar registers, an index or offset a lane, and a scalar offset.
//
// Descriptor (gfx11): base address in bits 0..47, stride in 48..61, size (num_records) in 64..95, out-of-bounds rule in 124..125.
// Rule 0 compares the record index with the size and the offset in the record with the stride, rule 1 the index alone, rule 2 asks only for a
// size that is not 0. The raw rule 3, and rule 0 without a stride, compare the whole byte offset, the scalar one included, with the size.
#pragma once

#include <cstdint>

#include "emulator/state/scalar.hpp"

namespace hipemu {

// Where the operands of the text stand: `buffer_load v, vaddr, srsrc, soffset`, `buffer_store` likewise with v among the sources.
struct BufferOperands {
    const Operand* data;
    const Operand* vaddr;
    const Operand* descriptor;
    const Operand* soffset;
};
template <bool a_write>
BufferOperands operands_of(const Inst& inst) {
    if constexpr (a_write) return {&inst.src[0], &inst.src[1], &inst.src[2], &inst.src[3]};
    return {&inst.dst[0], &inst.src[0], &inst.src[1], &inst.src[2]};
}

class BufferAddress {
public:
    BufferAddress(const Wave& wave, const Inst& inst, const BufferOperands& operands) : wave_(wave), mod_(inst.mod), vaddr_(*operands.vaddr) {
        const std::uint32_t* words = wave.s + operands.descriptor->index;
        base_ = words[0] | static_cast<std::uint64_t>(words[1] & 0xffff) << 32;
        stride_ = words[1] >> 16 & 0x3fff;
        size_ = words[2];
        rule_ = words[3] >> 28 & 3;
        if (rule_ == kByRecord && stride_ == 0) rule_ = kRaw;
        soffset_ = scalar_word(wave, *operands.soffset);
    }

    struct Lane {
        std::uint64_t address;
        bool inside;
    };
    /// Of `bytes` at `within` of the lane's access. Wider accesses are checked register by register, as hardware does.
    Lane at(int lane, unsigned within, unsigned bytes) const {
        const std::uint32_t index = mod_.idxen ? wave_.v[vaddr_.index][lane] : 0;
        const std::uint32_t own = mod_.offen ? wave_.v[vaddr_.index + (mod_.idxen ? 1 : 0)][lane] : 0;
        const std::uint64_t offset = std::uint64_t{own} + static_cast<std::uint32_t>(mod_.offset) + within;
        const std::uint64_t linear = offset + std::uint64_t{index} * stride_;
        return {base_ + linear + soffset_, inside(index, offset, linear, bytes)};
    }

private:
    static constexpr std::uint32_t kByRecord = 0, kByIndex = 1, kNotEmpty = 2, kRaw = 3;

    bool inside(std::uint32_t index, std::uint64_t offset, std::uint64_t linear, unsigned bytes) const {
        switch (rule_) {
            case kByRecord: return index < size_ && offset + bytes <= stride_;
            case kByIndex: return index < size_;
            case kNotEmpty: return size_ != 0;
            default: return linear + soffset_ + bytes <= size_;
        }
    }

    const Wave& wave_;
    const Modifiers& mod_;
    const Operand& vaddr_;
    std::uint64_t base_ = 0;
    std::uint32_t stride_ = 0, size_ = 0, soffset_ = 0;
    std::uint32_t rule_ = kRaw;
};

}  // namespace hipemu
