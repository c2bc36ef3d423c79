// The instruction trace of HIPEMU_TRACE: each instruction that a wave runs, as a line of text with the registers it changed. The file is
// opened at the first launch; work-groups are written whole, in the order in which they end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/state/wave.hpp"
#include "flashwave/status.hpp"

namespace hipemu {

/// What HIPEMU_TRACE asks for: "FILE[:kernel=NAME][:group=N][:wave=N][:max=N]".
struct TraceOrder {
    std::string file;
    std::string kernel;           // only this one; empty: every kernel
    std::int64_t group = -1;      // in grid order; -1: every group
    std::int64_t wave = -1;       // of its work-group; -1: every wave
    std::uint64_t most = 1'000'000;  // lines
};

/// invalid_argument: not of that form.
flashwave::Result<TraceOrder> parse_trace_order(std::string_view text);

/// The file, shared by all host threads. Thread-safe.
class TraceFile {
public:
    /// Of this process: nullptr if no trace is asked for or the file cannot be written, which is said once.
    static TraceFile* instance();

    explicit TraceFile(TraceOrder order) : order_(std::move(order)) {}
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;
    ~TraceFile();

    flashwave::Status open();
    const TraceOrder& order() const { return order_; }
    /// Lines of one work-group. What is beyond the order's `most` is left out, and a last line says so.
    void write(const std::vector<std::string>& lines);
    bool full() const;

private:
    TraceOrder order_;
    mutable std::mutex mutex_;
    std::FILE* stream_ = nullptr;
    std::uint64_t written_ = 0;
};

/// The lines of the work-groups that one host thread runs.
class InstructionTrace {
public:
    InstructionTrace(TraceFile& file, std::string kernel) : file_(file), kernel_(std::move(kernel)) {}
    ~InstructionTrace() { finish(); }
    InstructionTrace(const InstructionTrace&) = delete;
    InstructionTrace& operator=(const InstructionTrace&) = delete;

    /// A work-group starts; the one before it is written.
    void start(const Workgroup& group);
    bool wants(const Wave& wave) const { return wanted_ && (file_.order().wave < 0 || file_.order().wave == wave.index); }

    void before(const Wave& wave, const Inst& inst);
    /// `text`: the instruction as listed. It may have been stopped by a finding.
    void after(const Wave& wave, const Inst& inst, std::string_view text);
    void finish();

private:
    TraceFile& file_;
    std::string kernel_;
    bool wanted_ = false;
    std::vector<std::string> lines_;
    // As they were before the instruction.
    std::vector<std::uint32_t> vectors_;  // the written ones, kLanes each
    std::uint32_t scalars_[kScalars] = {};
    std::uint32_t exec_ = 0;
    bool scc_ = false;
};

}  // namespace hipemu
