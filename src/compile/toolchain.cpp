#include "compile/toolchain.hpp"

#include <nlohmann/json.hpp>

#include <optional>

#include "base/file.hpp"
#include "base/log.hpp"
#include "compile/kernel_files.hpp"

namespace flashwave {
namespace {

using nlohmann::json;

constexpr const char* kFileName = "toolchain.json";
constexpr int kFormat = 1;
constexpr std::size_t kLargestMemory = 1 << 20;

// What must be as it was for the remembered identity to hold: the way the worker is started, and each library's file.
json way_of(const WorkerLaunch& launch) { return {launch.loader, launch.library_path, launch.hiprtc, launch.comgr}; }

bool same_file(const json& remembered) {
    const Result<FileIdentity> file = identify_file(remembered.at("path").get<std::string>());
    return file.ok() && file->real_path == remembered.at("path") && file->size == remembered.at("size") &&
           file->modified_ns == remembered.at("modified_ns");
}

std::optional<WorkerIdentity> recall(const std::string& path, const WorkerLaunch& launch) {
    const Result<std::string> text = read_file(path, kLargestMemory);
    if (!text.ok()) return std::nullopt;
    const json memory = json::parse(*text, nullptr, false);
    // Anything that is not as we write it is as good as nothing; type errors of a damaged file end here.
    try {
        if (memory.at("format") != kFormat || memory.at("protocol") != kWorkerProtocol ||
            memory.at("launch") != way_of(launch))
            return std::nullopt;
        WorkerIdentity identity{.protocol = std::string(kWorkerProtocol),
                                .compiler = memory.at("compiler"),
                                .comgr_version = memory.at("comgr_version"),
                                .hiprtc_version = memory.at("hiprtc_version"),
                                .libraries = {}};
        // The two that are asked for by path may be links that point elsewhere now.
        for (const json& pair : memory.at("links"))
            if (const auto file = identify_file(pair.at(0)); !file.ok() || file->real_path != pair.at(1))
                return std::nullopt;
        for (const json& library : memory.at("libraries")) {
            if (!same_file(library)) return std::nullopt;
            identity.libraries.push_back(
                {.name = library.at("name"), .path = library.at("path"), .build_id = library.at("build_id")});
        }
        if (identity.libraries.empty()) return std::nullopt;
        return identity;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

Status remember(const std::string& path, const WorkerLaunch& launch, const WorkerIdentity& identity) {
    json libraries = json::array();
    for (const ToolchainLibrary& library : identity.libraries) {
        Result<FileIdentity> file = identify_file(library.path);
        if (!file.ok()) return file.status();
        libraries.push_back({{"name", library.name},
                             {"path", library.path},
                             {"build_id", library.build_id},
                             {"size", file->size},
                             {"modified_ns", file->modified_ns}});
    }
    json links = json::array();
    for (const std::string& link : {launch.hiprtc, launch.comgr}) {
        Result<FileIdentity> file = identify_file(link);
        if (!file.ok()) return file.status();
        links.push_back({link, file->real_path});
    }
    const json memory{{"format", kFormat},
                      {"protocol", kWorkerProtocol},
                      {"launch", way_of(launch)},
                      {"links", links},
                      {"compiler", identity.compiler},
                      {"comgr_version", identity.comgr_version},
                      {"hiprtc_version", identity.hiprtc_version},
                      {"libraries", libraries}};
    return write_file_atomically(path, memory.dump(1) + "\n");
}

// A library without a build-id is known by its size and time, so that replacing it is still noticed.
void name_files_without_build_id(WorkerIdentity& identity) {
    for (ToolchainLibrary& library : identity.libraries) {
        if (!library.build_id.empty()) continue;
        const Result<FileIdentity> file = identify_file(library.path);
        if (file.ok())
            library.build_id = "size " + std::to_string(file->size) + " modified " + std::to_string(file->modified_ns);
    }
}

}  // namespace

Digest toolchain_fingerprint(const WorkerIdentity& identity, const Digest& kernel_sources) {
    // Names and build-ids, not paths: the same packages in another place make the same code.
    Sha256 hash("toolchain 1");
    hash.field(kernel_sources).field(identity.compiler).field(identity.libraries.size());
    for (const ToolchainLibrary& library : identity.libraries) hash.field(library.name).field(library.build_id);
    return hash.finish();
}

Result<Toolchain> identify_toolchain(WorkerPool& pool, const std::string& cache_directory, Deadline deadline) {
    Result<WorkerLaunch> launch = pool.launch();
    if (!launch.ok()) return launch.status();
    const std::string path = cache_directory.empty() ? std::string() : cache_directory + "/" + kFileName;
    if (!path.empty()) {
        if (std::optional<WorkerIdentity> known = recall(path, *launch)) {
            const Digest fingerprint = toolchain_fingerprint(*known, kernel_files_digest());
            return Toolchain{.identity = std::move(*known), .fingerprint = fingerprint, .remembered = true};
        }
    }
    Result<WorkerIdentity> identity = pool.identity(deadline);
    if (!identity.ok()) return identity.status();
    name_files_without_build_id(*identity);
    if (!path.empty()) {
        const Status kept = remember(path, *launch, *identity);
        if (!kept.ok()) log_debug("the compiler's identity is not remembered: {}", kept.message());
    }
    const Digest fingerprint = toolchain_fingerprint(*identity, kernel_files_digest());
    return Toolchain{.identity = std::move(*identity), .fingerprint = fingerprint, .remembered = false};
}

}  // namespace flashwave
