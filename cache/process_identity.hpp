// Which process a row was written by, and whether it still lives: a process number alone is used again, so its start
// time and the machine's boot go with it. Pure functions over /proc.
#pragma once

#include <cstdint>
#include <string>

namespace flashwave::cache {

struct ProcessIdentity {
    std::string boot_id;
    std::int64_t pid = 0;
    std::int64_t start = 0;  ///< clock ticks after boot
};

ProcessIdentity this_process();
/// false only where it certainly is gone.
bool may_be_alive(const ProcessIdentity& process);

}  // namespace flashwave::cache
