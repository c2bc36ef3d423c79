// A table of instruction cases: one line of assembly, registers before, registers after, all written by hand.
//
// Values: 0x1f or -3 (bits, integers), 1.5f (float), 1.5h (half, exactly representable), 1.5d (double, fills two registers).
// Registers: v3, s7, vcc, exec, scc, mode (before; denormals are kept otherwise); v4:5 takes a 64-bit value; v4.. (four or eight registers) are written singly.
#pragma once

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace emulator_test {

struct Case {
    std::string_view line;
    std::string_view before;
    std::string_view after;
    bool every_lane = false;  // ignores EXEC: not repeated with half of the lanes off
};

/// Cases with static lifetime: making a table counts its mnemonics as covered, whichever tests run.
class CaseTable {
public:
    CaseTable(std::initializer_list<Case> cases) : CaseTable(std::vector<Case>(cases)) {}
    explicit CaseTable(std::vector<Case> cases);

    /// Runs every case on every lane build, with all lanes and with some lanes off.
    void check() const;

private:
    std::vector<Case> cases_;
};

/// For mnemonics whose tests need more than a line.
bool covers(std::initializer_list<std::string_view> mnemonics);

/// The mnemonics, without encoding suffix, that have a case in this program.
const std::set<std::string, std::less<>>& covered_mnemonics();

}  // namespace emulator_test
