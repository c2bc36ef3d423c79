#include "worker/library.hpp"

#include <dlfcn.h>

namespace flashwave {

Result<Library> Library::open(const std::string& path) {
    if (void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return Library(handle);
    const char* why = ::dlerror();
    return Status(Code::unavailable, "cannot load " + path + ": " + (why != nullptr ? why : "unknown reason"));
}

void* Library::symbol(const char* name) const { return ::dlsym(handle_, name); }

}  // namespace flashwave
