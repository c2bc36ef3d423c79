#include "emulator/code/listing_cache.hpp"

#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/worker_channel.hpp"

namespace hipemu {

using flashwave::Result;

namespace {

// The first line of a file: this, the SHA-256 of all that follows the line, a newline. Part of the stored format; 2: workers list objects of
// newer compilers in full.
constexpr std::string_view kHeader = "flashwave listing 2 ";
constexpr std::size_t kDigestDigits = 64;

std::optional<std::string> read_stored(const std::string& path) {
    auto bytes = flashwave::read_file(path);
    if (!bytes.ok()) return std::nullopt;
    const std::size_t header = kHeader.size() + kDigestDigits + 1;
    if (bytes->size() <= header || !bytes->starts_with(kHeader) || (*bytes)[header - 1] != '\n') return std::nullopt;
    const std::string_view text = std::string_view(*bytes).substr(header);
    if (flashwave::sha256(text).hex() != bytes->substr(kHeader.size(), kDigestDigits)) return std::nullopt;
    return std::string(text);
}

}  // namespace

std::string listing_path(std::span<const std::byte> image, std::string_view target, const std::string& directory) {
    return fmt::format("{}/{}.{}.lst", directory, flashwave::sha256(image).hex(), target);
}

Result<std::string> cached_listing(std::span<const std::byte> image, std::string_view target, const std::string& directory) {
    // A file that somebody else may write would tell us what to execute.
    const bool usable = !directory.empty() && flashwave::make_private_directory(directory).ok();
    const std::string path = usable ? listing_path(image, target, directory) : std::string();
    if (usable)
        if (auto stored = read_stored(path)) return std::move(*stored);
    auto listing = flashwave::list_code_object({reinterpret_cast<const char*>(image.data()), image.size()}, target);
    if (listing.ok() && usable)
        (void)flashwave::write_file_atomically(path, fmt::format("{}{}\n{}", kHeader, flashwave::sha256(*listing).hex(), *listing));
    return listing;
}

}  // namespace hipemu
