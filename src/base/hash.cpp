#include "base/hash.hpp"

#include <openssl/evp.h>

#include <cstdio>
#include <cstdlib>

namespace flashwave {
namespace {

// libcrypto refuses SHA-256 only when memory is exhausted or its providers are broken: nothing can be cached then.
void require(bool done) {
    if (done) return;
    std::fputs("flashwave: libcrypto cannot compute SHA-256\n", stderr);
    std::abort();
}

}  // namespace

struct Sha256::Context {
    EVP_MD_CTX* evp = EVP_MD_CTX_new();
    Context() { require(evp != nullptr && EVP_DigestInit_ex(evp, EVP_sha256(), nullptr) == 1); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { EVP_MD_CTX_free(evp); }
};

Sha256::Sha256(std::string_view domain) : context_(std::make_unique<Context>()) { field(domain); }
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(const void* data, std::size_t size) { require(EVP_DigestUpdate(context_->evp, data, size) == 1); }

Sha256& Sha256::integer(std::uint64_t value) {
    // Little endian, eight bytes: the bytes of stored fingerprints depend on this.
    std::array<unsigned char, 8> bytes{};
    for (unsigned char& byte : bytes) {
        byte = static_cast<unsigned char>(value & 0xff);
        value >>= 8;
    }
    add(bytes.data(), bytes.size());
    return *this;
}

Sha256& Sha256::field(std::string_view bytes) {
    integer(bytes.size());
    add(bytes.data(), bytes.size());
    return *this;
}

Sha256& Sha256::field(std::span<const std::byte> bytes) {
    return field(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Digest Sha256::finish() {
    Digest digest;
    require(EVP_DigestFinal_ex(context_->evp, reinterpret_cast<unsigned char*>(digest.bytes.data()), nullptr) == 1);
    return digest;
}

Digest sha256(std::string_view bytes) {
    Digest digest;
    require(EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.bytes.data()), nullptr,
                       EVP_sha256(), nullptr) == 1);
    return digest;
}

Digest sha256(std::span<const std::byte> bytes) {
    return sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string Digest::hex() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::byte byte : bytes) {
        text.push_back(kDigits[std::to_integer<unsigned>(byte) >> 4]);
        text.push_back(kDigits[std::to_integer<unsigned>(byte) & 15]);
    }
    return text;
}

std::optional<Digest> Digest::from_hex(std::string_view text) {
    Digest digest;
    if (text.size() != 2 * digest.bytes.size()) return std::nullopt;
    const auto nibble = [](char c) -> int {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        return -1;
    };
    for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
        const int high = nibble(text[2 * i]);
        const int low = nibble(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        digest.bytes[i] = static_cast<std::byte>(high * 16 + low);
    }
    return digest;
}

}  // namespace flashwave
