#include "emulator/state/absent_service.hpp"

#include <cstddef>
#include <iterator>

#include "emulator/state/wave.hpp"

namespace hipemu {
namespace {

constexpr std::uint64_t kSpacing = std::uint64_t{1} << 48;  // as between the dispatch packet and the queue
constexpr std::uint64_t kReach = std::uint64_t{1} << 32;    // offsets from one, either way

struct Service {
    std::string_view kind, name;
};
// The kinds are those of LLVM's AMDGPU usage guide. A default queue and a completion action may be null.
constexpr Service kServices[] = {
    {"hidden_queue_ptr", "the queue's own structure, which the emulator does not have"},
    {"hidden_hostcall_buffer", "the buffer of calls to the host, which the emulator does not have: printf, the message of assert and, in code "
                               "objects of version 4, malloc use it"},
    {"hidden_heap_v1", "the heap of malloc and new in kernels, which the emulator does not have"},
    {"hidden_printf_buffer", "the buffer of printf, which the emulator does not have"},
};

}  // namespace

std::uint64_t address_of_absent(std::string_view argument_kind) {
    for (std::size_t i = 0; i < std::size(kServices); ++i)
        if (kServices[i].kind == argument_kind) return kQueueAddress + i * kSpacing;
    return 0;
}

std::string_view absent_service_at(std::uint64_t address) {
    for (std::size_t i = 0; i < std::size(kServices); ++i)
        if (address - (kQueueAddress + i * kSpacing - kReach) < 2 * kReach) return kServices[i].name;
    return {};
}

}  // namespace hipemu
