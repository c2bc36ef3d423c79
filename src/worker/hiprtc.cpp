#include "worker/hiprtc.hpp"

#include <algorithm>
#include <vector>

namespace flashwave {
namespace {

constexpr int kSuccess = 0;

// clang names a file that came as a header by the folder hiprtc unpacked it into: keep what the author knows it as.
std::string with_known_names(std::string log, const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) {
        const std::string tail = "/" + file.name + ":";
        for (std::size_t at = log.find(tail); at != std::string::npos; at = log.find(tail, at + 1)) {
            std::size_t begin = log.find_last_of(" \n\t", at);
            begin = begin == std::string::npos ? 0 : begin + 1;
            if (log[begin] != '/') continue;  // a longer name that ends alike
            log.erase(begin, at + 1 - begin);
            at = begin;
        }
    }
    return log;
}

// "forward.hip:12:5: error: unknown type name 'x'" becomes "forward.hip:12: unknown type name 'x'".
std::string first_error(const std::string& log) {
    static constexpr std::string_view kMark = "error: ";
    const std::size_t mark = log.find(kMark);
    if (mark == std::string::npos) return {};
    const std::size_t begin = log.rfind('\n', mark) + 1;  // npos + 1 is 0
    const std::size_t end = log.find('\n', mark);
    std::string place = log.substr(begin, mark - begin);
    if (place.ends_with("fatal ")) place.resize(place.size() - 6);
    while (!place.empty() && (place.back() == ' ' || place.back() == ':')) place.pop_back();
    // Drop the column where there are line and column: both are digits after a colon.
    const std::size_t colon = place.rfind(':');
    const std::size_t before = colon == std::string::npos ? std::string::npos : place.rfind(':', colon - 1);
    const auto digits = [](std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (before != std::string::npos && digits(std::string_view(place).substr(colon + 1)) &&
        digits(std::string_view(place).substr(before + 1, colon - before - 1)))
        place.resize(colon);
    const std::string sentence =
        log.substr(mark + kMark.size(), end == std::string::npos ? end : end - mark - kMark.size());
    return place.empty() ? sentence : place + ": " + sentence;
}

}  // namespace

Result<Hiprtc> Hiprtc::load(const std::string& path) {
    Result<Library> library = Library::open(path);
    if (!library.ok()) return library.status();
    Hiprtc result(*library);
    const bool complete = library->find("hiprtcVersion", result.version_) &&
                          library->find("hiprtcGetErrorString", result.error_string_) &&
                          library->find("hiprtcCreateProgram", result.create_) &&
                          library->find("hiprtcDestroyProgram", result.destroy_) &&
                          library->find("hiprtcCompileProgram", result.compile_) &&
                          library->find("hiprtcGetProgramLogSize", result.log_size_) &&
                          library->find("hiprtcGetProgramLog", result.log_) &&
                          library->find("hiprtcGetCodeSize", result.code_size_) &&
                          library->find("hiprtcGetCode", result.code_);
    if (!complete) return Status(Code::unavailable, path + " lacks functions of hiprtc.");
    return result;
}

Status Hiprtc::error(const char* function, int result) const {
    const char* text = error_string_(result);
    return Status(Code::compile_error, std::string(function) + " failed: " + (text != nullptr ? text : "error ") +
                                           " (" + std::to_string(result) + ")");
}

std::string Hiprtc::version() const {
    int major = 0;
    int minor = 0;
    if (version_(&major, &minor) != kSuccess) return {};
    return std::to_string(major) + "." + std::to_string(minor);
}

std::string Hiprtc::log_of(ProgramHandle program) const {
    std::size_t size = 0;
    if (log_size_(program, &size) != kSuccess || size < 2) return {};
    // hiprtc copies exactly `size` bytes and, depending on its version, no terminating zero among them.
    std::string log(size + 1, '\0');
    if (log_(program, log.data()) != kSuccess) return {};
    log.resize(std::min(log.find('\0'), size));
    return log;
}

Result<CompiledObject> Hiprtc::compile(const CompileJob& job) const {
    const SourceFile* main_file = nullptr;
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const SourceFile& file : job.files) {
        // hiprtc takes C strings: a zero byte would cut the file without a word.
        if (file.text.find('\0') != std::string::npos || file.name.empty())
            return Status(Code::invalid_argument,
                          "the source file '" + file.name + "' has no name or contains a zero byte.");
        if (file.name == job.main_file) {
            main_file = &file;
        } else {
            names.push_back(file.name.c_str());
            texts.push_back(file.text.c_str());
        }
    }
    if (main_file == nullptr)
        return Status(Code::invalid_argument, "the main file '" + job.main_file + "' is not among the source files.");
    if (job.target.empty()) return Status(Code::invalid_argument, "a compile request names no target.");

    // Without it hiprtc asks the HIP runtime for the current device, which is another machine's business.
    std::vector<std::string> options{"--offload-arch=" + job.target};
    options.insert(options.end(), job.options.begin(), job.options.end());
    std::vector<const char*> option_pointers;
    for (const std::string& option : options) option_pointers.push_back(option.c_str());

    ProgramHandle program = nullptr;
    int result = create_(&program, main_file->text.c_str(), main_file->name.c_str(), static_cast<int>(names.size()),
                         texts.data(), names.data());
    if (result != kSuccess) return error("hiprtcCreateProgram", result);
    struct Destroyer {
        const Hiprtc& hiprtc;
        ProgramHandle& program;
        ~Destroyer() { hiprtc.destroy_(&program); }
    } const destroyer{*this, program};

    result = compile_(program, static_cast<int>(option_pointers.size()), option_pointers.data());
    const std::string log = with_known_names(log_of(program), job.files);
    if (result != kSuccess) {
        Status why = error("hiprtcCompileProgram", result);
        if (const std::string first = first_error(log); !first.empty())
            return Status(Code::compile_error, first + "\n" + log);
        return log.empty() ? why : Status(Code::compile_error, why.message() + "\n" + log);
    }
    CompiledObject object{.code = {}, .log = log};
    std::size_t size = 0;
    if (result = code_size_(program, &size); result != kSuccess) return error("hiprtcGetCodeSize", result);
    object.code.resize(size);
    if (result = code_(program, object.code.data()); result != kSuccess) return error("hiprtcGetCode", result);
    return object;
}

}  // namespace flashwave
