#include "cache/process_identity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace flashwave::cache {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string boot_id() { return first_line("/proc/sys/kernel/random/boot_id"); }

// Field 22 of /proc/PID/stat; the second field is the program's name in parentheses and may contain anything. 0: no
// such process.
std::int64_t start_of(std::int64_t pid) {
    const std::string line = first_line(fmt::format("/proc/{}/stat", pid));
    const std::size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream rest(line.substr(name_end + 1));
    std::string word;
    for (int field = 3; field <= 22; ++field) rest >> word;
    return word.empty() ? 0 : std::strtoll(word.c_str(), nullptr, 10);
}

}  // namespace

ProcessIdentity this_process() { return {boot_id(), ::getpid(), start_of(::getpid())}; }

bool may_be_alive(const ProcessIdentity& process) {
    return process.boot_id == boot_id() && start_of(process.pid) == process.start;
}

}  // namespace flashwave::cache
