// The rarer half of operand access: DPP, and which NaN a result is.
#include "emulator/exec/lanes.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

// The lane that each lane reads; bit l of `in_range` is clear where the control reaches over the end of a row of 16.
struct Sources {
    i32 lane[kLanes];
    u32 in_range = ~0u;
};

template <class F>
void fill(Sources& sources, F source_of) {
    for (int l = 0; l < kLanes; ++l) sources.lane[l] = source_of(l);
}

// Rows of 16 lanes, whose lanes n from one end have no partner: one bit pattern for both rows.
u32 both_rows(u32 row) { return (row & 0xffffu) * 0x10001u; }

Sources dpp_sources(DppControl control, u32 value) {
    Sources sources;
    const int n = static_cast<int>(value & 15);
    switch (control) {
        case DppControl::quad_perm: fill(sources, [value](int l) { return (l & ~3) + static_cast<int>(value >> (2 * (l & 3)) & 3); }); break;
        case DppControl::row_shl:
            fill(sources, [n](int l) { return (l & 16) + ((l + n) & 15); });
            sources.in_range = both_rows(0xffffu >> n);
            break;
        case DppControl::row_shr:
            fill(sources, [n](int l) { return (l & 16) + ((l - n) & 15); });
            sources.in_range = both_rows(0xffffu << n);
            break;
        case DppControl::row_ror: fill(sources, [n](int l) { return (l & 16) + ((l - n) & 15); }); break;
        case DppControl::row_mirror: fill(sources, [](int l) { return l ^ 15; }); break;
        case DppControl::row_half_mirror: fill(sources, [](int l) { return l ^ 7; }); break;
        case DppControl::row_share: fill(sources, [n](int l) { return (l & 16) + n; }); break;
        case DppControl::row_xmask: fill(sources, [n](int l) { return l ^ n; }); break;
        case DppControl::dpp8: fill(sources, [value](int l) { return (l & ~7) + static_cast<int>(value >> (3 * (l & 7)) & 7); }); break;
        case DppControl::none: fill(sources, [](int l) { return l; }); break;
    }
    return sources;
}

// The lanes that row_mask and bank_mask leave: a bit for each row of 16, and for each group of four in a row.
u32 masked_lanes(const Modifiers& mod) {
    u32 banks = 0;
    for (int bank = 0; bank < 4; ++bank) banks |= (mod.bank_mask >> bank & 1) != 0 ? 0xfu << (4 * bank) : 0u;
    return ((mod.row_mask & 1) != 0 ? banks : 0u) | ((mod.row_mask & 2) != 0 ? banks << 16 : 0u);
}

}  // namespace

u32 dpp_permute(const Wave& wave, const Inst& inst, const u32* from, Words& to) {
    const Modifiers& mod = inst.mod;
    const Sources sources = dpp_sources(mod.dpp, mod.dpp_value);
    const u32 exec = wave.exec();
    u32 readable = sources.in_range;
    if (exec != ~0u && !mod.fetch_inactive) {
        u32 on = 0;
        for (int l = 0; l < kLanes; ++l) on |= (exec >> sources.lane[l] & 1u) << l;
        readable &= on;
    }
    for (int l = 0; l < kLanes; ++l) to.lane[l] = from[sources.lane[l]];
    if (readable != ~0u) {
        for (int l = 0; l < kLanes; ++l) to.lane[l] = (readable >> l & 1) ? to.lane[l] : 0u;
    }
    // A lane that cannot read gets 0 with bound_ctrl and is not written without. dpp8 has neither bound_ctrl nor masks: there it gets 0.
    if (mod.dpp == DppControl::dpp8) return ~0u;
    return (mod.bound_ctrl ? ~0u : readable) & masked_lanes(mod);
}

void Access::prepare_dpp() {
    Words room;
    const u32* from = words(wave, inst.src[0], 0, room);
    active &= dpp_permute(wave, inst, from, room0);
    moved = room0.lane;
}

void flush_denormals(const u32* from, Words& to) {
    for (int l = 0; l < kLanes; ++l) to.lane[l] = (from[l] & ~kSign32) < 0x00800000u ? from[l] & kSign32 : from[l];
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
