#include "base/served_channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <utility>

namespace flashwave {

int take_channel() {
    const int channel = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (channel < 0 || nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        std::_Exit(1);
    ::close(nothing);
    return channel;
}

void end_with_parent(int channel, std::function<void()> last) {
    std::thread([channel, last = std::move(last)] {
        for (;;) {
            pollfd watched{.fd = channel, .events = 0, .revents = 0};  // POLLHUP needs no asking
            if (::poll(&watched, 1, -1) <= 0) continue;
            if (last) last();
            std::_Exit(0);
        }
    }).detach();
}

}  // namespace flashwave
