// What flashwave-worker and its host say to each other: each frame is a list of byte strings, the first of them names the
// request or the outcome. Shared by both ends; uses the standard library only, for the worker links nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"

namespace flashwave {

using Fields = std::vector<std::string>;

std::string pack_fields(const Fields& fields);
/// corrupt: the bytes are not a list of fields.
Result<Fields> unpack_fields(std::string_view bytes);

/// One translation unit for hiprtc. Files other than the main one are found by #include under their names.
struct SourceFile {
    std::string name;
    std::string text;

    friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

struct CompileJob {
    std::string target;                ///< Full gcnArchName: "gfx1100", "gfx942:sramecc+:xnack-".
    std::string main_file;             ///< The name of one of `files`; appears in messages.
    std::vector<SourceFile> files;
    std::vector<std::string> options;  ///< As hiprtc takes them; --offload-arch is added by the worker.
};

struct CompiledObject {
    std::string code;  ///< An ELF code object.
    std::string log;   ///< Warnings; empty where there are none.
};

/// One library that takes part in compiling.
struct ToolchainLibrary {
    std::string name;      ///< "libhiprtc.so.6": the file's name, without its directory.
    std::string path;      ///< Real path.
    std::string build_id;  ///< GNU build-id in hex; empty where the file has none.
};

struct WorkerIdentity {
    std::string protocol;                     ///< Version of this protocol.
    std::string compiler;                     ///< What the compiler calls itself.
    std::string comgr_version;                ///< "3.0"
    std::string hiprtc_version;               ///< As hiprtcVersion says; constant over releases, for people only.
    std::vector<ToolchainLibrary> libraries;  ///< Sorted by name.
};

inline constexpr std::string_view kWorkerProtocol = "1";
/// An idle worker says this and ends; a request that crosses it was not read.
inline constexpr std::string_view kWorkerGoodbye = "goodbye";

Fields encode(const CompileJob& job);
Result<CompileJob> decode_compile_job(const Fields& fields);
Fields encode(const WorkerIdentity& identity);
Result<WorkerIdentity> decode_identity(const Fields& fields);

/// An outcome that is not a result: "error", the code, the message.
Fields encode_error(const Status& status);
/// ok for a result, otherwise the status that encode_error was given.
Status decode_outcome(const Fields& fields);

}  // namespace flashwave
