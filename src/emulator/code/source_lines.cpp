#include "emulator/code/source_lines.hpp"

#include "base/worker_channel.hpp"

namespace hipemu {

std::string SourceLines::at(std::uint64_t text_offset) const {
    const auto lines = flashwave::source_lines_of(image_, {text_address_ + text_offset});
    return lines.ok() ? (*lines)[0] : std::string();
}

}  // namespace hipemu
