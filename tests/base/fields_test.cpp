#include "base/fields.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace {

using namespace flashwave;

enum class Colour { red, green };

constexpr auto enum_names(Colour) { return std::array{EnumName{Colour::red, "red"}, EnumName{Colour::green, "green"}}; }

struct Box {
    Colour colour = Colour::red;
    int width = 0;
    std::uint8_t layers = 1;
    bool open = false;
    ShortText<12> target;
    std::string note;

    static constexpr std::string_view kFieldsOf = "box";
    static constexpr auto fields() {
        return std::tuple{field("colour", &Box::colour), field("width", &Box::width),   field("layers", &Box::layers),
                          field("open", &Box::open),     field("target", &Box::target), field("note", &Box::note)};
    }
    friend bool operator==(const Box& left, const Box& right) { return equal_fields(left, right); }
};

Box sample() {
    return {.colour = Colour::green,
            .width = -7,
            .layers = 200,
            .open = true,
            .target = "gfx1100",
            .note = "a,b=c %\n\"ü\\"};
}

TEST_CASE("text form is canonical and comes back") {
    Box plain = sample();
    plain.note = "x";
    CHECK(to_text(plain) == "colour=green,width=-7,layers=200,open=true,target=gfx1100,note=x");
    CHECK(*parse_text<Box>(to_text(plain)) == plain);
    CHECK(*parse_text<Box>(to_text(sample())) == sample());
    CHECK(*parse_text<Box>("note=x,open=true,colour=green,layers=200,target=gfx1100,width=-7") == plain);
}

TEST_CASE("JSON is one line and comes back") {
    CHECK(to_json(Box{}) == R"({"colour":"red","width":0,"layers":1,"open":false,"target":"","note":""})");
    CHECK(*parse_json<Box>(to_json(sample())) == sample());
    const auto spaced = parse_json_over(Box{}, " { \"width\" : 12 , \"note\":\"\\u0041\\n\" } ");
    REQUIRE(spaced.ok());
    CHECK(spaced->width == 12);
    CHECK(spaced->note == "A\n");
}

TEST_CASE("what is wrong is said in a sentence") {
    CHECK(parse_text<Box>("colour=blue").status().message() ==
          "box: colour='blue' is not allowed; use one of red, green.");
    CHECK(parse_text<Box>("height=1").status().message() ==
          "box: there is no field 'height'; the fields are colour, width, layers, open, target, note.");
    CHECK(parse_text<Box>("colour=red").status().message() == "box: the field 'width' is missing.");
    CHECK(parse_text<Box>("width=1,width=1").status().message() == "box: the field 'width' is given twice.");
    CHECK(parse_text<Box>("layers=256").status().message() ==
          "box: layers='256' is not allowed; use an integer from 0 to 255.");
    CHECK(parse_text<Box>("width=1x").status().code() == Code::invalid_argument);
    CHECK(parse_text<Box>("open=1").status().message() == "box: open='1' is not allowed; use true or false.");
    CHECK(parse_text<Box>("target=longer_than_12").status().message() ==
          "box: target='longer_than_12' is not allowed; use at most 12 characters.");
    CHECK(parse_text<Box>("width").status().message() == "box: 'width' is not of the form name=value.");
    CHECK(parse_text<Box>("note=%4").status().code() == Code::invalid_argument);
}

TEST_CASE("JSON that is not a flat object is refused with the place") {
    for (const char* text :
         {"", "{", "[1]", "{\"width\":[1]}", "{\"width\":{}}", "{\"width\" 1}", "{\"width\":1}x", "{\"note\":\"a}",
          "{\"note\":\"\\q\"}", "{\"note\":\"\\u00e4\"}", "{\"width\":1,}", "{width:1}"}) {
        CAPTURE(text);
        const auto parsed = parse_json_over(Box{}, text);
        CHECK(parsed.status().code() == Code::invalid_argument);
        CHECK(parsed.status().message().find("character") != std::string::npos);
    }
}

TEST_CASE("order and hashes follow every field") {
    std::vector<Box> changed(6, sample());
    changed[0].colour = Colour::red;
    changed[1].width = 8;
    changed[2].layers = 3;
    changed[3].open = false;
    changed[4].target = "gfx1101";
    changed[5].note = "";
    const auto digest = [](const Box& box) {
        Sha256 hash("test 1");
        hash_fields(hash, box);
        return hash.finish();
    };
    CHECK(compare_fields(sample(), sample()) == std::strong_ordering::equal);
    CHECK(digest(sample()) == digest(sample()));
    for (const Box& box : changed) {
        CAPTURE(to_text(box));
        CHECK(compare_fields(box, sample()) != std::strong_ordering::equal);
        CHECK((compare_fields(box, sample()) < 0) == (compare_fields(sample(), box) > 0));
        CHECK_FALSE(equal_fields(box, sample()));
        CHECK(quick_hash(box) != quick_hash(sample()));
        CHECK(digest(box) != digest(sample()));
    }
    Box narrow = sample();
    narrow.width = -100;
    CHECK(compare_fields(narrow, sample()) < 0);
}

TEST_CASE("the command line's words follow from the names") {
    CHECK(flag_name("block_q") == "--block-q");
    CHECK(field_names<Box>() == std::vector<std::string_view>{"colour", "width", "layers", "open", "target", "note"});
}

}  // namespace
