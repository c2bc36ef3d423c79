#include "emulator/code/readable.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace hipemu {

bool is_readable(const void* from, std::uint64_t bytes) {
    constexpr std::uint64_t kPage = 4096;
    constexpr std::size_t kPagesAtOnce = 1024;  // the system's limit for one call
    const auto first = reinterpret_cast<std::uint64_t>(from);
    if (bytes == 0) return true;
    if (first + bytes < first) return false;
    // One byte of each page is copied to nowhere of interest: the copy ends early where it cannot read, which a plain read would not survive.
    std::vector<iovec> pages;
    std::vector<char> sink(kPagesAtOnce);
    for (std::uint64_t at = first; at < first + bytes; at = (at / kPage + 1) * kPage) {
        pages.push_back({reinterpret_cast<void*>(at), 1});
        const bool last = (at / kPage + 1) * kPage >= first + bytes;
        if (pages.size() < kPagesAtOnce && !last) continue;
        const iovec into{sink.data(), pages.size()};
        const ssize_t copied = process_vm_readv(getpid(), &into, 1, pages.data(), pages.size(), 0);
        if (copied < 0 && errno != EFAULT) return true;
        if (copied != static_cast<ssize_t>(pages.size())) return false;
        pages.clear();
    }
    return true;
}

}  // namespace hipemu
