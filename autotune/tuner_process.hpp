// TunerProcess: the child flashwave-tuner, in which candidates run. One that hangs or brings its process down costs
// that process, which is started again for the next. One thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "autotune/protocol.hpp"
#include "base/deadline.hpp"
#include "base/process.hpp"

namespace flashwave {

class TunerProcess {
  public:
    /// `device` as Options::device names it; `program` empty: flashwave-tuner. Starts nothing yet.
    explicit TunerProcess(std::string device, std::string program = {})
        : device_(std::move(device)), program_(std::move(program)) {}

    /// Validates and times one candidate. A crash or a missed deadline is an outcome like any other; a failed Result
    /// says that there is no tuner to ask: the program is missing, or the device cannot be opened in it.
    Result<cache::Measurement> attempt(const TryRequest& request, Deadline deadline,
                                       const std::function<void(std::string_view)>& on_state);

    /// Times candidates that came through, in turns. `contenders` count the attempts since the process was started.
    Result<std::vector<Times>> race(const std::vector<int>& contenders, Deadline deadline);

    /// Attempts that the running process remembers.
    int attempts() const { return attempts_; }
    /// How often the process was started.
    int starts() const { return starts_; }

  private:
    Status start(Deadline deadline);
    Result<Fields> ask(const Fields& request, Deadline deadline, const std::function<void(std::string_view)>& on_state);
    std::string end();

    std::string device_;
    std::string program_;
    std::optional<Process> process_;
    int attempts_ = 0;
    int starts_ = 0;
};

}  // namespace flashwave
