#include "base/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace flashwave {

std::string flag_name(std::string_view field_name) {
    std::string flag = "--";
    for (const char c : field_name) flag.push_back(c == '_' ? '-' : c);
    return flag;
}

namespace detail {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Result<std::string> unescape_value(std::string_view value, std::string_view what) {
    std::string text;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] != '%') {
            text.push_back(value[i]);
            continue;
        }
        const int high = i + 2 < value.size() ? hex_digit(value[i + 1]) : -1;
        const int low = i + 2 < value.size() ? hex_digit(value[i + 2]) : -1;
        if (high < 0 || low < 0)
            return Status(Code::invalid_argument,
                          fmt::format("{}: '%' in '{}' is not followed by two hex digits.", what, value));
        text.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return text;
}

// A reader of one flat JSON object. Nested values are refused: no field has one.
class FlatJson {
  public:
    FlatJson(std::string_view text, std::string_view what) : text_(text), what_(what) {}

    Result<NamedValues> object() {
        NamedValues values;
        if (!take('{')) return wrong("'{' is expected");
        if (!take('}')) {
            do {
                Result<std::string> name = string();
                if (!name.ok()) return name.status();
                if (!take(':')) return wrong("':' is expected");
                Result<std::string> value = peek() == '"' ? string() : word();
                if (!value.ok()) return value.status();
                values.emplace_back(std::move(*name), std::move(*value));
            } while (take(','));
            if (!take('}')) return wrong("',' or '}' is expected");
        }
        if (peek() != '\0') return wrong("text follows the object");
        return values;
    }

  private:
    char peek() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
            ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    Status wrong(std::string_view why) const {
        return Status(Code::invalid_argument,
                      fmt::format("{}: not a flat JSON object: {} at character {}.", what_, why, at_ + 1));
    }

    // A number or a boolean, as it stands.
    Result<std::string> word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-')) ++at_;
        if (at_ == begin) return wrong("an integer, true, false or a string is expected");
        return std::string(text_.substr(begin, at_ - begin));
    }

    Result<std::string> string() {
        if (!take('"')) return wrong("a string is expected");
        std::string value;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"') return value;
            if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character stands in a string");
            if (c != '\\') {
                value.push_back(c);
                continue;
            }
            const char escaped = at_ < text_.size() ? text_[at_++] : '\0';
            switch (escaped) {
                case '"':
                case '\\':
                case '/': value.push_back(escaped); break;
                case 'b': value.push_back('\b'); break;
                case 'f': value.push_back('\f'); break;
                case 'n': value.push_back('\n'); break;
                case 'r': value.push_back('\r'); break;
                case 't': value.push_back('\t'); break;
                case 'u': {
                    int code = 0;
                    for (int i = 0; i < 4; ++i) {
                        const int digit = at_ < text_.size() ? hex_digit(text_[at_++]) : -1;
                        if (digit < 0) return wrong("four hex digits are expected");
                        code = code * 16 + digit;
                    }
                    // Our own writer escapes control characters only; the rest of Unicode stands as UTF-8.
                    if (code > 0x7f) return wrong("an escape beyond ASCII is not taken; write UTF-8");
                    value.push_back(static_cast<char>(code));
                    break;
                }
                default: return wrong("an unknown escape");
            }
        }
        return wrong("the string has no end");
    }

    std::string_view text_;
    std::string_view what_;
    std::size_t at_ = 0;
};

}  // namespace

std::string escape_value(std::string_view value) {
    std::string text;
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte == 0x7f || c == ',' || c == '=' || c == '%') text.append(fmt::format("%{:02x}", byte));
        else text.push_back(c);
    }
    return text;
}

std::string quote_json(std::string_view value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') text.append({'\\', c});
        else if (static_cast<unsigned char>(c) < 0x20)
            text.append(fmt::format("\\u{:04x}", static_cast<unsigned char>(c)));
        else text.push_back(c);
    }
    return text.append("\"");
}

Result<NamedValues> split_text(std::string_view text, std::string_view what) {
    NamedValues values;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return Status(Code::invalid_argument, fmt::format("{}: '{}' is not of the form name=value.", what, item));
        Result<std::string> value = unescape_value(item.substr(equals + 1), what);
        if (!value.ok()) return value.status();
        values.emplace_back(std::string(item.substr(0, equals)), std::move(*value));
    }
    return values;
}

Result<NamedValues> split_json(std::string_view text, std::string_view what) { return FlatJson(text, what).object(); }

Status unknown_field(std::string_view what, std::string_view name, const std::vector<std::string_view>& known) {
    return Status(Code::invalid_argument,
                  fmt::format("{}: there is no field '{}'; the fields are {}.", what, name, fmt::join(known, ", ")));
}
Status missing_field(std::string_view what, std::string_view name) {
    return Status(Code::invalid_argument, fmt::format("{}: the field '{}' is missing.", what, name));
}
Status repeated_field(std::string_view what, std::string_view name) {
    return Status(Code::invalid_argument, fmt::format("{}: the field '{}' is given twice.", what, name));
}
Status bad_value(std::string_view what, std::string_view name, std::string_view value, std::string_view allowed) {
    return Status(Code::invalid_argument,
                  fmt::format("{}: {}='{}' is not allowed; use {}.", what, name, value, allowed));
}

}  // namespace detail
}  // namespace flashwave
