// The .npy reader takes nothing on trust: whatever the bytes, it gives an array that agrees with itself or a sentence.
#include "command_line/npy.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>

namespace flashwave::cli {
namespace {

const std::vector<std::int64_t> kShape = {2, 3, 4, 5};

std::string some_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    std::iota(bytes.begin(), bytes.end(), '\1');
    return bytes;
}

std::string file_with_header(const std::string& header, const std::string& data = {}) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes.push_back(static_cast<char>(header.size() & 0xff));
    bytes.push_back(static_cast<char>(header.size() >> 8));
    return bytes + header + data;
}

// What was read may be anything, but it must be consistent: nothing beyond the file is ever claimed.
bool consistent(const Result<NpyArray>& array, const std::string& file) {
    if (!array.ok()) return array.status().code() == Code::invalid_argument && !array.status().message().empty();
    return array->data.size() <= file.size() && array->shape.size() <= 32;
}

}  // namespace

TEST_CASE("an array survives writing and reading") {
    for (const auto& shape : {std::vector<std::int64_t>{2, 3, 4, 5}, {120}, {}, {0}, {3, 0, 7}}) {
        CAPTURE(shape.size());
        const auto elements = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
        const std::string data = some_bytes(static_cast<std::size_t>(elements) * 2);
        const std::string file = format_npy("<f2", shape, data);
        CHECK((file.size() - data.size()) % 64 == 0);
        const auto array = parse_npy(file);
        REQUIRE_MESSAGE(array.ok(), array.status().message());
        CHECK(array->descr == "<f2");
        CHECK(array->shape == shape);
        CHECK(array->data == data);
    }
}

TEST_CASE("the writer's bytes are those of NumPy") {
    const std::int64_t shape[] = {1, 2};
    const std::string file = format_npy("<f2", shape, "abcd");
    const std::string header = "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }";
    CHECK(file ==
          std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string(117 - header.size(), ' ') + "\nabcd");
}

TEST_CASE("version 2.0 and other spellings of the header are read") {
    const std::string header = "{\"shape\":(2,),\n 'fortran_order':False,'descr':\"|V2\"}";
    std::string file("\x93NUMPY\x02\x00", 8);
    file.push_back(static_cast<char>(header.size()));
    file += std::string(3, '\0') + header + "abcd";
    const auto array = parse_npy(file);
    REQUIRE_MESSAGE(array.ok(), array.status().message());
    CHECK(array->descr == "|V2");
    CHECK(array->shape == std::vector<std::int64_t>{2});
}

TEST_CASE("what cannot be used is refused with the reason") {
    struct Case {
        const char* header;
        const char* reason;
    };
    const Case cases[] = {
        {"{'descr': '<f2', 'fortran_order': True, 'shape': (2,), }", "Fortran order"},
        {"{'descr': '>f2', 'fortran_order': False, 'shape': (2,), }", "element type is '>f2'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "element type is '|O'"},
        {"{'descr': '<f0', 'fortran_order': False, 'shape': (2,), }", "element type is '<f0'"},
        {"{'descr': '<f99999999999', 'fortran_order': False, 'shape': (2,), }", "element type is"},
        {"{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (2,), }", "dictionary"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", "needs 6 bytes of data, and the file has 4"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", "needs 2 bytes of data, and the file has 4"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "more than 2^63"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (9223372036854775807, 2), }", "more than 2^63"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (9223372036854775808,), }", "dictionary"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (-1, -2), }", "dictionary"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, }", "dictionary"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2), }",
         "dictionary"},
        {"{'descr': '<f2', 'fortran_order': False}", "dictionary"},
        {"{'descr': '<f2', 'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", "dictionary"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,), } x", "dictionary"},
        {"", "dictionary"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.header);
        const auto array = parse_npy(file_with_header(one.header, "abcd"));
        REQUIRE_FALSE(array.ok());
        CHECK(array.status().code() == Code::invalid_argument);
        CHECK_MESSAGE(array.status().message().find(one.reason) != std::string::npos, array.status().message());
    }
    CHECK(parse_npy("PK\3\4 a zip file").status().message() == "this is not a .npy file");
    std::string other_version("\x93NUMPY\x03\x00", 8);
    CHECK(parse_npy(other_version + std::string(100, ' ')).status().message() ==
          "the .npy format version is 3.0; 1.0 and 2.0 are read");
    // A header length beyond the file, and one that would be 4 GiB.
    CHECK_FALSE(parse_npy(std::string("\x93NUMPY\x01\x00\xff\xff", 10)).ok());
    CHECK_FALSE(parse_npy(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)).ok());
}

TEST_CASE("every truncation is refused") {
    const std::string file = format_npy("<f2", kShape, some_bytes(240));
    for (std::size_t size = 0; size < file.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(parse_npy(std::string_view(file).substr(0, size)).ok());
    }
}

TEST_CASE("any changed byte of the header gives a consistent array or a sentence") {
    const std::string file = format_npy("<f2", kShape, some_bytes(240));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < file.size() - 240; ++at)
        for (int value = 0; value < 256; ++value) {
            std::string changed = file;
            changed[at] = static_cast<char>(value);
            const auto array = parse_npy(changed);
            refused += array.ok() ? 0 : 1;
            REQUIRE_MESSAGE(consistent(array, changed), "byte " << at << " = " << value);
        }
    CHECK(refused > 10000);
}

TEST_CASE("a file that is not there is named") {
    const auto array = read_npy("/nonexistent/q.npy");
    REQUIRE_FALSE(array.ok());
    CHECK(array.status().code() == Code::invalid_argument);
    CHECK(array.status().message().find("/nonexistent/q.npy") != std::string::npos);
}

}  // namespace flashwave::cli
