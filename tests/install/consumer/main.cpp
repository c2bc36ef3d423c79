// A program against an installed flashwave. One query and one key: the softmax is 1, so the output is v.
#include <array>
#include <cstdint>
#include <cstdio>
#include <flashwave/flashwave.hpp>

int main() {
    auto runtime = flashwave::Runtime::create({.device = "emulated:gfx1100", .tune = flashwave::TuneMode::off});
    if (!runtime) return std::printf("%s\n", runtime.status().to_string().c_str()), 1;
    std::array<std::uint16_t, 64> v, o{};
    for (int i = 0; i < 64; ++i) v[i] = static_cast<std::uint16_t>(0x3c00 + i);  // f16: 1 and what follows it
    flashwave::Buffer in = runtime->allocate(sizeof v).value(), out = runtime->allocate(sizeof o).value();
    flashwave::Status status = in.upload(v.data(), sizeof v);
    const auto tensor = [](void* data) { return flashwave::TensorView::bhsd(data, flashwave::DType::f16, 1, 1, 1, 64); };
    const flashwave::TensorView x = tensor(in.data());
    if (status.ok()) status = runtime->forward({.q = x, .k = x, .v = x, .o = tensor(out.data())});
    if (status.ok()) status = out.download(o.data(), sizeof o);
    if (!status.ok()) return std::printf("%s\n", status.to_string().c_str()), 1;
    std::printf("flashwave %s on %s: output %s v\n", flashwave::version(), runtime->device().target.c_str(), o == v ? "equals" : "differs from");
}
