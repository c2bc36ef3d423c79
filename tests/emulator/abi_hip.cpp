// The facts as HIP's own headers have them. Built only where those are installed.
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <hip/hip_deprecated.h>

#include <cstddef>

#include "emulator/abi_facts.hpp"

#define FACT(expression) {#expression, (long long)(expression)},
#define FIELD(type, member) {#type "." #member, (long long)offsetof(type, member)},

std::vector<AbiFact> hip_abi_facts() {
    return {
#include "emulator/abi_facts.inc"
    };
}
