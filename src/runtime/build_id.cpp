#include "runtime/build_id.hpp"

#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <string_view>

namespace flashwave {
namespace {

struct Search {
    const std::string& path;
    std::string id;
};

// Notes lie one after another, name and contents padded to 4 bytes each.
std::string id_in_notes(const unsigned char* at, const unsigned char* end) {
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const unsigned char* name = at + sizeof note;
        const unsigned char* contents = name + (note.n_namesz + 3) / 4 * 4;
        const unsigned char* next = contents + (note.n_descsz + 3) / 4 * 4;
        if (next > end) break;
        if (note.n_type == NT_GNU_BUILD_ID &&
            std::string_view(reinterpret_cast<const char*>(name), note.n_namesz) == std::string_view("GNU\0", 4)) {
            std::string hex;
            for (const unsigned char* byte = contents; byte < contents + note.n_descsz; ++byte)
                hex += fmt::format("{:02x}", *byte);
            return hex;
        }
        at = next;
    }
    return {};
}

int visit(dl_phdr_info* object, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    if (search.path != object->dlpi_name) return 0;
    for (int i = 0; i < object->dlpi_phnum && search.id.empty(); ++i) {
        const ElfW(Phdr)& header = object->dlpi_phdr[i];
        if (header.p_type != PT_NOTE) continue;
        const auto* begin = reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr);
        search.id = id_in_notes(begin, begin + header.p_memsz);
    }
    return 1;
}

}  // namespace

std::string loaded_build_id(const std::string& path) {
    Search search{path, {}};
    ::dl_iterate_phdr(visit, &search);
    return search.id;
}

}  // namespace flashwave
