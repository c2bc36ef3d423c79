// Which findings stop a launch. Accesses outside every allocation, unknown instructions, traps and hangs always do.
#pragma once

#include <string>
#include <string_view>

#include "flashwave/status.hpp"

namespace hipemu {

struct Strictness {
    bool undefined = true;     // undefined bits at a branch, EXEC, an address, a store to global memory
    bool waits = true;         // a register used before the wait for the load that fills it
    bool lds_races = true;     // two waves, the same bytes of LDS, unordered, one of them writing
    bool global_races = true;  // two work-groups, the same bytes of global memory, likewise
    bool misaligned = true;    // an address that is no multiple of the element's size
    bool wmma = true;          // the halves of a matrix operand differ
    bool hazards = true;       // wait states that the hardware does not insert by itself
    bool barriers = true;      // warnings of barriers that not every wave or lane reaches

    static Strictness none();
    bool operator==(const Strictness&) const = default;
};

/// "1" or "all", "0" or "none", or a list that starts from all where its first word begins with '-' and from none otherwise:
/// "waits,lds_races", "-misaligned,-barriers".
flashwave::Result<Strictness> parse_strictness(std::string_view text);

/// The list that parse_strictness reads.
std::string to_string(const Strictness& strictness);

}  // namespace hipemu
