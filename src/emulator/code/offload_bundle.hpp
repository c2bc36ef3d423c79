// Clang's offload bundle: several code objects for several targets in one file, as hipcc --genco writes it and host programs embed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flashwave/status.hpp"

namespace hipemu {

/// True for a bundle, uncompressed or compressed, by its first 24 bytes.
bool is_offload_bundle(const std::byte* image);

/// The code object for `target` ("gfx1100"), or else for its generic processor ("gfx11-generic"), in a bundle of `known_size` bytes at `image`; 0 where the size is not known, so that the bundle's
/// own table is believed as far as it is plausible and there is memory to read. What is found has room for an ELF header.
///   Code::not_found    there is none; the message lists what there is
///   Code::corrupt      the table or the entry reaches beyond the end
///   Code::unsupported  the bundle is compressed
flashwave::Result<std::span<const std::byte>> find_in_bundle(const std::byte* image, std::uint64_t known_size, std::string_view target);

}  // namespace hipemu
