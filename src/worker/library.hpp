// A shared library opened at run time and its functions by name. Kept open until the process ends: LLVM does not unload.
#pragma once

#include <string>

#include "flashwave/status.hpp"

namespace flashwave {

class Library {
public:
    /// unavailable: the loader's reason.
    static Result<Library> open(const std::string& path);

    /// Sets `function` to the symbol; false where the library has none of that name.
    template <class Function>
    bool find(const char* name, Function*& function) const {
        function = reinterpret_cast<Function*>(symbol(name));
        return function != nullptr;
    }

private:
    explicit Library(void* handle) : handle_(handle) {}
    void* symbol(const char* name) const;

    void* handle_;
};

}  // namespace flashwave
