// A stand-in for flashwave-tuner that does what the device's name says: "crash", "hang" or "garbage" at the first
// candidate, "refuse" instead of a greeting.
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "autotune/protocol.hpp"
#include "base/frame.hpp"

using namespace flashwave;

int main(int count, char** arguments) {
    const std::string_view what = count == 3 ? arguments[2] : "";
    if (what == "refuse") {
        (void)write_frame(STDOUT_FILENO, pack_fields(encode_error(Status(Code::unavailable, "no such device"))),
                          kNoDeadline);
        return 1;
    }
    (void)write_frame(STDOUT_FILENO, pack_fields({"ready"}), kNoDeadline);
    (void)read_frame(STDIN_FILENO, kNoDeadline);
    if (what == "crash") {
        std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it
        ::raise(SIGSEGV);
    }
    if (what == "hang") ::pause();
    if (what == "garbage") (void)!::write(STDOUT_FILENO, "this is no frame at all, nor was meant to be", 44);
    (void)write_frame(STDOUT_FILENO, pack_fields(encode_state("validating")), kNoDeadline);
    (void)write_frame(STDOUT_FILENO,
                      pack_fields(encode(cache::Measurement{.outcome = cache::Outcome::ok, .us_median = 7})),
                      kNoDeadline);
    return 0;
}
