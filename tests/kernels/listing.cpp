#include "kernels/listing.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

namespace flashwave::testing {
namespace {

struct Line {
    std::uint64_t address = 0;
    std::string_view mnemonic, operands;
};

// "\tv_perm_b32 v138, v190, v186, 0x5040100      // 000000002188: D644008A ...": labels and padding have no tab or no
// address.
bool read_line(std::string_view text, Line& line) {
    if (text.empty() || text.front() != '\t') return false;
    const std::size_t comment = text.find("//");
    if (comment == std::string_view::npos) return false;
    const std::string_view instruction = text.substr(1, comment - 1);
    const std::size_t space = instruction.find(' ');
    line.mnemonic = instruction.substr(0, space);
    line.operands = space == std::string_view::npos ? std::string_view() : instruction.substr(space + 1);
    line.address = std::strtoull(std::string(text.substr(comment + 2, 14)).c_str(), nullptr, 16);
    return true;
}

std::vector<Line> read_listing(std::string_view listing) {
    std::vector<Line> lines;
    while (!listing.empty()) {
        const std::size_t end = listing.find('\n');
        Line line;
        if (read_line(listing.substr(0, end), line)) lines.push_back(line);
        listing.remove_prefix(end == std::string_view::npos ? listing.size() : end + 1);
    }
    return lines;
}

bool is_transcendental(std::string_view mnemonic) {
    for (const std::string_view name : {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"})
        if (mnemonic.starts_with(name)) return true;
    return false;
}

void count(LoopCounts& counts, std::string_view mnemonic) {
    if (mnemonic.starts_with("v_wmma")) ++counts.matrix;
    else if (is_transcendental(mnemonic)) ++counts.transcendental;
    else if (mnemonic.starts_with("v_")) ++counts.vector;
    else if (mnemonic.starts_with("scratch_")) ++counts.scratch;
    else if (mnemonic.starts_with("ds_"))
        ++(mnemonic.ends_with("b128") || mnemonic.ends_with("2addr_b64") ? counts.lds_128 : counts.lds_other);
}

}  // namespace

std::string LoopCounts::sentence() const {
    return fmt::format(
        "{} WMMA, {} VALU, {} transcendental, {} LDS of 128 bits, {} other LDS, {} scratch: {:.1f} % of {} cycles",
        matrix, vector, transcendental, lds_128, lds_other, scratch, 100 * matrix_share(), cycles());
}

Result<LoopCounts> main_loop(std::string_view listing) {
    const std::vector<Line> lines = read_listing(listing);
    std::map<std::uint64_t, std::size_t> at;
    for (std::size_t i = 0; i < lines.size(); ++i) at[lines[i].address] = i;

    LoopCounts best;
    for (std::size_t end = 0; end < lines.size(); ++end) {
        const Line& branch = lines[end];
        if (!branch.mnemonic.starts_with("s_cbranch") && branch.mnemonic != "s_branch") continue;
        // The operand is a signed 16-bit distance in dwords from the next instruction, printed without its sign.
        const auto distance = static_cast<std::int16_t>(std::strtol(std::string(branch.operands).c_str(), nullptr, 10));
        const auto begin = at.find(branch.address + 4 + 4 * static_cast<std::uint64_t>(std::int64_t{distance}));
        if (distance >= 0 || begin == at.end()) continue;
        LoopCounts counts;
        bool barrier = false;
        for (std::size_t i = begin->second; i <= end; ++i) {
            count(counts, lines[i].mnemonic);
            barrier |= lines[i].mnemonic == "s_barrier";
        }
        if (barrier && counts.matrix && counts.matrix_share() > best.matrix_share()) best = counts;
    }
    if (!best.matrix) return Status(Code::not_found, "the listing has no loop with a barrier and matrix instructions");
    return best;
}

}  // namespace flashwave::testing
