#include "host/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local long made = 0;
}

void* operator new(std::size_t size) {
    ++made;
    if (void* memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace flashwave::testing {

long allocations() noexcept { return made; }

}  // namespace flashwave::testing
