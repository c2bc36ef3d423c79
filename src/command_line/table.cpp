#include "command_line/table.hpp"

#include <algorithm>
#include <cstdlib>

namespace flashwave::cli {
namespace {

// Columns that people see, so that a name of Greek letters or a micro sign does not shift what follows.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// An empty cell does not decide where its column stands.
bool is_number(const std::string& text) {
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size();
}

}  // namespace

std::string Table::to_text() const {
    std::vector<std::size_t> widths;
    std::vector<bool> numbers;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        widths.push_back(width_of(columns[c]));
        numbers.push_back(!rows.empty());
        for (const auto& row : rows) {
            widths[c] = std::max(widths[c], width_of(row[c]));
            numbers[c] = numbers[c] && is_number(row[c]);
        }
    }
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string one;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string space(widths[c] - width_of(cells[c]), ' ');
            if (c > 0) one += "  ";
            one += numbers[c] ? space + cells[c] : cells[c] + space;
        }
        one.erase(one.find_last_not_of(' ') + 1);
        text += one + "\n";
    };
    line(columns);
    for (const auto& row : rows) line(row);
    return text;
}

void Table::print(std::FILE* stream) const {
    const std::string text = to_text();
    std::fwrite(text.data(), 1, text.size(), stream);
}

}  // namespace flashwave::cli
