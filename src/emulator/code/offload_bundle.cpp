#include "emulator/code/offload_bundle.hpp"

#include <cstring>

#include <fmt/format.h>

#include "emulator/code/code_object.hpp"
#include "emulator/code/readable.hpp"

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr std::uint64_t kMostEntries = 256, kLongestName = 4096;
constexpr std::uint64_t kLargestBundle = std::uint64_t{4} << 30;  // where the size is not known: more is damage
constexpr std::uint64_t kElfHeaderBytes = 64;

std::uint64_t word_at(const std::byte* from) {
    std::uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

bool starts_with(const std::byte* image, std::string_view magic) { return std::memcmp(image, magic.data(), magic.size()) == 0; }

/// "hipv4-amdgcn-amd-amdhsa--gfx1100:xnack-" -> "gfx1100"; empty for a host entry.
std::string_view target_of(std::string_view entry) {
    if (!entry.starts_with("hip")) return {};
    const std::size_t at = entry.rfind("gfx");
    if (at == std::string_view::npos) return {};
    return entry.substr(at, entry.find(':', at) - at);
}

}  // namespace

bool is_offload_bundle(const std::byte* image) { return starts_with(image, kMagic) || starts_with(image, kCompressedMagic); }

Result<std::span<const std::byte>> find_in_bundle(const std::byte* image, std::uint64_t known_size, std::string_view target) {
    const std::uint64_t size_limit = known_size != 0 ? known_size : kLargestBundle;
    const auto reaches = [&](std::uint64_t offset, std::uint64_t bytes) {
        return offset <= size_limit && bytes <= size_limit - offset && (known_size != 0 || is_readable(image + offset, bytes));
    };
    if (starts_with(image, kCompressedMagic))
        return Status(Code::unsupported, "the offload bundle is compressed; build it with --no-offload-compress");
    const auto damaged = [](std::string what) { return Status(Code::corrupt, fmt::format("the offload bundle is damaged: {}", what)); };
    std::uint64_t at = kMagic.size();
    if (!reaches(at, 8)) return damaged("it ends in its header");
    const std::uint64_t entries = word_at(image + at);
    if (entries > kMostEntries) return damaged(fmt::format("it claims {} entries", entries));
    at += 8;
    std::string there;
    std::optional<std::span<const std::byte>> generic;
    for (std::uint64_t i = 0; i < entries; ++i) {
        if (!reaches(at, 24)) return damaged("it ends in its table of entries");
        const std::uint64_t offset = word_at(image + at), size = word_at(image + at + 8), name_size = word_at(image + at + 16);
        at += 24;
        if (name_size > kLongestName || !reaches(at, name_size)) return damaged("the name of an entry has no end");
        const std::string_view name(reinterpret_cast<const char*>(image) + at, name_size);
        at += name_size;
        const std::string_view entry_target = target_of(name);
        const bool is_generic = !entry_target.empty() && entry_target == generic_target_of(target);
        if (entry_target == target || is_generic) {
            if (!reaches(offset, size))
                return damaged(fmt::format("entry {} is said to be {} bytes at byte {}, beyond the end", name, size, offset));
            if (size < kElfHeaderBytes) return damaged(fmt::format("entry {} has {} bytes, which is no code object", name, size));
            if (offset < at) return damaged(fmt::format("entry {} begins at byte {}, within the table", name, offset));
            if (const std::uint64_t stated = elf_image_size(image + offset); stated > size)
                return damaged(fmt::format("entry {} has {} bytes, its code object says that it has {}", name, size, stated));
            if (!is_generic) return std::span(image + offset, size);
            generic = std::span(image + offset, size);
        }
        there += fmt::format("{}{}", there.empty() ? "" : ", ", name);
    }
    if (generic) return *generic;
    return Status(Code::not_found, fmt::format("the offload bundle has nothing for {}; it has {}", target, there));
}

}  // namespace hipemu
