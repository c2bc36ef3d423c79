// Our declarations of HIP against HIP's own headers.
#include <doctest/doctest.h>

#include <cstddef>

#include "emulator/abi_facts.hpp"
#include "hip/hip_abi.hpp"

#define FACT(expression) {#expression, (long long)(expression)},
#define FIELD(type, member) {#type "." #member, (long long)offsetof(type, member)},

std::vector<AbiFact> our_abi_facts() {
    return {
#include "emulator/abi_facts.inc"
    };
}

TEST_CASE("our declarations are those of HIP's headers") {
    const std::vector<AbiFact> ours = our_abi_facts(), theirs = hip_abi_facts();
    REQUIRE_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        CAPTURE(ours[i].name);
        CHECK_EQ(ours[i].value, theirs[i].value);
    }
}
