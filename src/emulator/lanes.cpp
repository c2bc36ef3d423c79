// The rarer half of operand access: DPP, and which NaN a result is.
#include "emulator/lanes.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

// The lane that lane l reads, or -1 where the control reaches over the end of a row of 16.
int dpp_source(DppControl control, u32 value, int l) {
    const int row = l & ~15, i = l & 15;
    const int n = static_cast<int>(value);
    switch (control) {
        case DppControl::quad_perm: return (l & ~3) + static_cast<int>(value >> (2 * (l & 3)) & 3);
        case DppControl::row_shl: return i + n < 16 ? l + n : -1;
        case DppControl::row_shr: return i - n >= 0 ? l - n : -1;
        case DppControl::row_ror: return row + ((i - n) & 15);
        case DppControl::row_mirror: return row + 15 - i;
        case DppControl::row_half_mirror: return (l & ~7) + 7 - (l & 7);
        case DppControl::row_share: return row + (n & 15);
        case DppControl::row_xmask: return row + (i ^ (n & 15));
        case DppControl::dpp8: return (l & ~7) + static_cast<int>(value >> (3 * (l & 7)) & 7);
        case DppControl::none: break;
    }
    return l;
}

}  // namespace

u32 dpp_permute(const Wave& wave, const Inst& inst, const u32* from, Words& to) {
    const Modifiers& mod = inst.mod;
    const u32 exec = wave.exec();
    u32 enabled = 0;
    for (int l = 0; l < kLanes; ++l) {
        const int source = dpp_source(mod.dpp, mod.dpp_value, l);
        const bool in_range = source >= 0;
        const bool readable = in_range && (mod.fetch_inactive || (exec >> source & 1));
        to.lane[l] = readable ? from[source] : 0u;
        // A lane that cannot read gets 0 with bound_ctrl and is not written without. dpp8 has neither bound_ctrl nor masks: reading an
        // inactive lane gives 0.
        bool write = readable || mod.bound_ctrl || mod.dpp == DppControl::dpp8;
        if (mod.dpp != DppControl::dpp8) write = write && (mod.row_mask >> (l / 16) & 1) && (mod.bank_mask >> (l / 4 % 4) & 1);
        enabled |= (write ? 1u : 0u) << l;
    }
    return enabled;
}

void Access::prepare_dpp() {
    Words room;
    const u32* from = words(wave, inst.src[0], 0, room);
    active &= dpp_permute(wave, inst, from, room0);
    moved = room0.lane;
}

void settle_nans(Words& result, const u32* a, const u32* b, const u32* c) {
    for (int l = 0; l < kLanes; ++l) {
        if (!is_nan32(result.lane[l])) continue;
        u32 chosen = kDefaultNan32;
        if (c != nullptr && is_nan32(c[l])) chosen = c[l] | 0x00400000u;
        if (b != nullptr && is_nan32(b[l])) chosen = b[l] | 0x00400000u;
        if (a != nullptr && is_nan32(a[l])) chosen = a[l] | 0x00400000u;
        result.lane[l] = chosen;
    }
}

void settle_nans(Longs& result, const u64* a, const u64* b, const u64* c) {
    constexpr u64 kQuiet = 0x0008000000000000ull;
    for (int l = 0; l < kLanes; ++l) {
        if (!is_nan64(result.lane[l])) continue;
        u64 chosen = kDefaultNan64;
        if (c != nullptr && is_nan64(c[l])) chosen = c[l] | kQuiet;
        if (b != nullptr && is_nan64(b[l])) chosen = b[l] | kQuiet;
        if (a != nullptr && is_nan64(a[l])) chosen = a[l] | kQuiet;
        result.lane[l] = chosen;
    }
}

}  // namespace hipemu::HIPEMU_LANES
