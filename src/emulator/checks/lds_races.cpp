#include "emulator/checks/lds_races.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/exec/lane_addresses.hpp"
#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

constexpr std::size_t kWordsOfLds = 65536 / 64;

std::uint8_t kind_of(const Inst& inst, const AccessShape& shape) {
    unsigned kind = 0;
    if (shape.reads) kind |= kLdsReads;
    if (shape.writes) kind |= kLdsWrites;
    if (shape.acquires) kind |= kLdsAcquires;
    if (shape.acquires && !(inst.mod.glc && inst.mod.dlc)) kind |= kLdsFlag;
    if (shape.atomic) kind |= kLdsAtomic;
    if (shape.atomic && inst.destinations > 0) kind |= kLdsReturns;
    const auto is_named = [&](std::string_view part) { return inst.info->mnemonic.find(part) != std::string_view::npos; };
    if (shape.atomic && (is_named("cmpstore") || is_named("cmpswap"))) kind |= kLdsCompares;
    return static_cast<std::uint8_t>(kind);
}

struct Extent {
    std::uint32_t low, high;  // the lanes' lowest and highest address
};

/// Of all lanes, whether active or not: only good for telling that an access is far from something.
Extent extent_of(const LdsAccess& access) {
    std::uint16_t low = 0xffff, high = 0;
    for (const std::uint16_t address : access.address) {
        low = address < low ? address : low;
        high = address > high ? address : high;
    }
    return {low, high};
}

Extent extent_of_active(const LdsAccess& access) {
    if (access.lanes == ~0u) return extent_of(access);
    Extent extent{0xffff, 0};
    for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
        const std::uint32_t address = access.address[__builtin_ctz(left)];
        extent = {std::min(extent.low, address), std::max(extent.high, address)};
    }
    return extent;
}

}  // namespace

int lane_at(const LdsAccess& access, std::uint32_t byte) {
    for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const auto inside = [&](std::uint32_t first) { return byte - first < access.bytes; };
        const std::uint32_t address = access.address[lane];
        if (inside(address) || (access.second != 0 && inside(address + static_cast<std::uint32_t>(access.second)))) return lane;
    }
    return -1;
}

LdsRaces::LdsRaces(const Program& program) : program_(program), kinds_(program.code.size()) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        const AccessShape& shape = program.accesses[i];
        kinds_[i] = kind_of(program.code[i], shape);
        const bool global = shape.space == AccessSpace::global || shape.space == AccessSpace::flat;
        const bool lds = shape.space == AccessSpace::lds || shape.space == AccessSpace::flat;
        asks_ |= lds && (kinds_[i] & (kLdsAcquires | kLdsWrites)) == kLdsAcquires;
        hands_over_globally_ |= global && (kinds_[i] & (kLdsAcquires | kLdsReturns)) != 0;
    }
}

void LdsRaces::start(const Workgroup& group) {
    watching_ = group.waves.size() > 1 && group.lds_bytes > 0;
    if (!watching_) return;
    words_ = std::min<std::size_t>(group.lds_bytes / 64 + 2, kWordsOfLds + 1);
    if (touched_.size() != group.waves.size()) {
        touched_.assign(group.waves.size(), {});
        low_ = high_ = 0;
    }
    forget();
    found_ = false;
    all_written_ = false;
    written_before_.assign(asks_ ? words_ : 0, 0);
}

/// Behind a barrier the bytes that have been written by then hold something.
void LdsRaces::remember_written() {
    all_written_ |= blind_;
    if (!asks_ || all_written_) return;
    for (const Touched& wave : touched_) {
        for (const Bits* bits : {&wave.written, &wave.atomic, &wave.swapped}) {
            for (std::size_t i = low_; i < std::min(high_, bits->size()); ++i) written_before_[i] |= (*bits)[i];
        }
    }
}

/// A wave that polls looks again before any other has done something.
bool LdsRaces::repeats_last(const Wave& wave, std::size_t code, const Access& access) const {
    if ((kinds_[code] & (kLdsAcquires | kLdsWrites)) != kLdsAcquires || log_.empty()) return false;
    const LdsAccess& last = log_.back();
    return last.code == code && last.wave == wave.index && last.lanes == access.lanes &&
           std::equal(std::begin(last.address), std::end(last.address), std::begin(access.address),
                      [](std::uint16_t a, std::uint64_t b) { return a == static_cast<std::uint16_t>(b); });
}

void LdsRaces::note(const Wave& wave, std::size_t code, const Access& access, std::size_t ordinal) {
    switch (access.shape->space) {
        case AccessSpace::lds: {
            if (repeats_last(wave, code, access)) return;
            LdsAccess& entry = append(wave, code, access, ordinal);
            narrow_addresses(access.address, entry.address);
            if (entry.is_plain_store()) keep_stored(wave, program_.code[code], entry, stored_);
            writes_ |= (entry.kind & kLdsWrites) != 0;
            acquires_ |= (entry.kind & (kLdsAcquires | kLdsReturns)) != 0;
            return;
        }
        case AccessSpace::flat: return note_flat(wave, code, access, ordinal);
        case AccessSpace::global:
            if (hands_over_globally_ && (kinds_[code] & (kLdsWrites | kLdsAcquires)) != 0) note_global(wave, code, access);
            return;
        default: return;
    }
}

void LdsRaces::note_flat(const Wave& wave, std::size_t code, const Access& access, std::size_t ordinal) {
    std::uint32_t inside = 0;
    std::uint16_t address[kLanes] = {};
    for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        std::uint64_t offset = 0;
        if (access.space_of(lane, offset) != AccessSpace::lds) continue;
        inside |= 1u << lane;
        address[lane] = static_cast<std::uint16_t>(offset);
    }
    if (inside != 0) {
        LdsAccess& entry = append(wave, code, access, ordinal);
        entry.lanes = inside;
        std::copy(std::begin(address), std::end(address), entry.address);
        if (entry.is_plain_store()) keep_stored(wave, program_.code[code], entry, stored_);
        writes_ |= (entry.kind & kLdsWrites) != 0;
        acquires_ |= (entry.kind & (kLdsAcquires | kLdsReturns)) != 0;
    } else if (hands_over_globally_ && (kinds_[code] & (kLdsWrites | kLdsAcquires)) != 0) {
        note_global(wave, code, access);
    }
}

void LdsRaces::note_global(const Wave& wave, std::size_t code, const Access& access) {
    LdsAccess& entry = append(wave, code, access, 0);
    entry.kind |= kLdsGlobal;
    entry.second = static_cast<std::int32_t>(global_.size());
    std::copy(std::begin(access.address), std::end(access.address), global_.emplace_back().begin());
    acquires_ |= (entry.kind & (kLdsAcquires | kLdsReturns)) != 0;
}

/// Sets the bits of an access.
void LdsRaces::touch(Bits& bits, const LdsAccess& access) {
    if (bits.size() < words_) bits.resize(words_);
    std::uint64_t* const words = bits.data();
    const std::uint32_t bytes = access.bytes;
    const std::uint64_t ones = (1ull << bytes) - 1;
    for (const std::uint32_t offset : {0u, static_cast<std::uint32_t>(access.second)}) {
        for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
            const std::uint32_t address = access.address[__builtin_ctz(left)] + offset;
            const std::uint32_t word = address / 64, shift = address % 64;
            words[word] |= ones << shift;
            if (shift + bytes > 64) words[word + 1] |= ones >> (64 - shift);
        }
        if (access.second == 0) break;
    }
    const Extent extent = extent_of_active(access);
    const std::uint32_t low = extent.low + static_cast<std::uint32_t>(std::min(access.second, 0));
    const std::uint32_t high = extent.high + static_cast<std::uint32_t>(std::max(access.second, 0)) + bytes;
    low_ = high_ == 0 ? low / 64 : std::min<std::size_t>(low_, low / 64);
    high_ = std::max<std::size_t>(high_, high / 64 + 1);
}

/// Sets the bits of what the log holds; reads far from everything that is written are left out.
void LdsRaces::collect() {
    for (const LdsAccess& entry : log_) {
        if ((entry.kind & kLdsGlobal) != 0 || (entry.kind & kLdsWrites) == 0) continue;
        Touched& mine = touched_[entry.wave];
        only_stores_ &= entry.is_plain_store();
        touch((entry.kind & kLdsCompares) != 0 ? mine.swapped : (entry.kind & kLdsAtomic) != 0 ? mine.atomic : mine.written, entry);
    }
    // What is written later may hit what is read now if the log is cut.
    const std::uint32_t low = static_cast<std::uint32_t>(64 * low_), high = static_cast<std::uint32_t>(64 * high_);
    for (const LdsAccess& entry : log_) {
        if ((entry.kind & (kLdsGlobal | kLdsWrites)) != 0) continue;
        if (!keep_all_ && entry.second == 0) {
            const Extent extent = extent_of(entry);
            if (extent.low >= high || extent.high + entry.bytes <= low) continue;
        }
        only_stores_ = false;
        touch(touched_[entry.wave].read, entry);
    }
}

/// Compares the waves; true if two touch a byte, one of them writing.
bool LdsRaces::conflict_somewhere() {
    const std::size_t first = low_, end = std::min(high_, words_);
    const auto clear = [&](Bits& bits) {
        bits.resize(words_);
        if (first < end) std::fill(bits.begin() + static_cast<std::ptrdiff_t>(first), bits.begin() + static_cast<std::ptrdiff_t>(end), 0);
    };
    for (Bits* bits : {&seen_.written, &found_at_.bad, &found_at_.twice}) clear(*bits);
    if (!only_stores_) {
        for (Bits* bits : {&seen_.read, &seen_.atomic, &seen_.swapped}) clear(*bits);
    }
    std::uint64_t* const read = seen_.read.data();
    std::uint64_t* const written = seen_.written.data();
    std::uint64_t* const atomic = seen_.atomic.data();
    std::uint64_t* const swapped = seen_.swapped.data();
    std::uint64_t* const bad = found_at_.bad.data();
    std::uint64_t* const twice = found_at_.twice.data();
    const Bits none(only_stores_ ? 0 : words_);
    for (const Touched& wave : touched_) {
        const auto of = [&](const Bits& bits) { return bits.empty() ? none.data() : bits.data(); };
        if (only_stores_) {
            if (wave.written.empty()) continue;
            const std::uint64_t* const writes = wave.written.data();
            for (std::size_t i = first; i < end; ++i) {
                twice[i] |= writes[i] & written[i];
                written[i] |= writes[i];
            }
            continue;
        }
        const std::uint64_t* const reads = of(wave.read);
        const std::uint64_t* const writes = of(wave.written);
        const std::uint64_t* const atomics = of(wave.atomic);
        const std::uint64_t* const swaps = of(wave.swapped);
        for (std::size_t i = first; i < end; ++i) {
            twice[i] |= writes[i] & written[i];
            bad[i] |= (writes[i] & (read[i] | atomic[i] | swapped[i])) | (reads[i] & (written[i] | atomic[i])) |
                      (atomics[i] & (read[i] | written[i])) | (swaps[i] & written[i]);
            read[i] |= reads[i];
            written[i] |= writes[i];
            atomic[i] |= atomics[i];
            swapped[i] |= swaps[i];
        }
    }
    std::uint64_t any = 0;
    for (std::size_t i = first; i < end; ++i) any |= bad[i] | twice[i];
    return any != 0;
}

/// Fills conflicts_ with the bytes that two waves touch, one of them writing, unless all they do is store equal bytes.
bool LdsRaces::find_conflicts() {
    if (!conflict_somewhere()) return false;
    const auto all_of = [&](const Bits& found, Bits& to) {
        to.assign(words_, 0);
        for (std::size_t word = low_; word < std::min(high_, words_); ++word) to[word] = found[word];
    };
    all_of(found_at_.bad, conflicts_);
    all_of(found_at_.twice, stored_twice_);
    const bool any_twice = std::any_of(stored_twice_.begin(), stored_twice_.end(), [](std::uint64_t bits) { return bits != 0; });
    if (any_twice && !keep_all_) compare_stores();  // otherwise it is done already
    const Bits& different = stores_.different();
    bool any = false;
    for (std::size_t word = 0; word < words_; ++word) {
        if (word < different.size()) conflicts_[word] |= stored_twice_[word] & different[word];
        any |= conflicts_[word] != 0;
    }
    return any;
}

/// Takes in the stores of the log: those to bytes that several waves have stored, or all where more may come.
void LdsRaces::compare_stores() {
    for (const LdsAccess& entry : log_) {
        if (entry.is_plain_store()) stores_.add(entry, stored_, keep_all_ ? Bits{} : stored_twice_);
    }
}

/// The log is full. What it holds is looked at now and kept as bits only.
void LdsRaces::make_room() {
    keep_all_ = true;
    found_ = found_ || find_race(race_);
    log_is_cut_ = true;
    blind_ |= acquires_;
    log_.clear();
    global_.clear();
    stored_.clear();
}

bool LdsRaces::find_race(LdsRace& race) {
    if (blind_ || (!writes_ && !keep_all_)) return false;
    collect();
    if (keep_all_) compare_stores();
    if (!find_conflicts()) return false;
    if (acquires_) return !log_is_cut_ && find_unordered(log_, global_, stored_, touched_.size(), conflicts_,
                                                                   all_written_ ? Bits(words_, ~0ull) : written_before_, race);
    find_in_log(race);
    return true;
}

/// No access hands anything over: the first byte in conflict, and the first two accesses to it that are.
void LdsRaces::find_in_log(LdsRace& race) const {
    const auto word = static_cast<std::size_t>(std::find_if(conflicts_.begin(), conflicts_.end(), [](std::uint64_t w) { return w != 0; }) -
                                               conflicts_.begin());
    const auto bit = static_cast<unsigned>(__builtin_ctzll(conflicts_[word]));
    race.byte = static_cast<std::uint32_t>(64 * word) + bit;
    const auto conflict = [](unsigned a, unsigned b) {
        const bool load_of_swapped = ((a | b) & kLdsCompares) != 0 && (a & b & kLdsWrites) == 0;
        return ((a | b) & kLdsWrites) != 0 && (a & b & kLdsAtomic) == 0 && !load_of_swapped;
    };
    std::vector<const LdsAccess*> at_byte;
    for (const LdsAccess& entry : log_) {
        if ((entry.kind & kLdsGlobal) != 0 || lane_at(entry, race.byte) < 0) continue;
        for (const LdsAccess* other : at_byte) {
            if (other->wave == entry.wave || !conflict(other->kind, entry.kind) || store_equal(*other, entry, stored_, race.byte)) continue;
            race.later = entry;
            race.earlier = *other;
            return;
        }
        at_byte.push_back(&entry);
    }
    // One of them has fallen off the log.
    race.earlier_is_known = false;
    for (const LdsAccess* entry : at_byte) {
        for (std::size_t wave = 0; wave < touched_.size(); ++wave) {
            const auto of = [&](const Bits& bits) { return word < bits.size() && (bits[word] >> bit & 1) != 0; };
            const Touched& other = touched_[wave];
            const bool bad = of(other.written) || ((entry->kind & kLdsAtomic) == 0 && of(other.atomic)) ||
                             ((entry->kind & (kLdsAtomic | kLdsWrites)) == kLdsWrites && of(other.swapped)) ||
                             ((entry->kind & kLdsWrites) != 0 && of(other.read));
            if (wave == entry->wave || !bad) continue;
            race.later = *entry;
            race.earlier.wave = static_cast<std::uint16_t>(wave);
            return;
        }
    }
}

void LdsRaces::forget() {
    log_.clear();
    global_.clear();
    stored_.clear();
    stores_.forget();
    writes_ = acquires_ = log_is_cut_ = keep_all_ = blind_ = false;
    for (Touched& wave : touched_) {
        for (Bits* bits : {&wave.read, &wave.written, &wave.atomic, &wave.swapped}) {
            const std::size_t end = std::min(high_, bits->size());
            if (low_ < end) std::fill(bits->begin() + static_cast<std::ptrdiff_t>(low_), bits->begin() + static_cast<std::ptrdiff_t>(end), 0);
        }
    }
    low_ = high_ = 0;
    only_stores_ = true;
}

bool LdsRaces::barrier(Workgroup& group, const std::vector<InFlight>& in_flight) {
    if (!watching_) return true;
    if (!found_) found_ = find_race(race_);
    if (found_) {
        report(group, race_);
        return false;
    }
    // The barrier does not order what is still on its way.
    std::vector<LdsAccess> on_its_way;
    std::vector<std::uint32_t> stored;
    if (std::any_of(in_flight.begin(), in_flight.end(), [](const InFlight& one) { return one.lds_outstanding() > 0; })) {
        for (const LdsAccess& entry : log_) {
            const InFlight& own = in_flight[entry.wave];
            const bool waits_here = group.waves[entry.wave]->state == WaveState::at_barrier;
            if (waits_here && entry.ordinal > own.lds_issued() - own.lds_outstanding()) on_its_way.push_back(entry);
        }
    }
    for (LdsAccess& entry : on_its_way) {
        if (!entry.is_plain_store()) continue;
        const auto from = stored_.begin() + entry.stored;
        entry.stored = static_cast<std::uint32_t>(stored.size());
        stored.insert(stored.end(), from, from + entry.rows() * kLanes);
    }
    remember_written();
    forget();
    for (const LdsAccess& entry : on_its_way) {
        writes_ |= (entry.kind & kLdsWrites) != 0;
        acquires_ |= (entry.kind & (kLdsAcquires | kLdsReturns)) != 0;
        log_.push_back(entry);
    }
    stored_.assign(stored.begin(), stored.end());  // keeps its room
    return true;
}

void LdsRaces::report(Workgroup& group, const LdsRace& race) const {
    const auto verb = [](const LdsAccess& entry) {
        return (entry.kind & kLdsAtomic) != 0 ? "changes atomically" : (entry.kind & kLdsWrites) != 0 ? "writes" : "reads";
    };
    std::string other = fmt::format("wave {}", race.earlier.wave);
    if (race.earlier_is_known) {
        other = fmt::format("wave {}, lane {} {} with `{}` at +{:#x}", race.earlier.wave, lane_at(race.earlier, race.byte), verb(race.earlier),
                            program_.text[race.earlier.code], program_.code[race.earlier.code].address);
    } else {
        other += " touched long before";
    }
    Wave& wave = *group.waves[race.later.wave];
    wave.current = &program_.code[race.later.code];
    wave.fault.reset();
    wave.stop_with_fault(FaultKind::lds_race,
                         fmt::format("{} byte {} of LDS, which {}: no barrier and no atomic hand-over orders the two", verb(race.later), race.byte,
                                     other),
                         lane_at(race.later, race.byte), race.byte);
}

}  // namespace hipemu
