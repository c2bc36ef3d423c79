#include "worker/comgr.hpp"

#include "worker/source_lines.hpp"
#include "worker/unused_operands.hpp"

namespace flashwave {
namespace {

constexpr int kSuccess = 0;
constexpr std::string_view kIsaPrefix = "amdgcn-amd-amdhsa--";
constexpr int kDataSource = 1;      // AMD_COMGR_DATA_KIND_SOURCE
constexpr int kDataExecutable = 8;  // AMD_COMGR_DATA_KIND_EXECUTABLE
// AMD_COMGR_ACTION_DISASSEMBLE_EXECUTABLE_TO_SOURCE; comgr 3 dropped two actions before it and renumbered.
constexpr int kDisassembleExecutable2 = 12;
constexpr int kDisassembleExecutable3 = 10;

// Calls a destroy function when it goes.
template <class Handle>
class Owned {
  public:
    Owned(int (*destroy)(Handle)) : destroy_(destroy) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (handle_.handle != 0) destroy_(handle_);
    }
    Handle* out() { return &handle_; }
    Handle get() const { return handle_; }

  private:
    int (*destroy_)(Handle);
    Handle handle_{0};
};

}  // namespace

Result<Comgr> Comgr::load(const std::string& path) {
    Result<Library> library = Library::open(path);
    if (!library.ok()) return library.status();
    Comgr result(*library);
    const bool complete = library->find("amd_comgr_get_version", result.version_) &&
                          library->find("amd_comgr_status_string", result.status_string_) &&
                          library->find("amd_comgr_get_isa_count", result.isa_count_) &&
                          library->find("amd_comgr_get_isa_name", result.isa_name_) &&
                          library->find("amd_comgr_create_data", result.create_data_) &&
                          library->find("amd_comgr_release_data", result.release_data_) &&
                          library->find("amd_comgr_set_data", result.set_data_) &&
                          library->find("amd_comgr_set_data_name", result.set_data_name_) &&
                          library->find("amd_comgr_get_data", result.get_data_) &&
                          library->find("amd_comgr_create_data_set", result.create_data_set_) &&
                          library->find("amd_comgr_destroy_data_set", result.destroy_data_set_) &&
                          library->find("amd_comgr_data_set_add", result.data_set_add_) &&
                          library->find("amd_comgr_create_action_info", result.create_action_info_) &&
                          library->find("amd_comgr_destroy_action_info", result.destroy_action_info_) &&
                          library->find("amd_comgr_action_info_set_isa_name", result.set_isa_name_) &&
                          library->find("amd_comgr_do_action", result.do_action_) &&
                          library->find("amd_comgr_action_data_count", result.data_count_) &&
                          library->find("amd_comgr_action_data_get_data", result.data_at_);
    if (!complete) return Status(Code::unavailable, path + " lacks functions of comgr.");
    const bool symbolizes = library->find("amd_comgr_create_symbolizer_info", result.create_symbolizer_) &&
                            library->find("amd_comgr_destroy_symbolizer_info", result.destroy_symbolizer_) &&
                            library->find("amd_comgr_symbolize", result.symbolize_);
    if (!symbolizes) result.symbolize_ = nullptr;
    return result;
}

Status Comgr::error(const char* function, int result) const {
    const char* text = nullptr;
    status_string_(result, &text);
    return Status(Code::invalid_argument,
                  std::string(function) + " failed: " + (text != nullptr ? text : "unknown status"));
}

std::string Comgr::version() const {
    std::size_t major = 0;
    std::size_t minor = 0;
    version_(&major, &minor);
    return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<std::string> Comgr::targets() const {
    std::vector<std::string> result;
    std::size_t count = 0;
    if (isa_count_(&count) != kSuccess) return result;
    for (std::size_t i = 0; i < count; ++i) {
        const char* name = nullptr;
        if (isa_name_(i, &name) != kSuccess || name == nullptr) continue;
        const std::string_view isa = name;
        if (isa.starts_with(kIsaPrefix)) result.emplace_back(isa.substr(kIsaPrefix.size()));
    }
    return result;
}

bool Comgr::knows(const std::string& target) const {
    Owned<Handle> action(destroy_action_info_);
    return create_action_info_(action.out()) == kSuccess &&
           set_isa_name_(action.get(), (std::string(kIsaPrefix) + target).c_str()) == kSuccess;
}

Result<std::string> Comgr::text_of(Handle data_set, int kind) const {
    std::size_t count = 0;
    if (const int result = data_count_(data_set, kind, &count); result != kSuccess)
        return error("amd_comgr_action_data_count", result);
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        Owned<Handle> data(release_data_);
        if (const int result = data_at_(data_set, kind, i, data.out()); result != kSuccess)
            return error("amd_comgr_action_data_get_data", result);
        std::size_t size = 0;
        if (const int result = get_data_(data.get(), &size, nullptr); result != kSuccess)
            return error("amd_comgr_get_data", result);
        const std::size_t before = text.size();
        text.resize(before + size);
        if (const int result = get_data_(data.get(), &size, text.data() + before); result != kSuccess)
            return error("amd_comgr_get_data", result);
    }
    return text;
}

Result<Comgr::Handle> Comgr::executable(std::string_view code_object) const {
    Handle object{0};
    if (const int result = create_data_(kDataExecutable, &object); result != kSuccess)
        return error("amd_comgr_create_data", result);
    int result = set_data_(object, code_object.size(), code_object.data());
    const char* function = "amd_comgr_set_data";
    if (result == kSuccess) {
        result = set_data_name_(object, "code_object");
        function = "amd_comgr_set_data_name";
    }
    if (result == kSuccess) return object;
    release_data_(object);
    return error(function, result);
}

Result<std::string> Comgr::disassemble(std::string_view code_object, const std::string& target) const {
    Owned<Handle> object(release_data_);
    Owned<Handle> input(destroy_data_set_);
    Owned<Handle> output(destroy_data_set_);
    Owned<Handle> action(destroy_action_info_);
    Result<Handle> made = executable(code_object);
    if (!made.ok()) return made.status();
    *object.out() = *made;
    int result = create_data_set_(input.out());
    if (result != kSuccess) return error("amd_comgr_create_data_set", result);
    if (result = data_set_add_(input.get(), object.get()); result != kSuccess)
        return error("amd_comgr_data_set_add", result);
    if (result = create_data_set_(output.out()); result != kSuccess) return error("amd_comgr_create_data_set", result);
    if (result = create_action_info_(action.out()); result != kSuccess)
        return error("amd_comgr_create_action_info", result);
    const std::string isa = std::string(kIsaPrefix) + target;
    if (result = set_isa_name_(action.get(), isa.c_str()); result != kSuccess)
        return error("amd_comgr_action_info_set_isa_name", result).with_context(target);

    std::size_t major = 0;
    std::size_t minor = 0;
    version_(&major, &minor);
    const int kind = major >= 3 ? kDisassembleExecutable3 : kDisassembleExecutable2;
    if (result = do_action_(kind, action.get(), input.get(), output.get()); result != kSuccess)
        return error("amd_comgr_do_action", result).with_context("disassembling a code object for " + target);
    Result<std::string> text = text_of(output.get(), kDataSource);
    if (text.ok() && text->empty())
        return Status(Code::invalid_argument, "the code object has nothing to list for " + target + ".");
    return text;
}

Result<std::string> Comgr::list(std::string_view code_object, const std::string& target) const {
    Result<std::string> text = disassemble(code_object, target);
    // Each round names every instruction that it reaches in step; behind one that it could not name, the next round
    // goes on.
    constexpr int kRounds = 16;
    std::string settled;
    for (int round = 0; round < kRounds && text.ok() && text->find("<unknown>") != std::string::npos; ++round) {
        if (settled.empty()) settled = code_object;
        if (clear_unused_operands(settled, *text) == 0) break;
        text = disassemble(settled, target);
    }
    return text;
}

Result<std::vector<std::string>> Comgr::source_lines(std::string_view code_object,
                                                     const std::vector<std::uint64_t>& addresses) const {
    if (symbolize_ == nullptr) return Status(Code::unsupported, "this comgr does not know the source lines of a code object.");
    Owned<Handle> object(release_data_);
    Owned<Handle> symbolizer(destroy_symbolizer_);
    Result<Handle> made = executable(code_object);
    if (!made.ok()) return made.status();
    *object.out() = *made;
    const auto collect = [](const char* text, void* into) { *static_cast<std::string*>(into) += text; };
    if (const int result = create_symbolizer_(object.get(), collect, symbolizer.out()); result != kSuccess)
        return error("amd_comgr_create_symbolizer_info", result);
    std::vector<std::string> lines;
    for (const std::uint64_t address : addresses) {
        std::string text;
        if (const int result = symbolize_(symbolizer.get(), address, true, &text); result != kSuccess)
            return error("amd_comgr_symbolize", result);
        lines.push_back(source_line_of(text));
    }
    return lines;
}

}  // namespace flashwave
