// The operators of one type, one result each, so that no compiler may fuse two of them.
#pragma once

#include "both.h"

constexpr int kIntegerResults = 18;

/// T: the type; U: the same without sign, in which sums and products wrap.
template <class T, class U>
BOTH void integer_results(T a, T b, T* out) {
    constexpr int kBits = static_cast<int>(sizeof(T) * 8);
    const bool divides = b != 0 && !(static_cast<T>(-1) < 0 && b == static_cast<T>(-1));
    out[0] = static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    out[1] = static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
    out[2] = static_cast<T>(static_cast<unsigned long long>(static_cast<U>(a)) * static_cast<U>(b));
    out[3] = divides ? static_cast<T>(a / b) : static_cast<T>(7);
    out[4] = divides ? static_cast<T>(a % b) : static_cast<T>(8);
    out[5] = static_cast<T>(a & b);
    out[6] = static_cast<T>(a | b);
    out[7] = static_cast<T>(a ^ b);
    out[8] = static_cast<T>(~a);
    out[9] = static_cast<T>(static_cast<U>(a) << (static_cast<U>(b) & (kBits - 1)));
    out[10] = static_cast<T>(a >> (static_cast<U>(b) & (kBits - 1)));
    out[11] = a < b ? a : b;
    out[12] = a > b ? a : b;
    out[13] = static_cast<T>((a < b ? 1 : 0) | (a == b ? 2 : 0) | (a >= b ? 4 : 0) | (a != 0 ? 8 : 0));
    out[14] = a < 0 ? static_cast<T>(static_cast<U>(0 - static_cast<U>(a))) : a;
    out[15] = static_cast<T>(a / static_cast<T>(7));
    out[16] = static_cast<T>(a % static_cast<T>(10));
    out[17] = static_cast<T>(static_cast<U>(a) * static_cast<U>(5) + static_cast<U>(b) * static_cast<U>(9));
}

constexpr int kFloatResults = 18;

template <class T>
BOTH void float_results(T a, T b, T* out) {
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = fma(a, b, a);
    out[5] = fmin(a, b);
    out[6] = fmax(a, b);
    out[7] = -a;
    out[8] = fabs(a);
    out[9] = sqrt(fabs(a));
    out[10] = floor(a);
    out[11] = ceil(a);
    out[12] = trunc(a);
    out[13] = rint(a);
    out[14] = round(a);
    out[15] = copysign(a, b);
    out[16] = a < b ? T(1) : T(2);
    out[17] = a >= b || a == T(0) ? b : a;
}
