// Vector compares of every type, into VCC, a scalar register and EXEC.
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"

using emulator_test::Case;
using emulator_test::CaseTable;

namespace {

struct Predicate {
    std::string_view name;
    bool less, equal, greater, unordered;
};

constexpr Predicate kFloat[] = {
    {"f", false, false, false, false}, {"lt", true, false, false, false},  {"eq", false, true, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"lg", true, false, true, false},   {"ge", false, true, true, false},  {"o", true, true, true, false},
    {"u", false, false, false, true},  {"nge", true, false, false, true},  {"nlg", false, true, false, true}, {"ngt", true, true, false, true},
    {"nle", false, false, true, true}, {"neq", true, false, true, true},   {"nlt", false, true, true, true},  {"t", true, true, true, true},
};
constexpr Predicate kInteger[] = {
    {"lt", true, false, false, false}, {"eq", false, true, false, false}, {"le", true, true, false, false}, {"gt", false, false, true, false},
    {"ne", true, false, true, false},  {"ge", false, true, true, false},  {"f", false, false, false, false}, {"t", true, true, true, false},
};

/// Two values a < b of a type, as register contents, and a NaN where there is one.
struct Operands {
    std::string_view type, low, high, nan;
    int words = 1;
};
constexpr Operands kTypes[] = {
    {"f16", "-1.0h", "2.0h", "0x7e00"},
    {"f32", "-1.0f", "2.0f", "0x7fc00000"},
    {"f64", "-1.0d", "2.0d", "0x7ff8000000000000", 2},
    {"i16", "0xffff", "2", ""},
    {"u16", "2", "0xffff", ""},
    {"i32", "-1", "2", ""},
    {"u32", "2", "-1", ""},
    {"i64", "-1", "2", "", 2},
    {"u64", "2", "-1", "", 2},
};

/// Cases made from the tables above; keeps their texts alive.
struct Cases {
    std::vector<std::string> texts;

    void add(const Operands& type, const Predicate& predicate, std::string_view a, std::string_view b, bool holds) {
        const std::string registers = type.words == 2 ? "v[2:3], v[4:5]" : "v2, v4";
        const std::string before = type.words == 2 ? "v2:3=" + std::string(a) + " v4:5=" + std::string(b)
                                                   : "v2=" + std::string(a) + " v4=" + std::string(b);
        const std::string name = std::string(predicate.name) + "_" + std::string(type.type);
        const std::string mask = holds ? "=-1" : "=0";
        put("v_cmp_" + name + "_e32 vcc_lo, " + registers, before, "vcc" + mask);
        put("v_cmp_" + name + "_e64 s7, " + registers, before, "s7" + mask);
        put("v_cmpx_" + name + "_e32 " + registers, before, "exec" + mask);
    }
    void put(std::string line, std::string before, std::string after) {
        texts.push_back(std::move(line));
        texts.push_back(std::move(before));
        texts.push_back(std::move(after));
    }
    CaseTable table() const {
        std::vector<Case> cases;
        for (std::size_t i = 0; i < texts.size(); i += 3) cases.push_back({texts[i], texts[i + 1], texts[i + 2]});
        return CaseTable(std::move(cases));
    }
};

const Cases& all_predicates() {
    static const Cases made = [] {
        Cases all;
    for (const Operands& type : kTypes) {
        const bool is_float = !type.nan.empty();
        const std::span<const Predicate> predicates = is_float ? std::span<const Predicate>(kFloat) : std::span<const Predicate>(kInteger);
        for (const Predicate& predicate : predicates) {
            const bool constant = predicate.name == "f" || predicate.name == "t";
            if (constant && (type.type == "i16" || type.type == "u16")) continue;  // these two do not exist
            all.add(type, predicate, type.low, type.high, predicate.less);
            all.add(type, predicate, type.high, type.high, predicate.equal);
            all.add(type, predicate, type.high, type.low, predicate.greater);
            if (is_float) all.add(type, predicate, type.nan, type.low, predicate.unordered);
            if (is_float) all.add(type, predicate, type.low, type.nan, predicate.unordered);
        }
    }
        return all;
    }();
    return made;
}

}  // namespace

static const CaseTable kPredicates = all_predicates().table();

TEST_CASE("every predicate of every type, on less, equal, greater and unordered operands") { kPredicates.check(); }

static const CaseTable kTable1 = {
    {"v_cmp_lt_f32_e64 s4, |v1|, -v2", "v1=-1.0f v2=-2.0f", "s4=-1"},
    {"v_cmp_eq_f32_e32 vcc_lo, 0, v1", "v1=0x80000000", "vcc=-1"},  // zeros of either sign are equal
    {"v_cmp_eq_f16_e64 s4, v1, v2 op_sel:[1,0]", "v1=0x3c000000 v2=1.0h", "s4=-1"},
    {"v_cmp_lt_i16_e64 s4, v1, v2 op_sel:[0,1]", "v1=0x0005ffff v2=0x00010000", "s4=-1"},
    {"v_cmp_gt_u32_e32 vcc_lo, 16, v1", "v1=15", "vcc=-1"},
    {"v_cmp_ne_u64_e64 s4, 0, v[2:3]", "v2:3=0x100000000", "s4=-1"},
};

TEST_CASE("compares with modifiers, halves and constants") { kTable1.check(); }

static const CaseTable kTable2 = {
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0x7f800001 v2=0x001", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0x7fc00001 v2=0x002", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0xff800000 v2=0x004", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=-1.0f v2=0x008", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0x80000001 v2=0x010", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0x80000000 v2=0x020", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0 v2=0x040", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0x007fffff v2=0x080", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=1.0f v2=0x100", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=0x7f800000 v2=0x200", "s4=-1"},
    {"v_cmp_class_f32_e64 s4, v1, v2", "v1=1.0f v2=0x2ff", "s4=0"},
    {"v_cmp_class_f32_e32 vcc_lo, v1, v2", "v1=0 v2=0x60", "vcc=-1"},
    {"v_cmpx_class_f32_e32 v1, v2", "v1=0 v2=0x40", "exec=-1"},
    {"v_cmp_class_f16_e32 vcc_lo, v1, v2", "v1=0x0001 v2=0x80", "vcc=-1"},
    {"v_cmp_class_f16_e32 vcc_lo, v1, v2", "v1=0x7c01 v2=0x1", "vcc=-1"},
    {"v_cmpx_class_f16_e32 v1, v2", "v1=0xfc00 v2=0x3fb", "exec=0"},
    {"v_cmp_class_f64_e64 s4, v[2:3], v4", "v2:3=-1.0d v4=0x8", "s4=-1"},
    {"v_cmp_class_f64_e64 s4, v[2:3], v4", "v2:3=0x7ff0000000000001 v4=0x1", "s4=-1"},
    {"v_cmpx_class_f64_e64 v[2:3], v4", "v2:3=1 v4=0x80", "exec=-1"},
};

TEST_CASE("classes: signalling and quiet NaN, then from -infinity to +infinity") { kTable2.check(); }
