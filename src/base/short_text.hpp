// A text of at most N bytes held in place: copied, compared and hashed without the heap. For keys on the hit path.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace flashwave {

template <std::size_t N>
class ShortText {
    static_assert(N > 0 && N < 256, "the length is one byte");

public:
    static constexpr std::size_t kCapacity = N;

    constexpr ShortText() = default;
    /// From a literal; one that is too long does not compile.
    template <std::size_t M>
        requires(M - 1 <= N)
    constexpr ShortText(const char (&text)[M]) {
        assign(std::string_view(text, M - 1));
    }

    /// False, and unchanged, where the text is too long.
    constexpr bool assign(std::string_view text) {
        if (text.size() > N) return false;
        bytes_ = {};
        for (std::size_t i = 0; i < text.size(); ++i) bytes_[i] = text[i];
        size_ = static_cast<std::uint8_t>(text.size());
        return true;
    }

    constexpr std::string_view view() const { return {bytes_.data(), size_}; }
    constexpr operator std::string_view() const { return view(); }
    constexpr bool empty() const { return size_ == 0; }

    friend constexpr bool operator==(const ShortText&, const ShortText&) = default;
    friend constexpr std::strong_ordering operator<=>(const ShortText& left, const ShortText& right) { return left.view() <=> right.view(); }

private:
    std::array<char, N> bytes_{};
    std::uint8_t size_ = 0;
};

}  // namespace flashwave
