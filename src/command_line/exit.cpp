#include "command_line/exit.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace flashwave::cli {

Exit exit_code_of(const Status& status) noexcept {
    switch (status.code()) {
        case Code::ok: return kDone;
        case Code::invalid_argument:
        case Code::unsupported: return kUsage;
        case Code::not_found:
        case Code::unavailable:
        case Code::io_error:
        case Code::out_of_memory:
        case Code::busy: return kLackingEnvironment;
        case Code::compile_error:
        case Code::deadline:
        case Code::crashed:
        case Code::corrupt:
        case Code::device_error:
        case Code::wrong_result:
        case Code::internal: return kFailed;
    }
    return kFailed;
}

int report_failure(std::string_view program, const Status& status, bool json) {
    fmt::print(stderr, "{}: {}\n", program, status.message());
    if (json) {
        const nlohmann::ordered_json object = {
            {"error", {{"code", std::string(name(status.code()))}, {"message", status.message()}}}};
        // A compiler's log may hold bytes that are not UTF-8.
        fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    }
    return exit_code_of(status);
}

Status bad_flag(std::string_view flag, std::string_view value, std::string_view allowed) {
    return Status(Code::invalid_argument, fmt::format("{} is '{}'; {}", flag, value, allowed));
}

}  // namespace flashwave::cli
