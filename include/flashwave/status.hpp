// Status and Result<T>: how every call of flashwave says what happened.
//
// An expected failure is a value, never an exception: a code for programs and one sentence for people, which names the
// argument, file or key concerned and what to do about it. Values are immutable and may be copied between threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "flashwave/export.hpp"

namespace flashwave {

/// What kind of thing happened. The numbers are part of the C ABI: do not change them.
enum class Code : int {
    ok = 0,
    invalid_argument = 1,  ///< An argument breaks a rule that its documentation states; nothing was launched.
    unsupported = 2,       ///< A well-formed request which this version or this device cannot serve.
    not_found = 3,         ///< A file, device, symbol, key or row does not exist.
    unavailable = 4,       ///< The environment lacks something: no HIP library, no compiler, no permission.
    compile_error = 5,     ///< The compiler refused a kernel; the message carries its log.
    deadline = 6,          ///< The work was not done in its time and was stopped.
    crashed = 7,           ///< A helper process died; the message names the signal and its last output.
    io_error = 8,          ///< The operating system refused to read or write.
    corrupt = 9,           ///< Data failed its check; it was ignored.
    device_error = 10,     ///< HIP reported an error; the message carries HIP's name for it.
    out_of_memory = 11,    ///< Host or device memory is exhausted.
    wrong_result = 12,     ///< A kernel ran and gave an answer that breaks the error rule.
    busy = 13,             ///< Somebody else holds what is needed; try again later.
    internal = 14,         ///< A defect of flashwave itself; please report the message.
};

/// The code's name as printed and stored: "ok", "invalid_argument", ...
FLASHWAVE_API std::string_view name(Code code) noexcept;

class [[nodiscard]] FLASHWAVE_API Status {
public:
    Status() noexcept = default;  ///< ok
    Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

    bool ok() const noexcept { return code_ == Code::ok; }
    Code code() const noexcept { return code_; }
    const std::string& message() const noexcept { return message_; }

    /// "compile_error: forward.hip:41: use of undeclared identifier 'x'"; "ok" for success.
    std::string to_string() const;

    /// The same failure with "context: " put before its sentence. An ok status stays ok.
    Status with_context(std::string_view context) const;

private:
    Code code_ = Code::ok;
    std::string message_;
};

/// Either a value or the Status that says why there is none. Reading the value of a failed Result is a defect of the caller
/// and ends the process with the status on stderr.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Status status) : status_(std::move(status)) {}

    bool ok() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return ok(); }
    const Status& status() const noexcept { return status_; }

    T& value() & { return checked(), *value_; }
    const T& value() const& { return checked(), *value_; }
    T&& value() && { return checked(), *std::move(value_); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    void checked() const;

    std::optional<T> value_;
    Status status_;
};

namespace detail {
[[noreturn]] FLASHWAVE_API void value_of_failed_result(const Status& status);
}

template <class T>
void Result<T>::checked() const {
    if (!value_) detail::value_of_failed_result(status_);
}

}  // namespace flashwave

/// Leaves the calling function with the status of `expression` unless that is ok.
#define FLASHWAVE_RETURN_IF_ERROR(expression)                                        \
    do {                                                                             \
        if (::flashwave::Status flashwave_status_ = (expression); !flashwave_status_.ok()) \
            return flashwave_status_;                                                \
    } while (false)
