#include "compile/compile_request.hpp"

#include <algorithm>

#include "compile/kernel_files.hpp"

namespace flashwave {

CompileJob kernel_job(std::string_view main_file, std::string target, std::vector<std::string> options) {
    CompileJob job{
        .target = std::move(target), .main_file = std::string(main_file), .files = {}, .options = std::move(options)};
    for (const KernelFile& file : kernel_files()) {
        // Other kernels are not included by this one; without them the request is half as long.
        if (file.name.ends_with(".hip") && file.name != main_file) continue;
        job.files.push_back({.name = std::string(file.name), .text = std::string(file.text)});
    }
    return job;
}

Digest compile_key(const CompileJob& job, const Digest& toolchain) {
    std::vector<const SourceFile*> files;
    for (const SourceFile& file : job.files) files.push_back(&file);
    std::sort(files.begin(), files.end(),
              [](const SourceFile* left, const SourceFile* right) { return left->name < right->name; });

    Sha256 hash("compile request 1");
    hash.field(toolchain).field(job.target).field(job.main_file).field(files.size());
    for (const SourceFile* file : files) hash.field(file->name).field(file->text);
    hash.field(job.options.size());
    for (const std::string& option : job.options) hash.field(option);
    return hash.finish();
}

}  // namespace flashwave
