#include "emulator/exec/access.hpp"

#include <algorithm>
#include <iterator>

#include "emulator/exec/buffer_address.hpp"
#include "emulator/exec/lane_addresses.hpp"
#include "emulator/exec/vmem.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {
namespace {

std::uint32_t describe_lanes(const Wave& wave, const Inst& inst, const AccessShape& shape, std::uint64_t (&address)[kLanes]) {
    const std::uint32_t exec = wave.exec();
    if (shape.buffer) {
        const BufferOperands operands = shape.atomic || shape.writes ? operands_of<true>(inst) : operands_of<false>(inst);
        const BufferAddress buffer(wave, inst, operands);
        std::uint32_t inside = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
            const BufferAddress::Lane at = buffer.at(lane, 0, shape.bytes);
            address[lane] = at.address;
            inside |= (at.inside ? 1u : 0u) << lane;
        }
        return exec & inside;
    }
    const unsigned saddr = shape.scalar_source();
    const Operand* const scalar = inst.sources > saddr ? &inst.src[saddr] : nullptr;
    const std::uint64_t base = shape.space == AccessSpace::scratch
                                   ? VectorAddress<Space::scratch>(wave, inst.src[0], scalar, inst.mod.offset).base()
                                   : VectorAddress<Space::global>(wave, inst.src[0], scalar, inst.mod.offset).base();
    const Operand& own = inst.src[0];
    if (own.kind != OperandKind::vgpr) {
        std::fill(std::begin(address), std::end(address), base);
    } else if (own.count == 1) {
        for (int lane = 0; lane < kLanes; ++lane) address[lane] = base + wave.v[own.index][lane];
    } else {
        const std::uint32_t* const low = wave.v[own.index];
        const std::uint32_t* const high = wave.v[(own.index + 1) & 255];
        for (int lane = 0; lane < kLanes; ++lane) address[lane] = base + (low[lane] | static_cast<std::uint64_t>(high[lane]) << 32);
    }
    return exec;
}

}  // namespace

AccessSpace Access::space_of(int lane, std::uint64_t& offset) const {
    offset = address[lane];
    if (shape->space != AccessSpace::flat) return shape->space;
    const std::uint64_t window = offset >> 32 << 32;
    if (window != kSharedAperture && window != kPrivateAperture) return AccessSpace::global;
    offset &= 0xffffffffu;
    return window == kSharedAperture ? AccessSpace::lds : AccessSpace::scratch;
}

bool describe_access(const Wave& wave, const Inst& inst, const AccessShape& shape, Access& access) {
    access.shape = &shape;
    switch (shape.space) {
        case AccessSpace::none: return false;
        case AccessSpace::scalar: {
            access.lanes = 1;
            std::uint64_t base = scalar_pair(wave, inst.src[0]);
            if (shape.buffer) base &= 0xffff'ffff'ffffull;
            const Operand& offset = inst.src[1];
            const auto own = offset.kind == OperandKind::constant
                                 ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(offset.value)})
                                 : scalar_word(wave, offset);
            const auto fixed = static_cast<std::uint64_t>(std::int64_t{inst.mod.offset});
            access.ignored = static_cast<std::uint32_t>((base | own | fixed) & 3);
            access.address[0] = (base + own + fixed) & ~std::uint64_t{3};
            return true;
        }
        case AccessSpace::lds: {
            access.lanes = wave.exec();
            const auto offset = static_cast<std::uint32_t>(shape.offset);
            if (inst.src[0].kind == OperandKind::vgpr) {
                access.bits = add_offset(wave.v[inst.src[0].index], offset, access.address);
            } else {  // ds_*_addtid: M0 and the lane's number
                for (unsigned lane = 0; lane < kLanes; ++lane) access.address[lane] = (wave.s[kM0] & 0xffff) + offset + 4 * lane;
                access.bits = any_bits(access.address);
            }
            return access.lanes != 0;
        }
        default:
            access.lanes = describe_lanes(wave, inst, shape, access.address);
            access.bits = any_bits(access.address);
            return access.lanes != 0;
    }
}

}  // namespace hipemu
