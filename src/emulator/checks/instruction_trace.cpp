#include "emulator/checks/instruction_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/file.hpp"
#include "emulator/settings/config.hpp"

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

constexpr std::size_t kMostLinesKept = 1 << 16;  // of a work-group, before they are written

template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && error == std::errc{} && end == text.data() + text.size() && number >= 0;
}

std::string scalar_name(unsigned r) {
    switch (r) {
        case kVccLo: return "vcc_lo";
        case kVccHi: return "vcc_hi";
        case kM0: return "m0";
        case kExecLo: return "exec_lo";
        case kExecHi: return "exec_hi";
        default: return r >= kTtmp0 && r < kNull ? fmt::format("ttmp{}", r - kTtmp0) : fmt::format("s{}", r);
    }
}

/// Calls `use` with each member of a set of vector registers, in order.
template <class Use>
void for_each(const RegSet& set, Use use) {
    for (unsigned word = 0; word < set.bits.size(); ++word)
        for (std::uint64_t left = set.bits[word]; left != 0; left &= left - 1)
            use(64 * word + static_cast<unsigned>(__builtin_ctzll(left)));
}

}  // namespace

Result<TraceOrder> parse_trace_order(std::string_view text) {
    TraceOrder order;
    std::size_t at = text.find(':');
    order.file = text.substr(0, at);
    bool good = !order.file.empty();
    while (good && at != std::string_view::npos) {
        const std::size_t next = text.find(':', at + 1);
        const std::string_view part = text.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals),
                               value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
        if (key == "kernel" && !value.empty()) order.kernel = value;
        else if (key == "group") good = parse_number(value, order.group);
        else if (key == "wave") good = parse_number(value, order.wave);
        else if (key == "max") good = parse_number(value, order.most);
        else good = false;
        at = next;
    }
    if (!good)
        return Status(Code::invalid_argument, fmt::format("\"{}\" is not FILE[:kernel=NAME][:group=N][:wave=N][:max=N]", text));
    return order;
}

TraceFile* TraceFile::instance() {
    static TraceFile* const file = []() -> TraceFile* {
        if (config().trace.empty()) return nullptr;
        auto order = parse_trace_order(config().trace);
        Status status = order.status();
        if (order.ok()) {
            auto* const opened = new TraceFile(std::move(*order));  // never destroyed: kernels may run while the process ends
            status = opened->open();
            if (status.ok()) return opened;
            delete opened;
        }
        fmt::print(stderr, "hipemu: HIPEMU_TRACE: {}; nothing is traced\n", status.message());
        return nullptr;
    }();
    return file;
}

TraceFile::~TraceFile() {
    if (stream_ != nullptr) std::fclose(stream_);
}

Status TraceFile::open() {
    stream_ = std::fopen(order_.file.c_str(), "we");
    if (stream_ == nullptr) return flashwave::errno_status(errno, "cannot create", order_.file);
    std::fputs(
        "# wave, offset in the code, EXEC before, instruction; registers it changed, a vector register with its first changed "
        "lane\n",
        stream_);
    return {};
}

void TraceFile::write(const std::vector<std::string>& lines) {
    const std::lock_guard lock(mutex_);
    if (stream_ == nullptr || written_ > order_.most) return;
    for (const std::string& line : lines) {
        if (written_++ >= order_.most) {
            fmt::print(stream_, "# cut: more than {} lines\n", order_.most);
            break;
        }
        std::fwrite(line.data(), 1, line.size(), stream_);
    }
    std::fflush(stream_);
}

bool TraceFile::full() const {
    const std::lock_guard lock(mutex_);
    return written_ > order_.most;
}

void InstructionTrace::start(const Workgroup& group) {
    finish();
    const TraceOrder& order = file_.order();
    const std::uint64_t index =
        group.id[0] + std::uint64_t{group.grid[0]} * (group.id[1] + std::uint64_t{group.grid[1]} * group.id[2]);
    wanted_ = (order.kernel.empty() || order.kernel == kernel_) &&
              (order.group < 0 || static_cast<std::uint64_t>(order.group) == index) && !file_.full();
    if (wanted_)
        lines_.push_back(fmt::format("kernel {}, group {} ({},{},{})\n", kernel_, index, group.id[0], group.id[1], group.id[2]));
}

void InstructionTrace::before(const Wave& wave, const Inst& inst) {
    exec_ = wave.exec();
    scc_ = wave.scc;
    std::copy(std::begin(wave.s), std::end(wave.s), scalars_);
    vectors_.clear();
    for_each(inst.writes, [&](unsigned r) { vectors_.insert(vectors_.end(), wave.v[r], wave.v[r] + kLanes); });
}

void InstructionTrace::after(const Wave& wave, const Inst& inst, std::string_view text) {
    std::string line = fmt::format("{} +{:#06x} {:08x} {}", wave.index, inst.address, exec_, text);
    const char* separator = " ; ";
    const auto add = [&](const std::string& change) {
        line += separator + change;
        separator = " ";
    };
    for (unsigned r = 0; r < kSink; ++r)
        if (r != kNull && wave.s[r] != scalars_[r]) add(fmt::format("{}={:08x}", scalar_name(r), wave.s[r]));
    if (wave.scc != scc_) add(wave.scc ? "scc=1" : "scc=0");
    const std::uint32_t* old = vectors_.data();
    for_each(inst.writes, [&](unsigned r) {
        const std::uint32_t* const now = wave.v[r];
        if (const auto [lane, was] = std::mismatch(now, now + kLanes, old); lane != now + kLanes)
            add(fmt::format("v{}[{}]={:08x}", r, lane - now, *lane));
        old += kLanes;
    });
    if (wave.state == WaveState::faulted && wave.fault) line += fmt::format(" ; STOPPED: {}", wave.fault->message);
    line += '\n';
    lines_.push_back(std::move(line));
    if (lines_.size() >= kMostLinesKept) {
        file_.write(lines_);
        lines_.clear();
        wanted_ = !file_.full();
    }
}

void InstructionTrace::finish() {
    if (!lines_.empty()) file_.write(lines_);
    lines_.clear();
    wanted_ = false;
}

}  // namespace hipemu
