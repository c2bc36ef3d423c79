// See abi_facts.inc.
#pragma once

#include <vector>

struct AbiFact {
    const char* name;
    long long value;
};
std::vector<AbiFact> our_abi_facts();
std::vector<AbiFact> hip_abi_facts();
