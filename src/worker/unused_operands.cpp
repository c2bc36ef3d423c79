#include "worker/unused_operands.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace flashwave {
namespace {

constexpr std::uint32_t kUnused = 0x80;                // the inline constant 0
constexpr int kSource1Shift = 9, kSource2Shift = 18;   // of the second dword of VOP3; nine bits each

// Where the code at an address lies in the file, or 0.
std::size_t file_offset(const std::string& object, std::uint64_t address) {
    Elf64_Ehdr header;
    if (object.size() < sizeof header) return 0;
    std::memcpy(&header, object.data(), sizeof header);
    for (int i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        const std::uint64_t at = header.e_phoff + std::uint64_t(i) * header.e_phentsize;
        if (header.e_phentsize < sizeof segment || at > object.size() - sizeof segment) return 0;
        std::memcpy(&segment, object.data() + at, sizeof segment);
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr + 8 <= segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    }
    return 0;
}

// Encodings by the top six bits of the first dword, gfx11 and gfx12.
constexpr std::uint32_t kVop3 = 0b110101, kDs = 0b110110, kVopd = 0b110010;
constexpr std::uint32_t kDualMov = 8;

bool clear_vop3(std::uint32_t (&words)[2]) {
    for (const int shift : {kSource2Shift, kSource1Shift})
        if ((words[1] >> shift & 0x1ff) == kUnused) {
            words[1] &= ~(0x1ffu << shift);
            return true;
        }
    return false;
}

bool clear_ds(std::uint32_t (&words)[2]) {
    const bool used = words[1] >> 24 != 0;  // the destination
    words[1] &= 0x00ffffffu;
    return used;
}

bool clear_vopd(std::uint32_t (&words)[2]) {
    constexpr std::uint32_t kSource1 = 0xffu << 9;  // of either half, in its dword
    bool cleared = false;
    const bool moves[2] = {(words[0] >> 22 & 15) == kDualMov, (words[0] >> 17 & 31) == kDualMov};
    for (int half = 0; half < 2; ++half) {
        if (!moves[half] || (words[half] & kSource1) == 0) continue;
        words[half] &= ~kSource1;
        cleared = true;
    }
    return cleared;
}

bool clear_at(std::string& object, std::uint64_t address) {
    const std::size_t offset = file_offset(object, address);
    std::uint32_t words[2];
    if (offset == 0 || offset > object.size() - sizeof words) return false;
    std::memcpy(words, object.data() + offset, sizeof words);
    const std::uint32_t encoding = words[0] >> 26;
    const bool cleared = encoding == kVop3 ? clear_vop3(words) : encoding == kDs ? clear_ds(words) : encoding == kVopd && clear_vopd(words);
    if (cleared) std::memcpy(object.data() + offset, words, sizeof words);
    return cleared;
}

}  // namespace

int clear_unused_operands(std::string& code_object, std::string_view listing) {
    int cleared = 0;
    std::uint64_t next = 0;  // address behind the line before
    while (!listing.empty()) {
        const std::string_view line = listing.substr(0, listing.find('\n'));
        listing.remove_prefix(std::min(line.size() + 1, listing.size()));
        const std::size_t comment = line.find("//");
        if (comment == std::string_view::npos) {
            if (line.find("<unknown>") == std::string_view::npos || next == 0) continue;
            cleared += clear_at(code_object, next);
            next += 4;
            continue;
        }
        // "// 000000001640: D73C0000 02020482 <symbol+0x..>"
        std::string_view rest = line.substr(comment + 2);
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        const std::size_t colon = rest.find(':');
        if (colon == std::string_view::npos || std::from_chars(rest.data(), rest.data() + colon, next, 16).ptr != rest.data() + colon) continue;
        rest.remove_prefix(colon + 1);
        for (std::size_t at = 0; (at = rest.find_first_not_of(' ', at)) != std::string_view::npos && rest[at] != '<'; next += 4)
            at = std::min(rest.find(' ', at), rest.size());
    }
    return cleared;
}

}  // namespace flashwave
