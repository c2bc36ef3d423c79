#include "base/file_system.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/vfs.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include "base/file.hpp"
#include "base/settings.hpp"

namespace flashwave {
namespace {

struct KnownFileSystem {
    std::uint32_t magic;
    FileSystemKind kind;
    const char* name;
};

// Numbers of linux/magic.h and of the file systems' own sources. Network ones may have no working locks between
// machines.
constexpr KnownFileSystem kKnown[] = {
    {0x0000ef53, FileSystemKind::local, "ext4"},     {0x58465342, FileSystemKind::local, "xfs"},
    {0x9123683e, FileSystemKind::local, "btrfs"},    {0x2fc12fc1, FileSystemKind::local, "zfs"},
    {0x01021994, FileSystemKind::local, "tmpfs"},    {0x794c7630, FileSystemKind::local, "overlayfs"},
    {0xf2f52010, FileSystemKind::local, "f2fs"},     {0xca451a4e, FileSystemKind::local, "bcachefs"},
    {0x858458f6, FileSystemKind::local, "ramfs"},    {0x73717368, FileSystemKind::local, "squashfs"},
    {0x00006969, FileSystemKind::network, "nfs"},    {0xff534d42, FileSystemKind::network, "cifs"},
    {0xfe534d42, FileSystemKind::network, "smb2"},   {0x0000517b, FileSystemKind::network, "smb"},
    {0x0bd00bd0, FileSystemKind::network, "lustre"}, {0x00c36400, FileSystemKind::network, "ceph"},
    {0x5346414f, FileSystemKind::network, "afs"},    {0x6b414653, FileSystemKind::network, "kafs"},
    {0x01021997, FileSystemKind::network, "9p"},     {0x47504653, FileSystemKind::network, "gpfs"},
    {0x73757245, FileSystemKind::network, "coda"},   {0x7461636f, FileSystemKind::network, "ocfs2"},
    {0x65735546, FileSystemKind::unknown, "fuse"},
};

std::string find_own_directory() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&find_own_directory), &info) == 0 || info.dli_fname == nullptr)
        return {};
    // For a program the name is what it was started as, which may be relative to a directory long left.
    const char* name = info.dli_fname[0] == '/' ? info.dli_fname : "/proc/self/exe";
    Result<FileIdentity> file = identify_file(name);
    return file.ok() ? directory_of(file->real_path) : std::string();
}

}  // namespace

Result<FileSystem> file_system_of(const std::string& path) {
    struct statfs facts {};
    std::string existing = path;
    while (::statfs(existing.c_str(), &facts) != 0) {
        if (errno != ENOENT || existing == "/" || existing == ".")
            return errno_status(errno, "cannot examine the file system of", existing);
        existing = directory_of(existing);
    }
    const auto magic = static_cast<std::uint32_t>(facts.f_type);
    for (const KnownFileSystem& known : kKnown)
        if (known.magic == magic) return FileSystem{known.kind, known.name};
    return FileSystem{FileSystemKind::unknown, fmt::format("{:#x}", magic)};
}

const std::string& own_directory() {
    static const std::string directory = find_own_directory();
    return directory;
}

Result<std::string> find_program(std::string_view program) {
    std::vector<std::string> places;
    if (const std::string& named = settings().libexec_directory; !named.empty()) {
        places.push_back(named);
    } else if (const std::string& own = own_directory(); !own.empty()) {
        // Beside us, as built and between the helpers themselves; installed, as seen by a program, the library, and the
        // emulator, which lies one directory below the library.
        places = {own, own + "/../bin", own + "/" FLASHWAVE_LIBEXEC_FROM_BIN, own + "/" FLASHWAVE_LIBEXEC_FROM_LIB,
                  own + "/../" FLASHWAVE_LIBEXEC_FROM_LIB};
    }
    for (const std::string& place : places) {
        const std::string path = fmt::format("{}/{}", place, program);
        if (!is_executable_file(path)) continue;
        if (Result<FileIdentity> file = identify_file(path); file.ok()) return file->real_path;
    }
    return Status(Code::not_found,
                  fmt::format("{} was not found in {}; set FLASHWAVE_LIBEXEC to its directory.", program,
                              places.empty() ? std::string("any place") : fmt::format("{}", fmt::join(places, ", "))));
}

}  // namespace flashwave
