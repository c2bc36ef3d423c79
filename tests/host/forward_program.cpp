// host_forward CACHE_DIR MODE SEQ HEAD_DIM: one causal call on the emulator in a process of its own, checked against
// the reference. Prints "source=disk compiles=0 candidates=0 ready_ms=12.3 passed=1 geometry=..." and ends with 0; a
// failure ends with 1 and its status.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "flashwave/flashwave.hpp"
#include "problem/float16.hpp"
#include "problem/reference.hpp"

using namespace flashwave;

namespace {

constexpr int kHeads = 4, kHeadsKv = 2;

int fail(const Status& status) {
    std::printf("status=%s\n", status.to_string().c_str());
    return 1;
}

struct Tensor {
    std::vector<std::uint16_t> host;
    Buffer device;
    TensorView view;
};

Status make(Runtime& runtime, Tensor& tensor, int heads, int length, int dim, float step) {
    tensor.host.resize(static_cast<std::size_t>(heads * length * dim));
    for (std::size_t i = 0; i < tensor.host.size(); ++i)
        tensor.host[i] = float_to_f16(std::sin(static_cast<float>(i) * step));
    Result<Buffer> buffer = runtime.allocate(tensor.host.size() * 2);
    if (!buffer.ok()) return buffer.status();
    tensor.device = *std::move(buffer);
    tensor.view = TensorView::bhsd(tensor.device.data(), DType::f16, 1, heads, length, dim);
    return tensor.device.upload(tensor.host.data(), tensor.host.size() * 2);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) return 2;
    const int seq = std::atoi(arguments[3]), dim = std::atoi(arguments[4]);
    Result<Runtime> runtime = Runtime::create(
        {.device = "emulated:gfx1100", .cache_dir = arguments[1], .tune = parse_tune_mode(arguments[2])});
    if (!runtime.ok()) return fail(runtime.status());
    Tensor q, k, v, o;
    for (const Status& made : {make(*runtime, q, kHeads, seq, dim, 1.1f), make(*runtime, k, kHeadsKv, seq, dim, 0.7f),
                               make(*runtime, v, kHeadsKv, seq, dim, 0.3f), make(*runtime, o, kHeads, seq, dim, 0.0f)})
        if (!made.ok()) return fail(made);
    ForwardArgs args{.q = q.view, .k = k.view, .v = v.view, .o = o.view, .mask = Mask::causal};
    ForwardInfo info;
    const auto ready = std::chrono::steady_clock::now();
    if (const Status warmed = runtime->warm(args, &info); !warmed.ok()) return fail(warmed);
    const double ready_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - ready).count();
    ForwardInfo launched;
    if (const Status status = runtime->forward(args, &launched); !status.ok()) return fail(status);
    if (const Status status = o.device.download(o.host.data(), o.host.size() * 2); !status.ok()) return fail(status);

    ForwardCall call;
    if (const Status status = check_forward(args, Pointers::checked, call); !status.ok()) return fail(status);
    call.args.q.data = q.host.data();
    call.args.k.data = k.host.data();
    call.args.v.data = v.host.data();
    TensorView result = o.view;
    result.data = o.host.data();
    const Comparison comparison = compare_output(compute_reference(call, choose_rows(call, 500)), result);
    std::printf("source=%s compiles=%d candidates=%d ready_ms=%.1f passed=%d geometry=%s\n",
                std::string(name(info.source)).c_str(), info.compiles, info.candidates, ready_ms,
                comparison.passed ? 1 : 0, std::string(launched.geometry).c_str());
    return comparison.passed ? 0 : 1;
}
