#include <cstdio>
#include <flashwave/flashwave.hpp>
#include <vector>
using namespace flashwave;

int main() {
    Runtime runtime = Runtime::create({.device = "emulated:gfx1100"}).value();  // or "hip:0", the first GPU
    std::vector<std::uint16_t> host(8 * 256 * 64, 0x3c00);                      // ones in fp16
    const std::size_t bytes = host.size() * sizeof(host[0]);
    Buffer input = runtime.allocate(bytes).value(), output = runtime.allocate(bytes).value();
    const auto tensor = [](Buffer& memory) { return TensorView::bhsd(memory.data(), DType::f16, 1, 8, 256, 64); };
    const TensorView x = tensor(input), o = tensor(output);  // [batch 1, heads 8, length 256, head_dim 64]
    Status status = input.upload(host.data(), bytes);
    if (status.ok()) status = runtime.forward({.q = x, .k = x, .v = x, .o = o, .mask = Mask::causal});
    if (status.ok()) status = output.download(host.data(), bytes);
    std::printf("%s: o[0] is 0x%04x, and 1.0 is 0x3c00\n", status.to_string().c_str(), host[0]);
    return status.ok() ? 0 : 1;
}
