// Vector addition and a reduction through HIP's module API. Nothing here knows of an emulator: the program is linked against
// libamdhip64 and runs on whatever answers to that name.
//
//   ./hip_module kernels.co                                    on a GPU
//   LD_LIBRARY_PATH=/path/to/lib/hipemu ./hip_module kernels.co    on the emulator
#include <hip/hip_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                                    \
    do {                                                                                                   \
        hipError_t error_ = (call);                                                                        \
        if (error_ != hipSuccess) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error_));      \
            exit(1);                                                                                       \
        }                                                                                                  \
    } while (0)

int main(int argc, char** argv) {
    int n = 1 << 16;
    const size_t bytes = n * sizeof(float);

    HIP_CHECK(hipInit(0));
    hipDevice_t device;
    HIP_CHECK(hipDeviceGet(&device, 0));
    char name[256];
    HIP_CHECK(hipDeviceGetName(name, sizeof(name), device));
    printf("device: %s\n", name);

    hipModule_t module;
    hipFunction_t vector_add, reduce;
    HIP_CHECK(hipModuleLoad(&module, argc > 1 ? argv[1] : "kernels.co"));
    HIP_CHECK(hipModuleGetFunction(&vector_add, module, "vector_add"));
    HIP_CHECK(hipModuleGetFunction(&reduce, module, "reduce"));

    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) {
        a[i] = 0.5f * (i % 100);
        b[i] = 0.25f * (i % 7);
    }

    void *d_a, *d_b, *d_c, *d_sum;
    HIP_CHECK(hipMalloc(&d_a, bytes));
    HIP_CHECK(hipMalloc(&d_b, bytes));
    HIP_CHECK(hipMalloc(&d_c, bytes));
    HIP_CHECK(hipMalloc(&d_sum, sizeof(float)));

    hipStream_t stream;
    hipEvent_t start, stop;
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&stop));

    HIP_CHECK(hipMemcpyAsync(d_a, a.data(), bytes, hipMemcpyHostToDevice, stream));
    HIP_CHECK(hipMemcpyAsync(d_b, b.data(), bytes, hipMemcpyHostToDevice, stream));
    HIP_CHECK(hipMemsetAsync(d_sum, 0, sizeof(float), stream));

    HIP_CHECK(hipEventRecord(start, stream));
    void* add_args[] = {&d_a, &d_b, &d_c, &n};
    HIP_CHECK(hipModuleLaunchKernel(vector_add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, add_args, nullptr));
    void* reduce_args[] = {&d_c, &d_sum, &n};
    HIP_CHECK(hipModuleLaunchKernel(reduce, 64, 1, 1, 256, 1, 1, 0, stream, reduce_args, nullptr));
    HIP_CHECK(hipEventRecord(stop, stream));

    float sum = 0, milliseconds = 0;
    HIP_CHECK(hipMemcpyAsync(c.data(), d_c, bytes, hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipMemcpyAsync(&sum, d_sum, sizeof(float), hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    HIP_CHECK(hipEventElapsedTime(&milliseconds, start, stop));

    double expected = 0;
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        if (c[i] != a[i] + b[i]) wrong++;
        expected += a[i] + b[i];
    }
    const bool sum_ok = fabs(sum - expected) <= 1e-5 * expected;
    printf("vector_add: %d of %d elements wrong\n", wrong, n);
    printf("reduce: %.1f, expected %.1f\n", sum, expected);
    printf("both kernels: %.1f us\n", milliseconds * 1e3);

    HIP_CHECK(hipEventDestroy(start));
    HIP_CHECK(hipEventDestroy(stop));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipFree(d_a));
    HIP_CHECK(hipFree(d_b));
    HIP_CHECK(hipFree(d_c));
    HIP_CHECK(hipFree(d_sum));
    HIP_CHECK(hipModuleUnload(module));
    return wrong == 0 && sum_ok ? 0 : 1;
}
