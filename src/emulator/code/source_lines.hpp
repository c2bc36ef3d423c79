// The lines of the source that a code object's instructions come from, for findings. An object that was compiled with -g keeps its bytes for
// it; a worker looks a line up when a finding occurs, which takes about a tenth of a second. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace hipemu {

class SourceLines {
public:
    /// `text_address`: of the text section in the object's own numbering.
    SourceLines(std::span<const std::byte> image, std::uint64_t text_address)
        : image_(reinterpret_cast<const char*>(image.data()), image.size()), text_address_(text_address) {}

    /// "kernel.hip:17", or "tile.h:2, inlined into kernel.hip:17"; empty where no line is known or there is no worker to ask.
    std::string at(std::uint64_t text_offset) const;

private:
    std::string image_;
    std::uint64_t text_address_;
};

}  // namespace hipemu
