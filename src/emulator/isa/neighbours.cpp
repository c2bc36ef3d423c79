#include "emulator/isa/neighbours.hpp"

#include <algorithm>
#include <cstdint>

#include "emulator/isa/element_size.hpp"
#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

constexpr std::size_t kFarthest = 256;
constexpr unsigned kWord = 4;
// Bytes from a piece of a copy to its last one, where compilers write the copy out.
constexpr std::int64_t kLongestCopy = 256;

/// What the address of an access is made of, beside its constant offset.
struct Base {
    AccessSpace space = AccessSpace::none;
    Operand vector, scalar;
};

bool is_register(const Operand& operand) { return operand.kind == OperandKind::vgpr || operand.kind == OperandKind::sgpr; }

bool same(const Operand& a, const Operand& b) { return a.kind == b.kind && (!is_register(a) || (a.index == b.index && a.count == b.count)); }

/// Through a descriptor the offset is not in one place.
bool has_base(const AccessShape& shape) {
    const bool kind = shape.space == AccessSpace::global || shape.space == AccessSpace::flat || shape.space == AccessSpace::scratch || shape.space == AccessSpace::lds;
    return kind && !shape.buffer && !shape.atomic;
}

Base base_of(const Program& program, std::size_t index) {
    const Inst& inst = program.code[index];
    const AccessShape& shape = program.accesses[index];
    Base base{.space = shape.space, .vector = inst.src[0], .scalar = {}};
    const unsigned scalar = shape.scalar_source();
    if (shape.space != AccessSpace::lds && scalar < inst.sources) base.scalar = inst.src[scalar];
    return base;
}

bool changes(const Inst& inst, const Base& base) {
    for (const Operand* operand : {&base.vector, &base.scalar}) {
        for (unsigned reg = operand->index; is_register(*operand) && reg < operand->index + operand->count; ++reg) {
            if (operand->kind == OperandKind::vgpr ? inst.writes.contains(reg) : reg < 128 && inst.scalar_writes.contains(reg)) return true;
        }
    }
    return false;
}

/// Code behind it is entered from elsewhere or not at all.
bool ends_path(const Inst& inst) {
    return inst.info == nullptr || inst.info->mnemonic == "s_branch" || (inst.info->ends_block && inst.unit != Unit::branch);
}

std::int64_t offset_of(const Program& program, std::size_t index) {
    return program.accesses[index].space == AccessSpace::lds ? program.accesses[index].offset : program.code[index].mod.offset;
}

/// All that is done with what a load gets is that it is stored.
bool is_only_stored(const Program& program, std::size_t index) {
    RegSet live = program.code[index].writes;
    const std::size_t end = std::min(program.code.size(), index + kFarthest);
    for (std::size_t i = index + 1; i < end && !live.empty(); ++i) {
        const Inst& inst = program.code[i];
        if (ends_path(inst)) return true;
        for (const Inst* half = &inst; half != nullptr; half = half->second) {
            for (unsigned source = 0; source < half->sources; ++source) {
                const Operand& operand = half->src[source];
                const bool stored = program.accesses[i].writes && !program.accesses[i].atomic && is_stored(*half, source);
                for (unsigned reg = operand.index; operand.kind == OperandKind::vgpr && !stored && reg < operand.index + operand.count; ++reg)
                    if (live.contains(reg)) return false;
            }
        }
        live -= inst.writes;
    }
    return live.empty();
}

/// What a store stores comes as it is from loads.
bool is_only_loaded(const Program& program, std::size_t index) {
    const Inst& store = program.code[index];
    RegSet data{};
    for (unsigned source = 0; source < store.sources; ++source)
        if (is_stored(store, source)) data.add(store.src[source].index, store.src[source].count);
    for (std::size_t i = index; i-- > 0 && index - i <= kFarthest && !data.empty();) {
        const Inst& inst = program.code[i];
        if (!inst.writes.meets(data)) continue;
        if (!program.accesses[i].reads || program.accesses[i].atomic) return false;
        data -= inst.writes;
    }
    return data.empty();
}

bool is_copied(const Program& program, std::size_t index) {
    return program.accesses[index].writes ? is_only_loaded(program, index) : is_only_stored(program, index);
}

/// Goes over what an access and its neighbours tell each other.
class Neighbours {
public:
    Neighbours(const Program& program, std::size_t index)
        : program_(program), index_(index), shape_(program.accesses[index]), base_(base_of(program, index)), own_(offset_of(program, index)),
          alignment_(std::min<unsigned>(shape_.bytes, kWord)) {
        if (shape_.second != 0) note_distance(shape_.second, kWord);
    }

    unsigned alignment() {
        const std::size_t end = std::min(program_.code.size(), index_ + kFarthest);
        if (!changes(program_.code[index_], base_)) {
            for (std::size_t i = index_ + 1; i < end && alignment_ > 1 && !ends_path(program_.code[i]); ++i) {
                compare(i);  // it reads its address before it writes
                if (changes(program_.code[i], base_)) break;
            }
        }
        for (std::size_t i = index_; i-- > 0 && index_ - i <= kFarthest && alignment_ > 1;) {
            if (ends_path(program_.code[i]) || changes(program_.code[i], base_)) break;
            compare(i);
        }
        return alignment_;
    }

private:
    /// From something that would lie at a multiple of `natural` if it were aligned.
    void note_distance(std::int64_t bytes, unsigned natural) {
        while (alignment_ > 1 && static_cast<std::uint64_t>(bytes) % std::min(alignment_, natural) != 0) alignment_ /= 2;
    }

    void compare(std::size_t other) {
        const AccessShape& shape = program_.accesses[other];
        if (!has_base(shape)) return;
        const Base theirs = base_of(program_, other);
        if (theirs.space != base_.space || !same(theirs.vector, base_.vector) || !same(theirs.scalar, base_.scalar)) return;
        const std::int64_t apart = offset_of(program_, other) - own_;
        const unsigned natural = std::min<unsigned>(shape.bytes, kWord);
        note_distance(apart, natural);
        if (shape.second != 0) note_distance(apart + shape.second, natural);
        if (shape.writes == shape_.writes && shape.bytes < alignment_ && apart > 0 && apart <= kLongestCopy && is_copied(program_, index_) && is_copied(program_, other))
            alignment_ = shape.bytes;
    }

    const Program& program_;
    std::size_t index_;
    const AccessShape& shape_;
    Base base_;
    std::int64_t own_;
    unsigned alignment_;
};

}  // namespace

unsigned alignment_among_neighbours(const Program& program, std::size_t index) {
    if (!has_base(program.accesses[index])) return kWord;
    return Neighbours(program, index).alignment();
}

}  // namespace hipemu
