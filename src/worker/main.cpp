// flashwave-worker: compiles and lists kernels for the process that started it, which talks to it over the socket that
// is its stdin and stdout. It ends when that process closes the socket or dies, and by itself when it had nothing to do
// for a while. It knows nothing of attention.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/frame.hpp"
#include "base/served_channel.hpp"
#include "worker/misbehave.hpp"
#include "worker/requests.hpp"

namespace {

using namespace flashwave;

constexpr int kWrongUsage = 2;

bool is_socket(int fd) {
    int type = 0;
    socklen_t size = sizeof type;
    return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

bool send(int channel, const Fields& fields) {
    const Status sent = write_frame(channel, pack_fields(fields), kNoDeadline);
    if (sent.code() != Code::invalid_argument) return sent.ok();
    // Nothing was written of an answer that is too long, such as the listing of a code object of tens of megabytes.
    const Status reason(Code::unsupported, "the answer is too long for the compiler's worker process: " + sent.message());
    return write_frame(channel, pack_fields(encode_error(reason)), kNoDeadline).ok();
}

int serve(const WorkerOptions& options, const std::string& scratch) {
    const int channel = take_channel();
    if (!scratch.empty()) ::setenv("TMPDIR", scratch.c_str(), 1);
    end_with_parent(channel, [scratch] {
        std::error_code ignored;
        if (!scratch.empty()) std::filesystem::remove_all(scratch, ignored);
    });
    Requests requests(options);
    if (!send(channel, {"flashwave-worker", options.protocol})) return 1;
    for (;;) {
        pollfd waited{.fd = channel, .events = POLLIN, .revents = 0};
        if (::poll(&waited, 1, static_cast<int>(options.idle_time.count())) == 0) {
            // Said before going, so that a request that crosses it is known to be unanswered and is asked elsewhere.
            send(channel, {std::string(kWorkerGoodbye)});
            return 0;
        }
        Result<std::string> frame = read_frame(channel, kNoDeadline);
        if (!frame.ok()) return frame.status().code() == Code::not_found ? 0 : 1;
        Result<Fields> request = unpack_fields(*frame);
        Fields answer;
        if (request.ok() && options.test_requests) answer = misbehave(*request, channel);
        if (answer.empty()) answer = request.ok() ? requests.answer(*request) : encode_error(request.status());
        if (!send(channel, answer)) return 1;
    }
}

}  // namespace

int main(int count, char** arguments) {
    WorkerOptions options;
    std::string scratch;  // a directory of this process alone, for the compiler's temporary files
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--test-requests") options.test_requests = true;
        else if (argument == "--idle-ms" && i + 1 < count)
            options.idle_time = std::chrono::milliseconds(std::atoi(arguments[++i]));
        else if (argument == "--test-protocol" && i + 1 < count) options.protocol = arguments[++i];
        else if (argument == "--hiprtc" && i + 1 < count) options.hiprtc = arguments[++i];
        else if (argument == "--comgr" && i + 1 < count) options.comgr = arguments[++i];
        else if (argument == "--scratch" && i + 1 < count) scratch = arguments[++i];
        else {
            std::fprintf(stderr, "flashwave-worker: unknown argument '%s'\n", arguments[i]);
            return kWrongUsage;
        }
    }
    if (!is_socket(STDIN_FILENO)) {
        std::fputs(
            "flashwave-worker is started by the flashwave library and does nothing by itself; 'flashwave doctor' tests "
            "it.\n",
            stderr);
        return kWrongUsage;
    }
    const int code = serve(options, scratch);
    // Without LLVM's static destructors: nothing is left to save, and they have crashed before.
    std::_Exit(code);
}
