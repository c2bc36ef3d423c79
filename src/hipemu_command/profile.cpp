#include "hipemu_command/profile.hpp"

#include <algorithm>
#include <map>

namespace hipemu::command {

std::string_view mnemonic_of(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    std::string_view mnemonic = text.substr(begin, text.find_first_of(" \t", begin) - begin);
    for (const std::string_view encoding :
         {"_dpp8", "_dpp", "_e32", "_e64"})  // in the order in which they end a name: v_add_f32_e64_dpp
        if (mnemonic.ends_with(encoding)) mnemonic.remove_suffix(encoding.size());
    return mnemonic;
}

std::uint64_t Profile::count() const {
    std::uint64_t sum = 0;
    for (const ProfiledInstruction& one : instructions) sum += one.count;
    return sum;
}

double Profile::cycles() const {
    double sum = 0;
    for (const ProfiledInstruction& one : instructions) sum += one.cycles();
    return sum;
}

std::vector<MnemonicCount> Profile::by_mnemonic() const {
    std::map<std::string_view, MnemonicCount> sums;
    for (const ProfiledInstruction& one : instructions) {
        if (one.count == 0) continue;
        MnemonicCount& sum = sums[mnemonic_of(one.text)];
        sum.count += one.count;
        sum.issue_cycles += one.issue_cycles;
        sum.stall_cycles += one.stall_cycles;
    }
    std::vector<MnemonicCount> result;
    for (auto& [mnemonic, sum] : sums) {
        sum.mnemonic = mnemonic;
        result.push_back(std::move(sum));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const MnemonicCount& a, const MnemonicCount& b) { return a.count > b.count; });
    return result;
}

std::vector<std::size_t> Profile::hottest(std::size_t most) const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < instructions.size(); ++i)
        if (instructions[i].count > 0) indices.push_back(i);
    std::stable_sort(indices.begin(), indices.end(),
                     [&](std::size_t a, std::size_t b) { return instructions[a].cycles() > instructions[b].cycles(); });
    indices.resize(std::min(most, indices.size()));
    std::sort(indices.begin(), indices.end());
    return indices;
}

}  // namespace hipemu::command
