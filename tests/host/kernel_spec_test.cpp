#include "problem/kernel_spec.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "autotune/tuner.hpp"
#include "host/example_call.hpp"

using namespace flashwave;
using namespace flashwave::testing;

namespace {

const Arch& gfx1100() { return *find_arch("gfx1100"); }

ProblemKey example_key() { return {.target = "gfx1100", .head_dim = 128, .seq_q = 1024, .seq_k = 1024}; }

Digest code_key(const ProblemKey& key, const Candidate& candidate = {}) {
    return make_compile_unit(key, candidate, gfx1100(), sha256("toolchain")).kernel.fp;
}

ForwardCall call_of(const ForwardArgs& args) {
    ForwardCall call;
    const Status status = check_forward(args, Pointers::checked, call);
    REQUIRE_MESSAGE(status.ok(), status.message());
    return call;
}

}  // namespace

TEST_CASE("every field of a candidate changes the code's key and the kernel's name") {
    const std::function<void(Candidate&)> changes[] = {
        [](Candidate& c) { c.kernel = Kernel::naive; },
        [](Candidate& c) { c.waves = 4; },
        [](Candidate& c) { c.q_tiles = 2; },
        [](Candidate& c) { c.block_n = 32; },
        [](Candidate& c) { c.q_in_lds = true; },
        [](Candidate& c) { c.prefetch = false; },
        [](Candidate& c) { c.lds_stages = 2; },
        [](Candidate& c) { c.lazy_rescale = false; },
        [](Candidate& c) { c.min_waves = 4; },
    };
    CHECK(std::size(changes) == field_names<Candidate>().size());
    std::set<Digest> keys{code_key(example_key())};
    std::set<std::string> names{make_kernel_spec(example_key(), {}, gfx1100()).entry};
    for (const auto& change : changes) {
        Candidate candidate;
        change(candidate);
        keys.insert(code_key(example_key(), candidate));
        names.insert(make_kernel_spec(example_key(), candidate, gfx1100()).entry);
    }
    CHECK(keys.size() == std::size(changes) + 1);
    CHECK(names.size() == std::size(changes) + 1);
}

TEST_CASE("what changes the code of a key changes the code's key") {
    const Digest base = code_key(example_key());
    const std::function<void(ProblemKey&)> changes[] = {
        [](ProblemKey& k) { k.target = "gfx1101"; }, [](ProblemKey& k) { k.dtype = DType::bf16; },
        [](ProblemKey& k) { k.head_dim = 64; },      [](ProblemKey& k) { k.mask = MaskKind::bottom_right; },
        [](ProblemKey& k) { k.align = 2; },
    };
    for (const auto& change : changes) {
        ProblemKey key = example_key();
        change(key);
        CHECK(code_key(key) != base);
    }
    CHECK(make_compile_unit(example_key(), {}, gfx1100(), sha256("another toolchain")).kernel.fp != base);
}

TEST_CASE("keys that differ in size, group or the alignment of their mask share one code object") {
    const Digest base = code_key(example_key());
    const std::function<void(ProblemKey&)> changes[] = {
        [](ProblemKey& k) { k.seq_q = 64; },
        [](ProblemKey& k) { k.seq_k = 64; },
        [](ProblemKey& k) { k.parallel = 512; },
        [](ProblemKey& k) { k.group = 8; },
    };
    for (const auto& change : changes) {
        ProblemKey key = example_key();
        change(key);
        CHECK(code_key(key) == base);
    }
    ProblemKey top = example_key(), bottom = example_key();
    top.mask = MaskKind::top_left;
    bottom.mask = MaskKind::bottom_right;
    CHECK(code_key(top) == code_key(bottom));
}

TEST_CASE("the grid covers every query row, and one beyond HIP's limit is refused") {
    const Candidate candidate{.waves = 8, .q_tiles = 1};
    const auto grid_of = [&](Shape shape) { return make_grid(call_of(example_args(shape)), candidate); };
    CHECK(grid_of({.batch = 2, .heads_q = 4, .seq_q = 1}).groups == 8);
    CHECK(grid_of({.batch = 2, .heads_q = 4, .seq_q = 128}).groups == 8);
    CHECK(grid_of({.batch = 2, .heads_q = 4, .seq_q = 129}).groups == 16);
    CHECK(grid_of({.seq_q = 129}).q_blocks == 2);
    CHECK(grid_of({}).threads == 256);
    CHECK(check_grid({.q_blocks = 1, .groups = (1 << 24) - 1, .threads = 256}).ok());
    const Status status = check_grid({.q_blocks = 1, .groups = 1 << 24, .threads = 256});
    CHECK(status.code() == Code::unsupported);
    CHECK(status.message().find("16777216 work-groups of 256 threads") != std::string::npos);
}

TEST_CASE("arguments carry strides, scale and the shift of the causal diagonal") {
    ForwardArgs args = example_args({.heads_q = 6, .heads_kv = 2, .seq_q = 10, .seq_k = 25});
    args.mask = Mask::causal;
    args.alignment = Alignment::bottom_right;
    args.scale = 0.25f;
    ForwardCall call = call_of(args);
    kernel::ForwardArgs kernel = make_kernel_args(call, make_grid(call, {}));
    CHECK(kernel.causal_shift == 15);
    CHECK(kernel.group == 3);
    CHECK(kernel.scale == 0.25f);
    CHECK(kernel.scale_log2 == doctest::Approx(0.25 * 1.4426950408889634));
    CHECK(kernel.q_stride[1] == 10 * 64);
    CHECK(kernel.k_stride[0] == 2 * 25 * 64);
    CHECK(kernel.lse_stride[0] == 60);
    args.alignment = Alignment::top_left;
    call = call_of(args);
    CHECK(make_kernel_args(call, make_grid(call, {})).causal_shift == 0);
}
