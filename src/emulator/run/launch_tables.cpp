#include "emulator/run/launch_tables.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <utility>

#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

/// Programs whose tables are kept; those of a tuning's finalists are among them.
constexpr std::size_t kKept = 32;

struct Kept {
    std::weak_ptr<const Program> program;
    const Chip* chip = nullptr;
    bool is_timed = true;
    std::shared_ptr<const LaunchTables> tables;
};

class KeptTables {
public:
    std::shared_ptr<const LaunchTables> find(const Program& program, const Chip& chip, bool is_timed) {
        const std::lock_guard lock(mutex_);
        for (const Kept& one : kept_)
            if (one.chip == &chip && one.is_timed == is_timed && one.program.lock().get() == &program) return one.tables;
        return nullptr;
    }
    void keep(Kept one) {
        const std::lock_guard lock(mutex_);
        std::erase_if(kept_, [](const Kept& old) { return old.program.expired(); });
        if (kept_.size() >= kKept) kept_.pop_front();
        kept_.push_back(std::move(one));
    }

private:
    std::mutex mutex_;
    std::deque<Kept> kept_;
};

/// The cards in force never change; a card that somebody made for himself may.
bool is_constant(const Chip& chip) {
    const std::span<const Chip> all = chips();
    const std::less<const Chip*> before;
    return !before(&chip, all.data()) && before(&chip, all.data() + all.size());
}

}  // namespace

LaunchTables::LaunchTables(const Program& program, std::shared_ptr<const TimedProgram> timed_program)
    : timed(std::move(timed_program)), costs(program, timed.get()) {
    units.reserve(program.code.size());
    issue_cycles.reserve(program.code.size());
    for (const Inst& inst : program.code) {
        units.push_back(static_cast<std::uint8_t>(inst.unit));
        issue_cycles.push_back(inst.info != nullptr && !inst.info->no_effect ? inst.issue_cycles : std::uint8_t{0});
    }
}

std::shared_ptr<const LaunchTables> launch_tables(const std::shared_ptr<const Program>& program, const Chip& chip, bool is_timed,
                                                  std::shared_ptr<const TimedProgram> made) {
    static KeptTables kept;
    const bool keeps = is_constant(chip);
    if (keeps) {
        if (auto tables = kept.find(*program, chip, is_timed)) return tables;
    }
    if (is_timed && !made) made = std::make_shared<const TimedProgram>(*program, chip);
    if (!is_timed) made = nullptr;
    auto tables = std::make_shared<const LaunchTables>(*program, std::move(made));
    if (keeps) kept.keep({.program = program, .chip = &chip, .is_timed = is_timed, .tables = tables});
    return tables;
}

}  // namespace hipemu
