#include "emulator/opcode_walk.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "emulator/compiled_kernel.hpp"
#include "emulator/isa/decode_line.hpp"

namespace hip_test {
namespace {

using u32 = std::uint32_t;

constexpr unsigned kSlotWords = 4;  // no instruction is longer than three words; the rest of a slot is s_nop, which brings the lister back
constexpr u32 kNop = 0xbf800000u, kLiteral = 0x40490fdbu;
using Slot = std::array<u32, kSlotWords>;

// Registers s4.. and v4..: even, so that pairs and quads fit; 0x104 is v4 as a nine-bit source, 4 is s4.
constexpr u32 kVector = 0x104;

/// The encodings of gfx11 that an instruction of a compute kernel can have, and those of graphics that share its opcodes' space. Fields that
/// an instruction does not use have to be 0, so each opcode is tried with several sets of operands.
std::vector<Slot> all_encodings() {
    std::vector<Slot> slots;
    const auto add = [&](u32 first, u32 second = kNop, u32 third = kNop) { slots.push_back({first, second, third, kNop}); };
    for (u32 op = 0; op < 96; ++op) add(2u << 30 | op << 23 | 4u << 16 | 4u << 8 | 4u, kLiteral);  // SOP2; 96 and above are other encodings
    for (u32 op = 0; op < 28; ++op) {                                                              // SOPK
        add(0xbu << 28 | op << 23 | 4u << 16 | 1u, kLiteral);
        add(0xbu << 28 | op << 23 | 1u, kLiteral);
        add(0xbu << 28 | op << 23 | 124u << 16 | 1u);
    }
    for (u32 op = 0; op < 256; ++op) {                                                             // SOP1: of a register, none, a message
        add(0x17du << 23 | 4u << 16 | op << 8 | 4u);
        add(0x17du << 23 | 4u << 16 | op << 8);
        add(0x17du << 23 | op << 8 | 4u);
        add(0x17du << 23 | 4u << 16 | op << 8 | 0x80u);
    }
    for (u32 op = 0; op < 128; ++op) add(0x17eu << 23 | op << 16 | 4u << 8 | 4u);                  // SOPC
    for (u32 op = 0; op < 128; ++op) add(0x17fu << 23 | op << 16);                                 // SOPP
    for (u32 op = 0; op < 256; ++op) {                                                             // SMEM
        add(0x3du << 26 | op << 18 | 4u << 6 | 2u, 124u << 25);
        add(0x3du << 26 | op << 18, 0);
        add(0x3du << 26 | op << 18, 124u << 25);
    }
    for (u32 op = 0; op < 63; ++op) add(op << 25 | 4u << 17 | 4u << 9 | kVector, kLiteral);        // VOP2
    for (u32 op = 0; op < 256; ++op) {                                                             // VOP1
        add(0x3fu << 25 | 4u << 17 | op << 9 | kVector);
        add(0x3fu << 25 | op << 9);
    }
    for (u32 op = 0; op < 256; ++op) add(0x3eu << 25 | op << 17 | 4u << 9 | kVector);              // VOPC
    for (u32 op = 0; op < 1024; ++op) {                                                            // VOP3: three, two, one, no vector sources
        add(0x35u << 26 | op << 16 | 4u, kVector << 18 | kVector << 9 | kVector);
        add(0x35u << 26 | op << 16 | 4u, 4u << 18 | 4u << 9 | kVector);
        add(0x35u << 26 | op << 16 | 4u << 8 | 4u, 4u << 18 | kVector << 9 | kVector);
        add(0x35u << 26 | op << 16 | 4u, kVector << 9 | kVector);
        add(0x35u << 26 | op << 16 | 4u, 4u << 9 | kVector);
        add(0x35u << 26 | op << 16 | 4u, kVector);
        add(0x35u << 26 | op << 16, 0);
    }
    for (u32 op = 0; op < 128; ++op) {                                                             // VOP3P; op_sel_hi of all sources
        add(0xccu << 24 | op << 16 | 1u << 14 | 4u, 3u << 27 | kVector << 18 | kVector << 9 | kVector);
        add(0xccu << 24 | op << 16 | 1u << 14 | 4u, 3u << 27 | kVector << 9 | kVector);
    }
    for (u32 x = 0; x < 16; ++x)                                                                   // VOPD
        for (u32 y = 0; y < 32; ++y)
            add(0x32u << 26 | x << 22 | y << 17 | 5u << 9 | 0x101u, 4u << 24 | 2u << 17 | 6u << 9 | 0x102u, kLiteral);
    for (u32 op = 0; op < 16; ++op) add(0xcdu << 24 | op << 16 | 4u, kVector << 18 | kVector << 9 | kVector);  // VINTERP
    for (u32 op = 0; op < 4; ++op) add(0xceu << 24 | op << 20 | 4u);                               // LDSDIR
    for (u32 op = 0; op < 256; ++op)                                                               // DS of LDS and of GDS, with and without
        for (u32 gds = 0; gds < 2; ++gds)                                                          // result, address, first and second value
            for (const u32 operands : {0x04080802u, 0x04000002u, 0x04000000u, 0x00080802u, 0x00000802u, 0x00000002u, 0x00000800u, 0x04000802u, 0u})
                add(0x36u << 26 | op << 18 | gds << 17, operands);
    for (u32 segment = 0; segment < 3; ++segment)                                                  // FLAT, SCRATCH, GLOBAL
        for (u32 op = 0; op < 128; ++op)
            for (u32 returns = 0; returns < 2; ++returns)
                for (const u32 operands : {0x047c0802u, 0x04000002u, 0x00000802u, 0x04040002u, 0x00040802u, 0x04040000u, 0x00040800u})
                    add(0x37u << 26 | op << 18 | segment << 16 | returns << 14, operands);
    for (u32 op = 0; op < 256; ++op) {                                                             // MUBUF
        add(0x38u << 26 | op << 18, 0x80u << 24 | 1u << 16 | 4u << 8 | 2u);
        add(0x38u << 26 | op << 18, 0);
    }
    for (u32 op = 0; op < 16; ++op) add(0x3au << 26 | 1u << 19 | op << 15, 0x80u << 24 | 1u << 16 | 4u << 8 | 2u);  // MTBUF
    for (u32 op = 0; op < 256; ++op) add(0x3cu << 26 | op << 18 | 1u << 8, 1u << 16 | 4u << 8 | 2u);  // MIMG
    add(0x3eu << 26 | 1u);                                                                         // EXP
    return slots;
}

std::string source_of(const std::vector<Slot>& slots) {
    std::string text = "extern \"C\" __global__ void walk() {\n    asm volatile(\"s_endpgm\\n\"\n";
    for (const Slot& slot : slots) text += fmt::format("        \".long {:#x}, {:#x}, {:#x}, {:#x}\\n\"\n", slot[0], slot[1], slot[2], slot[3]);
    return text + "    );\n}\n";
}

}  // namespace

const std::string& listing_of_all_instructions(const std::string& target) {
    static std::map<std::string, std::string> known;
    std::string& listing = known[target];
    if (listing.empty()) listing = listing_of(compile(source_of(all_encodings()), {"-O3"}, target), target);
    return listing;
}

std::set<std::string> instructions_of(const std::string& target) {
    static std::map<std::string, std::set<std::string>> known;
    if (const auto found = known.find(target); found != known.end()) return found->second;
    const std::vector<Slot> slots = all_encodings();
    const std::string& listing = listing_of_all_instructions(target);
    std::set<std::string> names;
    std::uint64_t first = 0;  // address of the first slot: behind the s_endpgm
    for (std::size_t at = 0; at < listing.size();) {
        const std::size_t end = std::min(listing.find('\n', at), listing.size());
        const hipemu::ListingLine line = hipemu::cut_line(std::string_view(listing).substr(at, end - at));
        at = end + 1;
        if (line.kind != hipemu::ListingLine::Kind::instruction || !line.has_address) continue;
        if (first == 0) {
            if (line.text.starts_with("s_endpgm")) first = line.address + line.bytes;
            continue;
        }
        const std::uint64_t distance = line.address - first;
        if (distance % (4 * kSlotWords) != 0 || distance / (4 * kSlotWords) >= slots.size()) continue;
        if (line.text.starts_with(".long") || line.text.starts_with("<unknown>")) continue;
        const std::size_t joint = line.text.find(" :: ");
        names.emplace(hipemu::base_mnemonic(hipemu::cut_instruction(line.text.substr(0, joint)).mnemonic));
        if (joint != std::string_view::npos) names.emplace(hipemu::cut_instruction(line.text.substr(joint + 4)).mnemonic);
    }
    REQUIRE_MESSAGE(names.size() > 500, "the listing of ", target, " names only ", names.size(), " instructions");
    return known[target] = names;
}

}  // namespace hip_test
