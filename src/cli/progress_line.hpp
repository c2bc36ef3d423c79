// One status line on a terminal that is rewritten in place; nothing where stderr is no terminal. For one thread.
#pragma once

#include <string>
#include <string_view>

namespace flashwave::cli {

class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool visible() const noexcept { return visible_; }
    void show(std::string_view text);
    /// Removes the line, so that other text can be written.
    void clear();

  private:
    bool visible_;
    bool shown_ = false;
};

}  // namespace flashwave::cli
