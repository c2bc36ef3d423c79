// Calls through pointers, recursion, structs by value, a jump table, private memory reached through generic pointers.
struct Record {
    char tag;      // three bytes of padding follow
    int value;
    short weight;  // and two here
};

using Operation = int (*)(int, int);
__device__ __attribute__((noinline)) int add(int a, int b) { return a + b; }
__device__ __attribute__((noinline)) int subtract(int a, int b) { return a - b; }
__device__ __attribute__((noinline)) int multiply(int a, int b) { return a * b; }
__device__ Operation const kOperations[] = {add, subtract, multiply};

__device__ __attribute__((noinline)) int ackermann_like(int n) { return n < 2 ? n + 1 : ackermann_like(n - 1) + 2 * ackermann_like(n - 2); }

__device__ __attribute__((noinline)) Record changed(Record record, int by) {
    record.value += by;
    record.weight = static_cast<short>(record.weight * 2);
    return record;
}

__device__ __attribute__((noinline)) void bump(int* where) { *where += 10; }

__device__ int by_table(int kind, int x) {
    switch (kind) {
        case 0: return x + 1;
        case 1: return x * 2;
        case 2: return x - 3;
        case 3: return x ^ 5;
        case 4: return x << 2;
        case 5: return x >> 1;
        case 6: return ~x;
        default: return 0;
    }
}

extern "C" __global__ void calls(const int* in, int* out, Record* records, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const int x = in[i];
    out[i * 5] = kOperations[(x & 0xff) % 3](x, i);
    out[i * 5 + 1] = ackermann_like(i % 8);
    int mine = x;
    bump(i % 2 == 0 ? &mine : &out[i * 5 + 3]);
    out[i * 5 + 2] = mine;
    out[i * 5 + 4] = by_table(i % 8, x);
    records[i] = changed(Record{static_cast<char>(i), x, 3}, i);
}
