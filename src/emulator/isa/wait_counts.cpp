#include "emulator/isa/wait_counts.hpp"

#include <charconv>
#include <string_view>

#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

/// The number behind `name` in "... name(12) ...", or kAny.
std::uint8_t count_in(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) return WaitCounts::kAny;
    const std::string_view rest = text.substr(at + name.size());
    std::uint8_t value = WaitCounts::kAny;
    std::from_chars(rest.data(), rest.data() + rest.size(), value);
    return value;
}

/// The last operand of "s_waitcnt_vscnt null, 0x0" or "s_waitcnt 0xfc07".
std::uint32_t last_number(std::string_view text) {
    text = text.substr(text.find_last_of(" ,") + 1);
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    std::uint32_t value = 0xffff;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
}

std::uint8_t below(std::uint32_t count, std::uint32_t largest) {
    return count >= largest ? WaitCounts::kAny : static_cast<std::uint8_t>(count);
}

WaitCounts counts_of(const Inst& inst, std::string_view text) {
    WaitCounts counts;
    if (inst.info == nullptr) return counts;
    const std::string_view name = inst.info->mnemonic;
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (name == "s_waitcnt") {
        if (text.find('(') != std::string_view::npos) {
            counts.vector_loads = count_in(text, "vmcnt(");
            counts.lds_scalar = count_in(text, "lgkmcnt(");
        } else {  // gfx11: vmcnt in bits 10..15, lgkmcnt in 4..9; all ones do not wait
            const std::uint32_t bits = last_number(text);
            counts.vector_loads = below(bits >> 10 & 63, 63);
            counts.lds_scalar = below(bits >> 4 & 63, 63);
        }
    } else if (name == "s_waitcnt_vscnt") {
        counts.vector_stores = below(last_number(text), 63);
    } else if (name == "s_waitcnt_vmcnt") {
        counts.vector_loads = below(last_number(text), 63);
    } else if (name == "s_waitcnt_lgkmcnt") {
        counts.lds_scalar = below(last_number(text), 63);
    } else if (name == "s_wait_idle") {
        counts = {.vector_loads = 0, .vector_stores = 0, .lds_scalar = 0};
    }
    return counts;
}

}  // namespace

Counter counter_of(const Inst& inst) {
    if (inst.info == nullptr || inst.info->no_effect) return Counter::none;
    switch (inst.unit) {
        case Unit::smem: return Counter::lds_scalar;
        case Unit::lds: return Counter::lds_scalar;
        case Unit::vmem: {
            const bool flat = inst.info->mnemonic.starts_with("flat_");
            if (inst.destinations == 0) return Counter::vector_stores;
            return flat ? Counter::both : Counter::vector_loads;
        }
        default: return inst.info->mnemonic.starts_with("s_sendmsg_rtn") ? Counter::lds_scalar : Counter::none;
    }
}

std::vector<WaitCounts> wait_counts(const Program& program) {
    std::vector<WaitCounts> counts(program.code.size());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = counts_of(program.code[i], program.text[i]);
    return counts;
}

}  // namespace hipemu
