// What comgr's symbolizer says of an address, as a compiler would write it: "kernel.hip:17". Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace flashwave {

/// `text` has a line a function, the innermost first: "put at /tmp/comgr-1f/input/k.hip:2:10", " (inlined by) store at ...". The result is
/// "k.hip:2, inlined into k.hip:7"; empty where no line is known.
std::string source_line_of(std::string_view text);

}  // namespace flashwave
