// Which build of the vector operations this process uses, decided once.
#if defined(HIPEMU_HAS_AVX2)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <cstring>

#include "emulator/isa/op_tables.hpp"

namespace hipemu {

namespace lanes_portable {
std::span<const OpInfo> all_ops();
}
#if defined(HIPEMU_HAS_AVX2)
namespace lanes_avx2 {
std::span<const OpInfo> all_ops();
}
#endif

bool host_has_avx2() {
#if defined(HIPEMU_HAS_AVX2)
    __builtin_cpu_init();
    // clang 14 does not know F16C by name; it is bit 29 of leaf 1's ECX, and usable where AVX2 is.
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 &&
           (ecx & bit_F16C) != 0;
#else
    return false;
#endif
}

LaneBuild chosen_lane_build() {
    static const LaneBuild build = [] {
        const char* portable = std::getenv("HIPEMU_PORTABLE");
        const bool asked = portable != nullptr && *portable != '\0' && std::strcmp(portable, "0") != 0;
        return !asked && host_has_avx2() ? LaneBuild::avx2 : LaneBuild::portable;
    }();
    return build;
}

std::span<const OpInfo> valu_ops(LaneBuild build) {
#if defined(HIPEMU_HAS_AVX2)
    if (build == LaneBuild::avx2) return lanes_avx2::all_ops();
#endif
    (void)build;
    return lanes_portable::all_ops();
}

}  // namespace hipemu
