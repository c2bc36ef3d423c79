// Fields that an instruction does not use, as newer compilers fill them in.
#include "worker/unused_operands.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <vector>

using flashwave::clear_unused_operands;

namespace {

constexpr std::uint64_t kTextOffset = 0x100, kTextAddress = 0x1100;

// The least of an object: a header, one loaded segment with the given code.
std::string object_with(const std::vector<std::uint32_t>& code) {
    Elf64_Ehdr header{};
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_offset = kTextOffset;
    segment.p_vaddr = kTextAddress;
    segment.p_filesz = code.size() * 4;
    std::string object(kTextOffset + code.size() * 4, '\0');
    std::memcpy(object.data(), &header, sizeof header);
    std::memcpy(object.data() + sizeof header, &segment, sizeof segment);
    std::memcpy(object.data() + kTextOffset, code.data(), code.size() * 4);
    return object;
}

std::uint32_t word(const std::string& object, std::size_t i) {
    std::uint32_t value;
    std::memcpy(&value, object.data() + kTextOffset + 4 * i, 4);
    return value;
}

// What a disassembler says that names the first dword, a move, and stops at the second.
constexpr const char* kListing = "\tv_mov_b32_e32 v6, 0   // 000000001100: 7E0C0280 \n <unknown>\n\tv_cndmask_b32_e32 v1, 2, v2, vcc_lo // 000000001108: 02020482 \n";

}  // namespace

TEST_CASE("the spare source of a VOP3 instruction is cleared where the listing stops at it") {
    // v_lshlrev_b64 v[0:1], 2, v[2:3]
    std::string object = object_with({0x7e0c0280, 0xd73c0000, 0x02020482, 0xbfb00000});
    CHECK(clear_unused_operands(object, kListing) == 1);
    CHECK(word(object, 2) == 0x00020482);
    CHECK(clear_unused_operands(object, kListing) == 0);  // nothing is left to clear
}

TEST_CASE("the destination of a DS instruction without a result and the second source of a VOPD move are cleared") {
    // ds_cmpstore_b32 v10, v1, v2, with v3 in the unused destination
    std::string ds = object_with({0x7e0c0280, 0xd8400000, 0x0302010a, 0xbfb00000});
    CHECK(clear_unused_operands(ds, kListing) == 1);
    CHECK(word(ds, 2) == 0x0002010a);

    // v_dual_mov_b32 v2, 100 :: v_dual_add_nc_u32 v1, v0, v1, with v2 in the move's unused source: X opcode 8, Y opcode 16
    const std::uint32_t first = 0b110010u << 26 | 8u << 22 | 16u << 17 | 2u << 9 | 0xff;
    std::string vopd = object_with({0x7e0c0280, first, 0x02000300, 0x64});
    CHECK(clear_unused_operands(vopd, kListing) == 1);
    CHECK(word(vopd, 1) == (first & ~(0xffu << 9)));
    CHECK(word(vopd, 2) == 0x02000300);  // the addition uses its own
}

TEST_CASE("what is unknown for another reason stays as it is, and so does everything the listing names") {
    const std::vector<std::uint32_t> code{0x7e0c0280, 0xa1000000, 0x02020482, 0xbfb00000};
    std::string object = object_with(code);
    CHECK(clear_unused_operands(object, kListing) == 0);
    CHECK(object == object_with(code));

    std::string named = object_with({0x7e0c0280, 0xd73c0000, 0x02020482, 0xbfb00000});
    CHECK(clear_unused_operands(named, "\tv_mov_b32_e32 v6, 0   // 000000001100: 7E0C0280 \n") == 0);
}

TEST_CASE("broken objects and listings are left alone") {
    std::string object = object_with({0x7e0c0280, 0xd73c0000});
    for (const char* listing : {"", " <unknown>\n", "// \n <unknown>\n", "\tx // zz: 00\n <unknown>", "\tx // FFFFFFFFFFFFFFFC: 00000000\n <unknown>"})
        CHECK(clear_unused_operands(object, listing) == 0);
    std::string tiny = "ELF";
    CHECK(clear_unused_operands(tiny, kListing) == 0);
}
