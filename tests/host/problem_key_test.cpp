#include "problem/problem_key.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "host/example_call.hpp"

using namespace flashwave;
using namespace flashwave::testing;

namespace {

ProblemKey key_of(const ForwardArgs& args, const TargetName& target = "gfx1100") {
    ForwardCall call;
    const Status status = check_forward(args, Pointers::checked, call);
    REQUIRE_MESSAGE(status.ok(), status.message());
    return make_problem_key(call, target);
}

ProblemKey key_of(Shape shape) { return key_of(example_args(shape)); }

}  // namespace

TEST_CASE("whatever changes the code or the size class changes the key") {
    const ProblemKey base = key_of(Shape{});
    CHECK(key_of(example_args(), "gfx1101") != base);
    CHECK(key_of(Shape{.dtype = DType::bf16}) != base);
    CHECK(key_of(Shape{.head_dim = 128}) != base);
    CHECK(key_of(Shape{.heads_kv = 4}) != base);
    CHECK(key_of(Shape{.seq_q = 300, .seq_k = 96}) != base);
    CHECK(key_of(Shape{.seq_k = 300}) != base);
    CHECK(key_of(Shape{.batch = 16}) != base);

    ForwardArgs args = example_args();
    args.mask = Mask::causal;
    const ProblemKey causal = key_of(args);
    CHECK(causal != base);

    args = example_args({.seq_k = 97});
    args.mask = Mask::causal;
    args.alignment = Alignment::bottom_right;
    const ProblemKey bottom = key_of(args);
    args.alignment = Alignment::top_left;
    CHECK(key_of(args) != bottom);

    args = example_args();
    args.k.strides[2] = 66;
    CHECK(key_of(args) != base);  // rows that do not start at multiples of 16 bytes need other code
}

TEST_CASE("what the kernel takes as an argument leaves the key alone") {
    const ProblemKey base = key_of(Shape{});
    ForwardArgs args = example_args();
    args.scale = 0.5f;
    args.lse = static_cast<float*>(fake_pointer(9));
    args.stream = fake_pointer(10);
    args.q.data = fake_pointer(11);
    CHECK(key_of(args) == base);
    args.k.strides = {96 * 2 * 64, 64, 2 * 64, 1};
    CHECK(key_of(args) == base);
    CHECK(key_of(Shape{.seq_q = 97, .seq_k = 128}) == base);                // the same length buckets
    CHECK(key_of(Shape{.batch = 1, .heads_q = 8, .heads_kv = 4}) == base);  // the same rows of work
}

TEST_CASE("each field takes part in equality, quick hash and fingerprint") {
    const ProblemKey base = key_of(Shape{});
    const std::function<void(ProblemKey&)> changes[] = {
        [](ProblemKey& k) { k.target = "gfx1151"; },
        [](ProblemKey& k) { k.dtype = DType::bf16; },
        [](ProblemKey& k) { k.head_dim = 128; },
        [](ProblemKey& k) { k.group = 5; },
        [](ProblemKey& k) { k.mask = MaskKind::top_left; },
        [](ProblemKey& k) { k.align = 2; },
        [](ProblemKey& k) { k.seq_q = 4096; },
        [](ProblemKey& k) { k.seq_k = 4096; },
        [](ProblemKey& k) { k.parallel = 512; },
    };
    // Operation and layout have one value each so far; the rest must all be here.
    CHECK(std::size(changes) + 2 == field_names<ProblemKey>().size());
    for (const auto& change : changes) {
        ProblemKey other = base;
        change(other);
        CHECK(other != base);
        CHECK(quick_hash(other) != quick_hash(base));
        CHECK(fingerprint(other) != fingerprint(base));
    }
}

TEST_CASE("a key survives its JSON form") {
    const ProblemKey key = key_of(example_args(), "gfx942:sramecc+:xnack-");
    const auto again = parse_json<ProblemKey>(to_json(key));
    REQUIRE_MESSAGE(again.ok(), again.status().message());
    CHECK(*again == key);
}

TEST_CASE("length buckets are powers of two from one tile up") {
    const std::pair<int, int> expected[] = {
        {0, 0},    {1, 1},       {2, 16},      {16, 16},       {17, 32},           {64, 64},
        {65, 128}, {2048, 2048}, {2049, 4096}, {65536, 65536}, {2147483647, 65536}};
    for (const auto& pair : expected) {
        const int length = pair.first, bucket = pair.second;
        CAPTURE(length);
        CHECK(length_bucket(length) == bucket);
        CHECK(length_bucket(bucket) == bucket);
    }
    CHECK(parallel_bucket(1) == 1);
    CHECK(parallel_bucket(5) == 8);
    CHECK(parallel_bucket(std::int64_t{1} << 40) == 1024);
}

TEST_CASE("the call that stands for a key has that key") {
    for (const Shape& shape : {Shape{}, Shape{.heads_q = 5, .heads_kv = 1},
                               Shape{.batch = 1, .heads_q = 3, .heads_kv = 1, .seq_q = 1, .seq_k = 777}}) {
        const ProblemKey key = key_of(shape);
        const ForwardCall call = representative_call(key);
        const ProblemKey again = make_problem_key(call, key.target);
        CHECK(again.seq_q == key.seq_q);
        CHECK(again.seq_k == key.seq_k);
        CHECK(again.group == key.group);
        CHECK(again.parallel == key.parallel);
        CHECK(call.heads_q % call.heads_kv == 0);
    }
}
