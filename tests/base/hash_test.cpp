#include "base/hash.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace {

using namespace flashwave;

TEST_CASE("sha256 gives the published digests") {
    CHECK(sha256(std::string_view()).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a digest comes back from its hex form, and from nothing else") {
    const Digest digest = sha256("abc");
    CHECK(Digest::from_hex(digest.hex()) == digest);
    CHECK_FALSE(Digest::from_hex(digest.hex().substr(1)).has_value());
    CHECK_FALSE(Digest::from_hex(std::string(63, '0') + "g").has_value());
    CHECK_FALSE(Digest::from_hex("").has_value());
}

TEST_CASE("fields cannot run into each other") {
    const auto digest = [](std::string_view domain, const std::vector<std::string_view>& fields) {
        Sha256 hash(domain);
        for (const std::string_view one : fields) hash.field(one);
        return hash.finish();
    };
    CHECK(digest("d", {"ab", "c"}) == digest("d", {"ab", "c"}));
    CHECK(digest("d", {"ab", "c"}) != digest("d", {"a", "bc"}));
    CHECK(digest("d", {"ab", "c"}) != digest("d", {"abc"}));
    CHECK(digest("d", {"a"}) != digest("da", {}));
    CHECK(digest("d", {"", "a"}) != digest("d", {"a", ""}));
    CHECK(digest("d 1", {"a"}) != digest("d 2", {"a"}));
}

TEST_CASE("the bytes of a fingerprint are fixed") {
    // Stored fingerprints depend on this digest: little-endian 64-bit lengths and integers.
    // printf '\x04\0\0\0\0\0\0\0test\x02\0\0\0\0\0\0\0hi\xfe\xff\xff\xff\xff\xff\xff\xff' | sha256sum
    Sha256 hash("test");
    hash.field("hi").field(-2);
    CHECK(hash.finish().hex() == "313f5458364f4131a3ce7275c019f71d6abbc3db5cd81b59a71e042c31644c7a");
}

}  // namespace
