#include "emulator/offload_bundle.hpp"

#include <cstring>

#include <fmt/format.h>

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr std::uint64_t kMostEntries = 256, kLongestName = 4096;

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

Result<std::span<const std::byte>> find_in_bundle(const std::byte* image, std::string_view target) {
    if (starts_with(image, kCompressedMagic))
        return Status(Code::unsupported, "the offload bundle is compressed; build it with -no-offload-compress");
    const std::byte* at = image + kMagic.size();
    const std::uint64_t entries = word_at(at);
    if (entries > kMostEntries) return Status(Code::corrupt, fmt::format("the offload bundle is damaged: it claims {} entries", entries));
    at += 8;
    std::string there;
    for (std::uint64_t i = 0; i < entries; ++i) {
        const std::uint64_t offset = word_at(at), size = word_at(at + 8), name_size = word_at(at + 16);
        if (name_size > kLongestName) return Status(Code::corrupt, "the offload bundle is damaged: the name of an entry has no end");
        const std::string_view name(reinterpret_cast<const char*>(at) + 24, name_size);
        if (target_of(name) == target) return std::span(image + offset, size);
        there += fmt::format("{}{}", there.empty() ? "" : ", ", name);
        at += 24 + name_size;
    }
    return Status(Code::not_found, fmt::format("the offload bundle has nothing for {}; it has {}", target, there));
}

}  // namespace hipemu
