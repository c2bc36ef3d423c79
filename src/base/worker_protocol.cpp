// Linked into the worker as well: the standard library only.
#include "base/worker_protocol.hpp"

#include <cstdint>
#include <optional>

namespace flashwave {
namespace {

constexpr int kCodes = static_cast<int>(Code::internal) + 1;

void put(std::string& bytes, std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(value >> shift & 0xff));
}

std::optional<std::size_t> take(std::string_view& bytes) {
    if (bytes.size() < 4) return std::nullopt;
    std::size_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    bytes.remove_prefix(4);
    return value;
}

Status wrong_fields(const char* what) {
    return Status(Code::corrupt, std::string("a message is not a well-formed ") + what + ".");
}

// Reads fields one after another; `good` is false once one was missing.
struct Reader {
    const Fields& fields;
    std::size_t at;
    bool good = true;

    std::string next() {
        if (at < fields.size()) return fields[at++];
        good = false;
        return {};
    }
    std::size_t count() {
        const std::string text = next();
        std::size_t value = 0;
        for (const char c : text) {
            if (c < '0' || c > '9') good = false;
            value = value * 10 + static_cast<std::size_t>(c - '0');
            if (value > fields.size()) good = false;  // no list has more entries than there are fields
        }
        good = good && !text.empty();
        return good ? value : 0;
    }
    bool complete() const { return good && at == fields.size(); }
};

}  // namespace

std::string pack_fields(const Fields& fields) {
    std::string bytes;
    put(bytes, fields.size());
    for (const std::string& one : fields) {
        put(bytes, one.size());
        bytes.append(one);
    }
    return bytes;
}

Result<Fields> unpack_fields(std::string_view bytes) {
    Fields fields;
    const std::optional<std::size_t> count = take(bytes);
    if (!count) return wrong_fields("list of fields");
    for (std::size_t i = 0; i < *count; ++i) {
        const std::optional<std::size_t> size = take(bytes);
        if (!size || *size > bytes.size()) return wrong_fields("list of fields");
        fields.emplace_back(bytes.substr(0, *size));
        bytes.remove_prefix(*size);
    }
    if (!bytes.empty()) return wrong_fields("list of fields");
    return fields;
}

Fields encode(const CompileJob& job) {
    Fields fields{"compile", job.target, job.main_file, std::to_string(job.options.size())};
    fields.insert(fields.end(), job.options.begin(), job.options.end());
    fields.push_back(std::to_string(job.files.size()));
    for (const SourceFile& file : job.files) {
        fields.push_back(file.name);
        fields.push_back(file.text);
    }
    return fields;
}

Result<CompileJob> decode_compile_job(const Fields& fields) {
    Reader reader{.fields = fields, .at = 1};
    CompileJob job;
    job.target = reader.next();
    job.main_file = reader.next();
    for (std::size_t left = reader.count(); left > 0; --left) job.options.push_back(reader.next());
    for (std::size_t left = reader.count(); left > 0; --left) {
        SourceFile file;
        file.name = reader.next();
        file.text = reader.next();
        job.files.push_back(std::move(file));
    }
    if (!reader.complete()) return wrong_fields("compile request");
    return job;
}

Fields encode(const WorkerIdentity& identity) {
    Fields fields{"ok",
                  identity.protocol,
                  identity.compiler,
                  identity.comgr_version,
                  identity.hiprtc_version,
                  std::to_string(identity.libraries.size())};
    for (const ToolchainLibrary& library : identity.libraries) {
        fields.push_back(library.name);
        fields.push_back(library.path);
        fields.push_back(library.build_id);
    }
    return fields;
}

Result<WorkerIdentity> decode_identity(const Fields& fields) {
    Reader reader{.fields = fields, .at = 1};
    WorkerIdentity identity;
    identity.protocol = reader.next();
    identity.compiler = reader.next();
    identity.comgr_version = reader.next();
    identity.hiprtc_version = reader.next();
    for (std::size_t left = reader.count(); left > 0; --left) {
        ToolchainLibrary library;
        library.name = reader.next();
        library.path = reader.next();
        library.build_id = reader.next();
        identity.libraries.push_back(std::move(library));
    }
    if (!reader.complete()) return wrong_fields("identity");
    return identity;
}

Fields encode_error(const Status& status) { return {"error", std::string(name(status.code())), status.message()}; }

Status decode_outcome(const Fields& fields) {
    if (!fields.empty() && fields[0] == "ok") return {};
    if (fields.size() == 3 && fields[0] == "error") {
        for (int code = 1; code < kCodes; ++code)
            if (name(static_cast<Code>(code)) == fields[1]) return Status(static_cast<Code>(code), fields[2]);
    }
    return wrong_fields("answer");
}

}  // namespace flashwave
