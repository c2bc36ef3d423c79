// How often the calling thread has called operator new: this program's own is put in place of the library's.
#pragma once

namespace flashwave::testing {

long allocations() noexcept;

}  // namespace flashwave::testing
