#include "kernels/kernel_runner.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "compile/compile_request.hpp"
#include "hip/buffer.hpp"
#include "problem/reference.hpp"

namespace flashwave::testing {
namespace {

constexpr std::size_t kGuard = 256;  // bytes before and behind an output
constexpr int kPoison = 0xff;        // NaN in fp16, bf16 and fp32

// Device memory of an output, between guards that the kernel must leave alone.
struct Guarded {
    hip::Buffer buffer;
    std::size_t bytes = 0;

    static Result<Guarded> allocate(const hip::Device& device, std::size_t bytes) {
        Result<hip::Buffer> buffer = hip::Buffer::allocate(device, bytes + 2 * kGuard);
        if (!buffer) return buffer.status();
        FLASHWAVE_RETURN_IF_ERROR(buffer->fill(kPoison));
        return Guarded{std::move(*buffer), bytes};
    }
    char* data() const { return buffer.as<char>() + kGuard; }

    Status read(const char* name, std::vector<unsigned char>& into) const {
        std::vector<unsigned char> all(bytes + 2 * kGuard);
        FLASHWAVE_RETURN_IF_ERROR(buffer.download(all.data(), all.size()));
        for (std::size_t i = 0; i < all.size(); ++i)
            if ((i < kGuard || i >= kGuard + bytes) && all[i] != kPoison)
                return Status(Code::wrong_result, fmt::format("{}: the byte {} {} was written", name,
                                                              i < kGuard ? kGuard - i : i - kGuard - bytes + 1,
                                                              i < kGuard ? "before its first" : "behind its last"));
        into.assign(all.begin() + kGuard, all.end() - kGuard);
        return {};
    }
};

Result<hip::Buffer> uploaded(const hip::Device& device, const HostTensor& tensor) {
    // An input has no slack: what a kernel reads before or behind it is outside every allocation.
    Result<hip::Buffer> buffer = hip::Buffer::allocate(device, tensor.storage.size() * 2);
    if (buffer && buffer->size()) FLASHWAVE_RETURN_IF_ERROR(buffer->upload(tensor.storage.data(), buffer->size()));
    return buffer;
}

// What lies in the holes of a strided output is not the kernel's.
Status check_holes(const HostTensor& o, const std::vector<std::uint16_t>& written) {
    std::vector<bool> element(written.size(), false);
    const auto [batch, heads, rows, dim] = o.view.shape;
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t i = 0; i < rows; ++i) {
                const std::int64_t at = b * o.view.strides[0] + h * o.view.strides[1] + i * o.view.strides[2];
                std::fill_n(element.begin() + static_cast<std::ptrdiff_t>(o.first) + at, dim, true);
            }
    for (std::size_t i = 0; i < written.size(); ++i)
        if (!element[i] && written[i] != 0xffff)
            return Status(Code::wrong_result,
                          fmt::format("o: element {} of its storage, in a hole between rows, was written", i));
    return {};
}

std::string repeat_command(const KernelCase& test) {
    return fmt::format("FLASHWAVE_KERNEL_CASE='{}' {}/bin/kernels_test -tc='the case of FLASHWAVE_KERNEL_CASE'",
                       to_text(test), FLASHWAVE_BUILD_DIR);
}

}  // namespace

std::string test_device_name() {
    const char* name = std::getenv("FLASHWAVE_TEST_DEVICE");
    return name && *name ? name : "emulated:gfx1100";
}

Result<CaseCall> make_case_call(const KernelCase& test, const CaseTensors& tensors, float* lse,
                                const std::string& target) {
    CaseCall made;
    ForwardArgs args{.q = tensors.q.view, .k = tensors.k.view, .v = tensors.v.view, .o = tensors.o.view, .lse = lse};
    args.mask = test.mask == MaskKind::none ? Mask::none : Mask::causal;
    args.alignment = test.mask == MaskKind::top_left ? Alignment::top_left : Alignment::bottom_right;
    FLASHWAVE_RETURN_IF_ERROR(check_forward(args, Pointers::ignored, made.call));
    if (test.placement == Placement::odd) made.call.align = 2;
    TargetName name;
    if (!name.assign(target)) return Status(Code::invalid_argument, target + " is too long for a target");
    made.key = make_problem_key(made.call, name);
    Result<Candidate> candidate = parse_geometry(test.geometry);
    if (!candidate) return candidate.status();
    made.candidate = *candidate;
    return made;
}

Result<std::unique_ptr<KernelRunner>> KernelRunner::open() {
    Result<hip::Device> device = hip::Device::open(test_device_name());
    if (!device) return device.status();
    FLASHWAVE_RETURN_IF_ERROR(device->make_current());
    return std::unique_ptr<KernelRunner>(new KernelRunner(std::move(*device)));
}

CompileJob KernelRunner::job_of(const KernelSpec& spec) const {
    return kernel_job(spec.main_file, target(), spec.options);
}

Status KernelRunner::prepare(const std::vector<KernelCase>& tests) {
    std::vector<std::string> entries;
    std::vector<CompileJob> jobs;
    for (const KernelCase& test : tests) {
        KernelCase shape = test;  // tensors are not needed, their placement is
        shape.batch = shape.heads_q = shape.heads_kv = 1;
        const CaseTensors tensors = make_tensors(shape);
        Result<CaseCall> made = make_case_call(shape, tensors, nullptr, target());
        if (!made) return made.status().with_context(to_text(test));
        const Arch* arch = find_arch(target());
        if (!arch) return Status(Code::unsupported, "no kernels for " + target());
        const KernelSpec spec = make_kernel_spec(made->key, made->candidate, *arch);
        if (objects_.contains(spec.entry) || std::ranges::find(entries, spec.entry) != entries.end()) continue;
        entries.push_back(spec.entry);
        jobs.push_back(job_of(spec));
    }
    Status first;
    pool_.compile_all(jobs, [&](std::size_t i, Result<CompiledObject> object) {
        if (object) objects_[entries[i]] = std::move(object->code);
        else if (first.ok()) first = object.status().with_context(entries[i]);
    });
    return first;
}

Result<std::string> KernelRunner::code_object(const KernelSpec& spec) {
    if (const auto known = objects_.find(spec.entry); known != objects_.end()) return known->second;
    Result<CompiledObject> object = pool_.compile(job_of(spec));
    if (!object) return object.status().with_context(spec.entry);
    return objects_[spec.entry] = std::move(object->code);
}

Result<hip::Kernel> KernelRunner::kernel(const KernelSpec& spec) {
    auto module = modules_.find(spec.entry);
    if (module == modules_.end()) {
        Result<std::string> code = code_object(spec);
        if (!code) return code.status();
        Result<hip::Module> loaded = hip::Module::load(device_, std::as_bytes(std::span(code->data(), code->size())));
        if (!loaded) return loaded.status();
        module = modules_.emplace(spec.entry, std::move(*loaded)).first;
    }
    return module->second.kernel(spec.entry);
}

Result<CaseOutput> KernelRunner::run(const KernelCase& test, const CaseTensors& tensors) {
    float wants_lse = 0;
    Result<CaseCall> made = make_case_call(test, tensors, test.lse ? &wants_lse : nullptr, target());
    if (!made) return made.status();
    const Arch* arch = find_arch(target());
    if (!arch) return Status(Code::unsupported, "no kernels for " + target());
    Result<hip::Kernel> kernel = this->kernel(make_kernel_spec(made->key, made->candidate, *arch));
    if (!kernel) return kernel.status();

    Result<hip::Buffer> q = uploaded(device_, tensors.q), k = uploaded(device_, tensors.k),
                        v = uploaded(device_, tensors.v);
    for (const auto* buffer : {&q, &k, &v})
        if (!*buffer) return buffer->status();
    const auto first_of = [](const hip::Buffer& buffer, const HostTensor& tensor) {
        return buffer.data() ? static_cast<void*>(buffer.as<std::uint16_t>() + tensor.first) : nullptr;
    };
    made->call.args.q.data = first_of(*q, tensors.q);
    made->call.args.k.data = first_of(*k, tensors.k);
    made->call.args.v.data = first_of(*v, tensors.v);

    const std::size_t o_bytes = tensors.o.storage.size() * 2;
    const std::size_t rows = static_cast<std::size_t>(test.batch) * static_cast<std::size_t>(test.heads_q) *
                             static_cast<std::size_t>(test.seq_q);
    std::vector<unsigned char> o_bits[2], lse_bits[2];
    for (int run = 0; run < 2; ++run) {
        Result<Guarded> o = Guarded::allocate(device_, o_bytes), lse = Guarded::allocate(device_, rows * sizeof(float));
        if (!o) return o.status();
        if (!lse) return lse.status();
        made->call.args.o.data = o->data() + tensors.o.first * 2;
        made->call.args.lse = test.lse ? reinterpret_cast<float*>(lse->data()) : nullptr;
        const Grid grid = make_grid(made->call, made->candidate);
        const kernel::ForwardArgs args = make_kernel_args(made->call, grid);
        const hip::LaunchShape shape{.grid = {static_cast<std::uint32_t>(grid.groups), 1, 1},
                                     .block = {static_cast<std::uint32_t>(grid.threads), 1, 1}};
        FLASHWAVE_RETURN_IF_ERROR(kernel->launch(shape, nullptr, &args, sizeof args));
        FLASHWAVE_RETURN_IF_ERROR(device_.synchronize());
        FLASHWAVE_RETURN_IF_ERROR(o->read("o", o_bits[run]));
        FLASHWAVE_RETURN_IF_ERROR(lse->read("lse", lse_bits[run]));
    }
    if (o_bits[0] != o_bits[1] || lse_bits[0] != lse_bits[1])
        return Status(Code::wrong_result, "two runs gave different bits");
    CaseOutput output{.o = std::vector<std::uint16_t>(tensors.o.storage.size()), .lse = {}};
    std::memcpy(output.o.data(), o_bits[0].data(), o_bytes);
    if (test.lse) {
        output.lse.resize(rows);
        std::memcpy(output.lse.data(), lse_bits[0].data(), lse_bits[0].size());
    }
    FLASHWAVE_RETURN_IF_ERROR(check_holes(tensors.o, output.o));
    return output;
}

std::string KernelRunner::check(const KernelCase& test) {
    const auto failed = [&](const std::string& what) {
        return fmt::format("{}\n  {}\n  repeat: {}", to_text(test), what, repeat_command(test));
    };
    const CaseTensors tensors = make_tensors(test);
    Result<CaseOutput> output = run(test, tensors);
    if (!output) return failed(output.status().to_string());
    Result<CaseCall> made = make_case_call(test, tensors, test.lse ? output->lse.data() : nullptr, target());
    if (!made) return failed(made.status().to_string());

    const Reference reference = compute_reference(made->call, choose_rows(made->call, 1 << 20));
    TensorView o = tensors.o.view;
    o.data = output->o.data() + tensors.o.first;
    if (const Comparison outcome = compare_output(reference, o); !outcome.passed) return failed(outcome.sentence("o"));
    if (test.lse)
        if (const Comparison outcome = compare_lse(reference, made->call, output->lse.data()); !outcome.passed)
            return failed(outcome.sentence("lse"));
    return {};
}

KernelRunner& runner() {
    static Result<std::unique_ptr<KernelRunner>> opened = KernelRunner::open();
    REQUIRE_MESSAGE(opened.ok(), opened.status().to_string());
    return **opened;
}

void check_cases(const std::vector<KernelCase>& tests) {
    KernelRunner& run = runner();
    const Status prepared = run.prepare(tests);
    REQUIRE_MESSAGE(prepared.ok(), prepared.to_string());
    for (const KernelCase& test : tests) {
        const std::string failure = run.check(test);
        CHECK_MESSAGE(failure.empty(), failure);
    }
}

}  // namespace flashwave::testing
