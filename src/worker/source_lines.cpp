#include "worker/source_lines.hpp"

namespace flashwave {
namespace {

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

// hiprtc compiles in a folder of its own, whose name says nothing to anyone: what follows is what the author calls the file.
std::string_view known_name(std::string_view path) {
    const std::size_t folder = path.find("/comgr-");
    if (folder == std::string_view::npos) return path;
    for (const std::string_view part : {std::string_view("/input/"), std::string_view("/include/")})
        if (const std::size_t at = path.find(part, folder); at != std::string_view::npos) return path.substr(at + part.size());
    return path;
}

// "function at path:line:column (approximate)" -> "path:line"
std::string place_of(std::string_view line) {
    constexpr std::string_view kAt = " at ";
    const std::size_t at = line.rfind(kAt);
    if (at == std::string_view::npos) return {};
    std::string_view place = line.substr(at + kAt.size());
    if (const std::size_t note = place.rfind(" ("); note != std::string_view::npos) place = place.substr(0, note);
    const std::size_t column = place.rfind(':');
    const std::size_t number = column == std::string_view::npos || column == 0 ? std::string_view::npos : place.rfind(':', column - 1);
    if (number == std::string_view::npos) return {};
    const std::string_view digits = place.substr(number + 1, column - number - 1);
    const std::string_view file = known_name(place.substr(0, number));
    if (!is_number(digits) || digits == "0" || file == "??") return {};
    return std::string(file) + ":" + std::string(digits);
}

}  // namespace

std::string source_line_of(std::string_view text) {
    std::string places;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string place = place_of(text.substr(0, end));
        if (!place.empty()) places += (places.empty() ? "" : ", inlined into ") + place;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return places;
}

}  // namespace flashwave
