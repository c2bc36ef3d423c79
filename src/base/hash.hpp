// SHA-256 over a canonical byte string: every field is preceded by its length, so that no two lists of fields
// give the same bytes. Fingerprints and keys are made here, never from std::hash or the memory of a struct.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace flashwave {

struct Digest {
    std::array<std::byte, 32> bytes{};

    std::string hex() const;  ///< 64 lower-case digits.
    static std::optional<Digest> from_hex(std::string_view text);
    std::span<const std::byte> span() const { return bytes; }

    friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// Collects fields, then gives their digest. One thread at a time.
class Sha256 {
public:
    /// `domain` names what is hashed and the version of its field list ("kernel 1"): a changed list is another domain.
    explicit Sha256(std::string_view domain);
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;
    ~Sha256();

    Sha256& field(std::string_view bytes);
    Sha256& field(const char* text) { return field(std::string_view(text)); }
    Sha256& field(std::span<const std::byte> bytes);
    Sha256& field(const Digest& digest) { return field(digest.span()); }
    template <std::integral T>
    Sha256& field(T value) {
        return integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    }

    /// Ends the collection; the object is of no further use.
    Digest finish();

private:
    Sha256& integer(std::uint64_t value);
    void add(const void* data, std::size_t size);

    struct Context;
    std::unique_ptr<Context> context_;
};

/// Plain SHA-256 of the bytes, as sha256sum prints it.
Digest sha256(std::span<const std::byte> bytes);
Digest sha256(std::string_view bytes);

}  // namespace flashwave
