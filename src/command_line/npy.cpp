#include "command_line/npy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/file.hpp"

namespace flashwave::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLargestHeader = 65536;  // NumPy's own writers stay below 200 bytes for plain arrays
constexpr std::size_t kLargestNpyFile = std::size_t{1} << 36;
constexpr std::size_t kMostDimensions = 32;  // NumPy's limit

Status refuse(std::string sentence) { return Status(Code::invalid_argument, std::move(sentence)); }

// The header is a Python dictionary of three known entries; this reads just that language.
class HeaderReader {
  public:
    explicit HeaderReader(std::string_view text) : rest_(text) {}

    bool accept(char wanted) {
        skip_spaces();
        if (rest_.empty() || rest_.front() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool accept_word(std::string_view wanted) {
        skip_spaces();
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(wanted.size());
        return true;
    }
    std::optional<std::string_view> quoted() {
        skip_spaces();
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }
    std::optional<std::int64_t> number() {
        skip_spaces();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc() || value < 0) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }
    bool at_end() {
        skip_spaces();
        return rest_.empty();
    }

  private:
    void skip_spaces() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    std::string_view rest_;
};

struct Header {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
};

bool read_shape(HeaderReader& reader, std::vector<std::int64_t>& shape) {
    if (!reader.accept('(')) return false;
    for (;;) {
        if (reader.accept(')')) return true;
        const auto extent = reader.number();
        if (!extent || shape.size() == kMostDimensions) return false;
        shape.push_back(*extent);
        if (!reader.accept(',')) return reader.accept(')');
    }
}

bool read_entry(HeaderReader& reader, Header& header) {
    const auto key = reader.quoted();
    if (!key || !reader.accept(':')) return false;
    if (*key == "descr" && !header.descr) {
        const auto text = reader.quoted();
        if (text) header.descr = std::string(*text);
        return text.has_value();
    }
    if (*key == "fortran_order" && !header.fortran_order) {
        const bool yes = reader.accept_word("True");
        if (yes || reader.accept_word("False")) header.fortran_order = yes;
        return header.fortran_order.has_value();
    }
    if (*key == "shape" && !header.shape) {
        header.shape.emplace();
        return read_shape(reader, *header.shape);
    }
    return false;
}

bool read_header(std::string_view text, Header& header) {
    HeaderReader reader(text);
    if (!reader.accept('{')) return false;
    while (!reader.accept('}')) {
        if (!read_entry(reader, header)) return false;
        if (reader.accept(',')) continue;
        if (!reader.accept('}')) return false;
        break;
    }
    return reader.at_end() && header.descr && header.fortran_order && header.shape;
}

// Bytes of an element of a plain type, "<f2" is 2; nothing for others.
std::optional<std::uint64_t> element_size(std::string_view descr) {
    if (descr.size() < 3 || (descr[0] != '<' && descr[0] != '|' && descr[0] != '=')) return std::nullopt;
    if (std::string_view("fiubcV").find(descr[1]) == std::string_view::npos) return std::nullopt;
    unsigned size = 0;
    const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), size);
    if (error != std::errc() || end != descr.data() + descr.size() || size == 0 || size > 16) return std::nullopt;
    return size;
}

// Bytes of the whole array; nothing where they are beyond 2^63.
std::optional<std::uint64_t> data_size(std::span<const std::int64_t> shape, std::uint64_t element) {
    for (const std::int64_t extent : shape)
        if (extent == 0) return 0;  // whatever the others are
    std::int64_t bytes = static_cast<std::int64_t>(element);
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
}

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::string shape_text(std::span<const std::int64_t> shape) {
    return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace

Result<NpyArray> parse_npy(std::string_view bytes) {
    if (!bytes.starts_with(kMagic) || bytes.size() < 10) return refuse("this is not a .npy file");
    const int major = static_cast<unsigned char>(bytes[6]);
    if (major != 1 && major != 2)
        return refuse(fmt::format("the .npy format version is {}.{}; 1.0 and 2.0 are read", major,
                                  static_cast<unsigned char>(bytes[7])));
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t header_begin = 8 + length_bytes;
    if (bytes.size() < header_begin) return refuse("the file ends inside its header");
    const std::uint32_t header_size = little_endian(bytes.substr(8, length_bytes));
    if (header_size > kLargestHeader)
        return refuse(fmt::format("the header has {} bytes; at most {} are read", header_size, kLargestHeader));
    if (bytes.size() - header_begin < header_size) return refuse("the file ends inside its header");

    Header header;
    if (!read_header(bytes.substr(header_begin, header_size), header))
        return refuse(
            "the header is not the dictionary of descr, fortran_order and shape that NumPy writes for a plain array");
    if (*header.fortran_order)
        return refuse("the array is stored in Fortran order; save it in C order (numpy.ascontiguousarray)");
    const auto element = element_size(*header.descr);
    if (!element)
        return refuse(fmt::format("the element type is '{}'; a little-endian plain type is needed", *header.descr));
    const auto size = data_size(*header.shape, *element);
    const std::string_view data = bytes.substr(header_begin + header_size);
    if (!size || data.size() != *size)
        return refuse(fmt::format("shape {} of '{}' needs {} bytes of data, and the file has {}",
                                  shape_text(*header.shape), *header.descr,
                                  size ? std::to_string(*size) : "more than 2^63", data.size()));
    return NpyArray{.descr = *std::move(header.descr), .shape = *std::move(header.shape), .data = std::string(data)};
}

std::string format_npy(std::string_view descr, std::span<const std::int64_t> shape, std::string_view data) {
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape_text(shape));
    // The data begin at a multiple of 64 bytes, so that they can be mapped: 10 bytes, the header, spaces, a line's end.
    constexpr std::size_t kPrefix = 10, kAlignment = 64;
    const std::size_t used = kPrefix + header.size() + 1;
    header.append((kAlignment - used % kAlignment) % kAlignment, ' ').push_back('\n');
    std::string bytes(kMagic);
    bytes.append({'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)});
    return bytes.append(header).append(data);
}

Result<NpyArray> read_npy(const std::string& path) {
    auto bytes = read_file(path, kLargestNpyFile);
    if (!bytes) return refuse(bytes.status().message());
    auto array = parse_npy(*bytes);
    if (!array) return array.status().with_context(path);
    return array;
}

}  // namespace flashwave::cli
