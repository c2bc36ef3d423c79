#include "host/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local long made = 0;
}

// Both forms, since what either gives goes to the same operator delete; the library's others call these.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++made;
    return std::malloc(size ? size : 1);
}
void* operator new(std::size_t size) {
    if (void* memory = operator new(size, std::nothrow)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace flashwave::testing {

long allocations() noexcept { return made; }

}  // namespace flashwave::testing
