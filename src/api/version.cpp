#include "flashwave/version.hpp"

namespace flashwave {

const char* version() noexcept { return FLASHWAVE_VERSION; }

}  // namespace flashwave
