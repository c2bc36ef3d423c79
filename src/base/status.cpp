#include "flashwave/status.hpp"

#include <cstdio>
#include <cstdlib>

namespace flashwave {

std::string_view name(Code code) noexcept {
    switch (code) {
    case Code::ok: return "ok";
    case Code::invalid_argument: return "invalid_argument";
    case Code::unsupported: return "unsupported";
    case Code::not_found: return "not_found";
    case Code::unavailable: return "unavailable";
    case Code::compile_error: return "compile_error";
    case Code::deadline: return "deadline";
    case Code::crashed: return "crashed";
    case Code::io_error: return "io_error";
    case Code::corrupt: return "corrupt";
    case Code::device_error: return "device_error";
    case Code::out_of_memory: return "out_of_memory";
    case Code::wrong_result: return "wrong_result";
    case Code::busy: return "busy";
    case Code::internal: return "internal";
    }
    return "internal";
}

std::string Status::to_string() const {
    std::string text(name(code_));
    if (!ok() && !message_.empty()) text.append(": ").append(message_);
    return text;
}

Status Status::with_context(std::string_view context) const {
    if (ok()) return *this;
    return Status(code_, std::string(context).append(": ").append(message_));
}

namespace detail {

void value_of_failed_result(const Status& status) {
    std::fprintf(stderr, "flashwave: the value of a failed result was read: %s\n", status.to_string().c_str());
    std::abort();
}

}  // namespace detail
}  // namespace flashwave
