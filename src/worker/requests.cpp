#include "worker/requests.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace flashwave {
namespace {

constexpr std::string_view kMark = "flashwave compiler: ";
// The options that spare hiprtc its own header: 0.05 s instead of 0.23 s for a small kernel.
const std::vector<std::string> kFreestanding{"--hiprtc-no-builtin-header", "-nogpuinc"};

// What the compiler calls itself, as a constant of a code object.
CompileJob name_job() {
    return {.target = "gfx1100",
            .main_file = "name.hip",
            .files = {{.name = "name.hip",
                       .text = "extern \"C\" __attribute__((device, used)) const char name[] = \"" +
                               std::string(kMark) + "\" __VERSION__;\n"}},
            .options = kFreestanding};
}

CompileJob smallest_job(const std::string& target) {
    return {.target = target,
            .main_file = "smallest.hip",
            .files = {{.name = "smallest.hip",
                       .text = "extern \"C\" __attribute__((global)) void smallest(int* out) { *out = 1; }\n"}},
            .options = kFreestanding};
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }  // npos + 1 is 0

std::string build_id(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        const char* note = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
        const char* const end = note + segment.p_memsz;
        while (note + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) header;
            std::memcpy(&header, note, sizeof header);
            const char* const owner = note + sizeof header;
            const char* const content = owner + ((header.n_namesz + 3u) & ~3u);
            if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(owner, "GNU", 4) == 0) {
                static constexpr char kDigits[] = "0123456789abcdef";
                std::string hex;
                for (std::size_t byte = 0; byte < header.n_descsz; ++byte) {
                    hex.push_back(kDigits[static_cast<unsigned char>(content[byte]) >> 4]);
                    hex.push_back(kDigits[static_cast<unsigned char>(content[byte]) & 15]);
                }
                return hex;
            }
            note = content + ((header.n_descsz + 3u) & ~3u);
        }
    }
    return {};
}

// Of all loaded libraries those whose code decides what a kernel becomes.
int collect_library(dl_phdr_info* object, std::size_t, void* into) {
    const std::string name = file_name(object->dlpi_name);
    bool counts = false;
    for (const char* stem : {"libhiprtc", "libamd_comgr", "libLLVM", "libclang", "liblld", "libamdhip64"})
        counts = counts || name.starts_with(stem);
    if (counts) {
        const std::unique_ptr<char, decltype(&std::free)> real(::realpath(object->dlpi_name, nullptr), &std::free);
        static_cast<std::vector<ToolchainLibrary>*>(into)->push_back(
            {.name = name, .path = real ? real.get() : object->dlpi_name, .build_id = build_id(*object)});
    }
    return 0;
}

}  // namespace

Status Requests::load() {
    // comgr first and by path: hiprtc then finds this very one under its soname.
    if (!comgr_) {
        Result<Comgr> comgr = Comgr::load(options_.comgr);
        if (!comgr.ok()) return comgr.status();
        comgr_ = *comgr;
    }
    if (!hiprtc_) {
        Result<Hiprtc> hiprtc = Hiprtc::load(options_.hiprtc);
        if (!hiprtc.ok()) return hiprtc.status();
        hiprtc_ = *hiprtc;
    }
    return {};
}

Fields Requests::hello() {
    Result<CompiledObject> named = hiprtc_->compile(name_job());
    if (!named.ok()) return encode_error(named.status());
    WorkerIdentity identity;
    identity.protocol = kWorkerProtocol;
    if (const std::size_t at = named->code.find(kMark); at != std::string::npos)
        identity.compiler = named->code.c_str() + at + kMark.size();
    identity.comgr_version = comgr_->version();
    identity.hiprtc_version = hiprtc_->version();
    // After a compile everything that takes part has been loaded.
    ::dl_iterate_phdr(&collect_library, &identity.libraries);
    std::sort(identity.libraries.begin(), identity.libraries.end(),
              [](const auto& left, const auto& right) { return left.name < right.name; });
    return encode(identity);
}

Fields Requests::compile(const Fields& request) {
    Result<CompileJob> job = decode_compile_job(request);
    if (!job.ok()) return encode_error(job.status());
    Result<CompiledObject> object = checked_compile(*job);
    if (!object.ok()) return encode_error(object.status());
    return {"ok", std::move(object->code), std::move(object->log)};
}

Fields Requests::list(const Fields& request) {
    if (request.size() != 3)
        return encode_error(Status(Code::invalid_argument, "a listing request has a target and a code object."));
    Result<std::string> text = comgr_->list(request[2], request[1]);
    if (!text.ok()) return encode_error(text.status());
    return {"ok", std::move(*text)};
}

Fields Requests::source_lines(const Fields& request) {
    std::vector<std::uint64_t> addresses;
    for (std::size_t i = 2; i < request.size(); ++i) {
        const char* const end = request[i].data() + request[i].size();
        std::uint64_t address = 0;
        if (const auto read = std::from_chars(request[i].data(), end, address); read.ec != std::errc() || read.ptr != end) break;
        addresses.push_back(address);
    }
    if (request.size() < 2 || addresses.size() != request.size() - 2)
        return encode_error(Status(Code::invalid_argument, "a request for source lines has a code object and addresses."));
    Result<std::vector<std::string>> lines = comgr_->source_lines(request[1], addresses);
    if (!lines.ok()) return encode_error(lines.status());
    lines->insert(lines->begin(), "ok");
    return std::move(*lines);
}

// hiprtc does not refuse a target or feature that it does not know: it ends the process ("free(): invalid pointer"
// in 6.4.3).
Result<CompiledObject> Requests::checked_compile(const CompileJob& job) {
    if (!comgr_->knows(job.target)) {
        std::string names;
        for (const std::string& one : comgr_->targets()) names += (names.empty() ? "" : ", ") + one;
        return Status(Code::unsupported, "this compiler has no target '" + job.target + "'; it has " + names + ".");
    }
    return hiprtc_->compile(job);
}

Fields Requests::targets(const Fields& request) {
    std::vector<std::string> wanted(request.begin() + 1, request.end());
    if (wanted.empty()) wanted = comgr_->targets();
    Fields answer{"ok"};
    for (const std::string& target : wanted)
        if (checked_compile(smallest_job(target)).ok()) answer.push_back(target);
    return answer;
}

Fields Requests::answer(const Fields& request) {
    const std::string verb = request.empty() ? std::string() : request[0];
    if (verb != "hello" && verb != "compile" && verb != "list" && verb != "lines" && verb != "targets")
        return encode_error(Status(Code::invalid_argument, "the worker knows no request '" + verb + "'."));
    if (Status loaded = load(); !loaded.ok())
        return encode_error(
            Status(Code::unavailable,
                   loaded.message() + "; run scripts/fetch-rocm, install ROCm 6 or newer, or set FLASHWAVE_ROCM."));
    if (verb == "hello") return hello();
    if (verb == "compile") return compile(request);
    if (verb == "list") return list(request);
    if (verb == "lines") return source_lines(request);
    return targets(request);
}

}  // namespace flashwave
