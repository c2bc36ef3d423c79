#include "hipemu_command/code_file.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/worker_channel.hpp"
#include "emulator/code/offload_bundle.hpp"

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

constexpr std::chrono::minutes kCompileTime{5};

Result<CodeFile> code_of(std::string bytes) {
    CodeFile code{.bytes = std::move(bytes)};
    auto object = read_code_object(code.image());
    if (!object.ok()) return object.status();
    code.object = std::move(*object);
    return code;
}

/// A file that the caller has named: that it is missing is a wrong argument.
Result<std::string> read_named_file(const std::string& path) {
    auto bytes = flashwave::read_file(path);
    if (!bytes.ok()) return Status(Code::invalid_argument, bytes.status().message());
    return bytes;
}

}  // namespace

Result<CodeFile> read_code(const std::string& path, const std::string& target) {
    auto bytes = read_named_file(path);
    if (!bytes.ok()) return bytes.status();
    constexpr std::size_t kBundleMark = 24;
    const auto* const image = reinterpret_cast<const std::byte*>(bytes->data());
    if (bytes->size() >= kBundleMark && is_offload_bundle(image)) {
        const auto found = find_in_bundle(image, bytes->size(), target);
        if (!found.ok()) {
            const Code code = found.status().code() == Code::not_found ? Code::invalid_argument : found.status().code();
            return Status(code, found.status().message()).with_context(path);
        }
        bytes = std::string(reinterpret_cast<const char*>(found->data()), found->size());
    }
    auto code = code_of(std::move(*bytes));
    if (!code.ok()) return Status(Code::invalid_argument, code.status().message()).with_context(path);
    return code;
}

Result<CodeFile> compile_code(const SourceDescription& source, const std::string& target) {
    const std::string folder = flashwave::directory_of(source.path);
    flashwave::CompileJob job{
        .target = target, .main_file = flashwave::base_name(source.path), .files = {}, .options = source.options};
    if (job.options.empty()) job.options = {"-O3"};
    std::vector<std::string> names{job.main_file};
    names.insert(names.end(), source.headers.begin(), source.headers.end());
    for (const std::string& name : names) {
        auto text = read_named_file(folder + "/" + name);
        if (!text.ok()) return text.status();
        job.files.push_back({.name = name, .text = std::move(*text)});
    }
    const auto launch = flashwave::find_worker();
    if (!launch.ok()) return launch.status();
    const auto channel = flashwave::WorkerChannel::start(*launch);
    if (!channel.ok()) return channel.status();
    auto compiled = (*channel)->compile(job, flashwave::deadline_after(kCompileTime));
    if (!compiled.ok()) return compiled.status();
    auto code = code_of(std::move(compiled->code));
    if (!code.ok()) return code.status().with_context(source.path);
    code->log = std::move(compiled->log);
    return code;
}

Result<const KernelDescription*> select_kernel(const CodeObject& object, const std::string& name) {
    std::string names;
    for (const KernelDescription& kernel : object.kernels) {
        if (kernel.name == name || (name.empty() && object.kernels.size() == 1)) return &kernel;
        names += (names.empty() ? "" : ", ") + kernel.name;
    }
    if (object.kernels.empty()) return Status(Code::invalid_argument, "the code object has no kernels");
    return Status(Code::invalid_argument,
                  name.empty() ? fmt::format("the code object has several kernels; \"kernel\" has to name one of {}", names)
                               : fmt::format("the code object has no kernel \"{}\"; it has {}", name, names));
}

}  // namespace hipemu::command
