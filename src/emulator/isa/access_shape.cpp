#include "emulator/isa/access_shape.hpp"

#include <algorithm>
#include <string_view>

#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The width that a mnemonic ends in: "..._b128", "ds_load_u8_d16_hi".
std::uint8_t bytes_of(std::string_view name) {
    for (const std::string_view layout : {"_hi", "_d16"}) {
        if (name.ends_with(layout)) name.remove_suffix(layout.size());
    }
    const std::size_t digits = name.find_last_not_of("0123456789");
    unsigned bits = 0;
    for (std::size_t i = digits + 1; i < name.size(); ++i) bits = bits * 10 + static_cast<unsigned>(name[i] - '0');
    if (has(name, "_pk_")) bits = 32;
    return static_cast<std::uint8_t>(bits / 8);
}

AccessSpace space_of_name(std::string_view name) {
    if (has(name, "_addtid_")) return AccessSpace::none;  // each lane has a word of its own, which no operand names
    if (name.starts_with("ds_")) {
        // The crossbar between lanes has no memory behind it; append and consume count in a register's place.
        const bool crossbar = has(name, "permute") || has(name, "swizzle") || has(name, "_nop") || has(name, "gws") || has(name, "append") ||
                              has(name, "consume") || has(name, "bvh");
        return crossbar ? AccessSpace::none : AccessSpace::lds;
    }
    if (name.starts_with("global_") || name.starts_with("buffer_")) return AccessSpace::global;
    if (name.starts_with("flat_")) return AccessSpace::flat;
    if (name.starts_with("scratch_")) return AccessSpace::scratch;
    if (name.starts_with("s_load_") || name.starts_with("s_buffer_load_")) return AccessSpace::scalar;
    return AccessSpace::none;
}

AccessShape shape_of(const Inst& inst) {
    AccessShape shape;
    if (inst.info == nullptr || inst.info->no_effect) return shape;
    if (inst.unit != Unit::lds && inst.unit != Unit::vmem && inst.unit != Unit::smem) return shape;
    const std::string_view name = inst.info->mnemonic;
    shape.space = space_of_name(name);
    if (shape.space == AccessSpace::none) return shape;
    shape.buffer = has(name, "buffer_");
    const bool load = has(name, "_load_"), store = has(name, "_store_");
    shape.reads = !store;
    shape.writes = !load;
    shape.atomic = !load && !store;
    shape.acquires = load && shape.space != AccessSpace::scalar && inst.mod.glc;
    shape.bytes = bytes_of(name);
    const bool two = has(name, "2addr");
    const int unit = two ? shape.bytes * (has(name, "stride64") ? 64 : 1) : 1;
    shape.offset = inst.mod.offset * unit;
    if (two) shape.second = (inst.mod.offset1 - inst.mod.offset) * unit;
    return shape;
}

/// An atomic load from LDS has no bit of its own: the compiler lets a wait and a cache invalidation follow it, with no barrier between.
bool is_followed_by_acquire(const Program& program, std::size_t index) {
    for (std::size_t i = index + 1; i < program.code.size(); ++i) {
        if (program.text[i].starts_with("buffer_gl")) return true;
        if (program.code[i].unit != Unit::wait) return false;
    }
    return false;
}

/// Instructions of the longest loop that only waits for another wave.
constexpr std::size_t kLongestPoll = 48;

/// A move of what a loop does not change into `reg`.
bool is_fixed_move(const Inst& inst, unsigned reg, const ScalarSet& written) {
    if (inst.info->mnemonic != "v_mov_b32" || inst.dst[0].index != reg) return false;
    const Operand& source = inst.src[0];
    return source.kind == OperandKind::constant || (source.kind == OperandKind::sgpr && !written.contains(source.index));
}

/// Whether a loop, from its first instruction to its last, does nothing but look at one place in LDS again and again.
bool only_polls(const Program& program, std::size_t first, std::size_t last, std::size_t load) {
    const unsigned address = program.code[load].src[0].index;
    ScalarSet scalars;
    for (std::size_t i = first; i <= last; ++i) scalars |= program.code[i].scalar_writes;
    bool moved = false, overwritten = false;
    for (std::size_t i = first; i <= last; ++i) {
        const Inst& inst = program.code[i];
        if (inst.info == nullptr || inst.info->mnemonic == "s_barrier" || inst.info->mnemonic.starts_with("s_swappc")) return false;
        const bool stores = inst.unit == Unit::lds || inst.unit == Unit::vmem ? inst.info->mnemonic.find("_load") == std::string_view::npos : false;
        if (stores && !program.text[i].starts_with("buffer_gl")) return false;
        if (!inst.writes.contains(address)) continue;
        if (is_fixed_move(inst, address, scalars)) moved = true;
        else if (i == load) overwritten = true;
        else return false;
    }
    return moved || !overwritten;
}

bool is_in_poll(const Program& program, std::size_t index) {
    const std::size_t end = std::min(program.code.size(), index + kLongestPoll);
    for (std::size_t i = index + 1; i < end; ++i) {
        const Inst& inst = program.code[i];
        const bool branches = inst.info != nullptr && inst.ends_block && inst.info->mnemonic.find("branch") != std::string_view::npos;
        if (branches && inst.target <= index && i - inst.target < kLongestPoll) return only_polls(program, inst.target, i, index);
    }
    return false;
}

/// A relaxed atomic load from LDS looks like any load. In a loop that changes nothing, at an address that the loop does not compute, it is
/// one: compilers take others out of the loop. So is the same load before such a loop, which is its first round.
bool is_polled(const Program& program, std::size_t index) {
    const Inst& load = program.code[index];
    if (load.src[0].kind != OperandKind::vgpr) return false;
    if (is_in_poll(program, index)) return true;
    const std::size_t end = std::min(program.code.size(), index + kLongestPoll);
    for (std::size_t i = index + 1; i < end; ++i) {
        const Inst& inst = program.code[i];
        if (inst.info == load.info && inst.src[0].index == load.src[0].index && inst.mod.offset == load.mod.offset) return is_in_poll(program, i);
        if (inst.info == nullptr || inst.info->mnemonic == "s_barrier" || inst.writes.contains(load.src[0].index)) return false;
    }
    return false;
}

bool is_neighbour(const Program& program, std::size_t index, std::string_view name) {
    return (index > 0 && program.text[index - 1].starts_with(name)) || (index + 1 < program.text.size() && program.text[index + 1].starts_with(name));
}

/// The acquire fence of a work-group that no barrier brings along.
bool is_group_fence(const Program& program, std::size_t index) {
    return program.text[index].starts_with("buffer_gl0_inv") && !is_neighbour(program, index, "buffer_gl1_inv") && !is_neighbour(program, index, "s_barrier");
}

/// Instructions that are looked at for the fence behind one load.
constexpr int kFarthestFence = 256;

/// A relaxed atomic load from LDS whose value is asked for something before the acquire fence of a work-group, on some path without a barrier.
/// Such a fence stands where programs hand over by hand, and nothing else is compared and branched on just before it.
bool is_asked_before_fence(const Program& program, std::size_t load) {
    struct Path {
        std::size_t at;
        RegSet derived;   // from what was loaded
        bool compared, branched;
    };
    std::vector<Path> open{{load + 1, program.code[load].writes, false, false}};
    std::vector<std::size_t> seen;
    int budget = kFarthestFence;
    while (!open.empty()) {
        Path path = open.back();
        open.pop_back();
        for (;; ++path.at) {
            if (--budget < 0) return false;
            if (path.at >= program.code.size() || std::find(seen.begin(), seen.end(), path.at) != seen.end()) break;
            seen.push_back(path.at);
            const Inst& inst = program.code[path.at];
            if (inst.info == nullptr) break;
            const std::string_view name = inst.info->mnemonic;
            if (program.text[path.at].starts_with("buffer_gl")) {
                if (path.compared && path.branched && is_group_fence(program, path.at)) return true;
                break;
            }
            const bool stores = inst.unit == Unit::lds && space_of_name(name) == AccessSpace::lds && !has(name, "_load_");
            if (stores || name == "s_barrier" || name == "s_endpgm" || name == "s_setpc_b64" || name == "s_swappc_b64") break;
            if (inst.reads.meets(path.derived)) {
                if (name.starts_with("v_cmp") || name == "v_readfirstlane_b32") path.compared = true;
                else if (inst.unit == Unit::valu) path.derived |= inst.writes;
            }
            if (name == "s_branch") path.at = inst.target - std::size_t{1};
            else if (name.starts_with("s_cbranch_")) {
                path.branched = true;
                open.push_back({inst.target, path.derived, path.compared, true});
            }
        }
    }
    return false;
}

}  // namespace

std::vector<AccessShape> access_shapes(const Program& program) {
    std::vector<AccessShape> shapes(program.code.size());
    bool fences = false;
    for (std::size_t i = 0; i < program.text.size(); ++i) fences |= is_group_fence(program, i);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        shapes[i] = shape_of(program.code[i]);
        const bool lds_load = shapes[i].space == AccessSpace::lds && !shapes[i].writes;
        if (lds_load || shapes[i].atomic) shapes[i].acquires = is_followed_by_acquire(program, i);
        if (lds_load && !shapes[i].acquires) shapes[i].acquires = is_polled(program, i) || (fences && is_asked_before_fence(program, i));
    }
    return shapes;
}

}  // namespace hipemu
