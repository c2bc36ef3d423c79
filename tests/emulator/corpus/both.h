// What a corpus header needs to be the same source for the device's compiler and for the host's.
#pragma once

#ifdef __HIP__
#define BOTH __device__ inline
#else
#include <cmath>
#define BOTH inline
using std::ceil, std::copysign, std::fabs, std::floor, std::fma, std::fmax, std::fmin, std::rint, std::round, std::sqrt, std::trunc;
#endif
