#include "emulator/runtime/bit_flip.hpp"

#include <utility>

#include <fmt/format.h>

namespace hipemu {
namespace {

template <class Visit>
void each_changed(const Allocation& allocation, const std::vector<std::byte>& before, Visit&& visit) {
    for (std::uint64_t i = 0; i < before.size(); ++i)
        if (allocation.host[i] != before[i]) visit(i);
}

}  // namespace

BitFlip::BitFlip(std::shared_ptr<const MemoryMap> memory) : memory_(std::move(memory)) {
    for (const Allocation& one : memory_->allocations())
        before_.push_back(one.writable ? std::vector<std::byte>(one.host, one.host + one.size) : std::vector<std::byte>());
}

std::string BitFlip::apply(const FlipRule& rule, std::uint64_t draw) const {
    std::uint64_t changed_bytes = 0, changed_buffers = 0;
    const Allocation* buffer = nullptr;
    for (std::size_t i = 0; i < before_.size(); ++i) {
        const Allocation& one = memory_->allocations()[i];
        const std::uint64_t bytes_before = changed_bytes;
        each_changed(one, before_[i], [&](std::uint64_t) { ++changed_bytes; });
        if (changed_bytes != bytes_before && changed_buffers++ == rule.buffer) buffer = &one;
    }
    if (changed_bytes == 0) return "no bit was turned over: the launch changed nothing";

    std::uint64_t byte = rule.byte;
    unsigned bit = rule.bit;
    if (rule.random) {
        std::uint64_t left = draw % changed_bytes;
        bit = static_cast<unsigned>(draw >> 56) % 8;
        for (std::size_t i = 0; i < before_.size(); ++i) {
            const Allocation& one = memory_->allocations()[i];
            each_changed(one, before_[i], [&](std::uint64_t at) {
                if (left-- == 0) buffer = &one, byte = at;
            });
        }
    } else if (!buffer || byte >= buffer->size) {
        return fmt::format("no bit was turned over: the launch changed {} buffers, and byte {} of number {} is not there", changed_buffers, byte,
                           rule.buffer);
    }
    buffer->host[byte] ^= std::byte{1} << bit;
    return fmt::format("bit {} of byte {} of {} was turned over", bit, byte, buffer->label);
}

}  // namespace hipemu
