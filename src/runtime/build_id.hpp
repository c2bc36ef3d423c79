// Which build of a shared library is loaded, by the GNU build-id that the linker put into it.
#pragma once

#include <string>

namespace flashwave {

/// In hex; empty where no loaded object has this path or it carries no build-id.
std::string loaded_build_id(const std::string& path);

}  // namespace flashwave
