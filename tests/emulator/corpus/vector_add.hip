// c = a + b, each thread one element, the last block partly idle.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) c[i] = a[i] + b[i];
}
