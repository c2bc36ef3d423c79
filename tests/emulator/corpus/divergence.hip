// Lanes that part ways: nested branches, a loop of a different length in each lane, a switch, early returns, votes.
extern "C" __global__ void divergence(const int* in, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    int x = in[i], steps = 0;
    while (x != 1 && steps < 500) {  // Collatz
        if (x & 1) x = 3 * x + 1;
        else x /= 2;
        ++steps;
    }
    int kind = 0;
    switch (in[i] % 5) {
        case 0: kind = 10; break;
        case 1: kind = in[i] > 50 ? 20 : 21;  // falls through
        case 2: kind += 1; break;
        case 3:
            for (int k = 0; k < in[i] % 7; ++k) {
                if (k == 4) break;
                kind += k;
            }
            break;
        default: kind = -1;
    }
    const unsigned long long voters = __ballot(steps > 20);
    if (steps > 100) {
        out[i] = -steps;
        return;
    }
    out[i] = steps * 1000 + kind * 10 + (__popcll(voters) > 0 && steps > 20 ? 1 : 0);
}
