#include "worker/misbehave.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

namespace flashwave {
namespace {

void send_raw(int channel, std::string_view bytes) {
    if (::write(channel, bytes.data(), bytes.size()) < 0) std::abort();
}

[[noreturn]] void hang() {
    for (;;) ::pause();
}

void litter() {
    const char* directory = std::getenv("TMPDIR");
    if (directory == nullptr) std::abort();
    std::FILE* file = std::fopen((std::string(directory) + "/half-compiled.o").c_str(), "w");
    if (file == nullptr) std::abort();
    std::fclose(file);
}

}  // namespace

Fields misbehave(const Fields& request, int channel) {
    const std::string verb = request.empty() ? std::string() : request[0];
    if (verb == "crash") {
        std::fputs("about to crash as asked\n", stderr);
        ::raise(SIGSEGV);
    }
    if (verb == "abort") std::abort();
    if (verb == "exit") std::_Exit(3);
    if (verb == "hang") hang();
    if (verb == "litter") {
        litter();
        hang();
    }
    if (verb == "garbage") {
        send_raw(channel, "this is not a frame at all, it is something a library printed\n");
        hang();
    }
    if (verb == "half") {
        send_raw(channel, std::string_view("FWF1\x10\0\0\0\0\0\0\0half", 16));
        std::_Exit(0);
    }
    if (verb == "huge") {
        send_raw(channel, std::string_view("FWF1\xff\xff\xff\xff\0\0\0\0", 12));
        hang();
    }
    if (verb == "sleep" && request.size() == 2) {
        std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(request[1].c_str())));
        return {"ok"};
    }
    if (verb == "twice" && request.size() == 2) return {"ok", request[1] + request[1]};
    if (verb == "echo") {
        Fields answer = request;
        answer[0] = "ok";
        return answer;
    }
    return {};
}

}  // namespace flashwave
