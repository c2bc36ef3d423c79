#include "problem/forward_call.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "host/example_call.hpp"

using namespace flashwave;
using namespace flashwave::testing;

namespace {

struct BadCall {
    const char* what;
    Code code;
    const char* names;  ///< the argument, its value or the limit: must stand in the sentence
    std::function<void(ForwardArgs&)> break_it;
};

const BadCall kBadCalls[] = {
    {"null q", Code::invalid_argument, "q.data is null", [](ForwardArgs& a) { a.q.data = nullptr; }},
    {"null k", Code::invalid_argument, "k.data is null", [](ForwardArgs& a) { a.k.data = nullptr; }},
    {"null v", Code::invalid_argument, "v.data is null", [](ForwardArgs& a) { a.v.data = nullptr; }},
    {"null o", Code::invalid_argument, "o.data is null", [](ForwardArgs& a) { a.o.data = nullptr; }},
    {"odd pointer", Code::invalid_argument, "v.data is",
     [](ForwardArgs& a) { a.v.data = static_cast<char*>(a.v.data) + 1; }},
    {"f32 inputs", Code::unsupported, "q.dtype is f32; f16 and bf16", [](ForwardArgs& a) { a.q.dtype = DType::f32; }},
    {"k of another dtype", Code::invalid_argument, "k.dtype is bf16 and q.dtype is f16",
     [](ForwardArgs& a) { a.k.dtype = DType::bf16; }},
    {"o of another dtype", Code::invalid_argument, "o.dtype is f32", [](ForwardArgs& a) { a.o.dtype = DType::f32; }},
    {"heads not a multiple", Code::invalid_argument, "q.shape[1] (heads) is 4 and k.shape[1] is 3",
     [](ForwardArgs& a) { a.k.shape[1] = a.v.shape[1] = 3; }},
    {"no key heads", Code::invalid_argument, "k.shape[1] (heads) is 0",
     [](ForwardArgs& a) { a.k.shape[1] = a.v.shape[1] = 0; }},
    {"head_dim 80", Code::unsupported, "q.shape[3] (head_dim) is 80; 64 and 128",
     [](ForwardArgs& a) { a.q.shape[3] = a.k.shape[3] = a.v.shape[3] = a.o.shape[3] = 80; }},
    {"k of another head_dim", Code::invalid_argument, "k.shape[3] (head_dim) is 128 and must be 64",
     [](ForwardArgs& a) { a.k.shape[3] = 128; }},
    {"k of another batch", Code::invalid_argument, "k.shape[0] (batch) is 3 and must be 2",
     [](ForwardArgs& a) { a.k.shape[0] = 3; }},
    {"v shorter than k", Code::invalid_argument, "v.shape[2] (length) is 95 and must be 96",
     [](ForwardArgs& a) { a.v.shape[2] = 95; }},
    {"o of another shape", Code::invalid_argument, "o.shape[2] (length) is 97",
     [](ForwardArgs& a) { a.o.shape[2] = 97; }},
    {"negative length", Code::invalid_argument, "q.shape[2] (length) is -1", [](ForwardArgs& a) { a.q.shape[2] = -1; }},
    {"length beyond the limit", Code::invalid_argument, "q.shape[2] (length) is 2147483648",
     [](ForwardArgs& a) { a.q.shape[2] = 2147483648; }},
    {"too many query rows", Code::invalid_argument, "may be at most 2147483647",
     [](ForwardArgs& a) { a.q.shape[2] = a.o.shape[2] = 1 << 30; }},
    {"rows far apart", Code::invalid_argument, "k.strides[2] (length) is 4194304; at most 4194303",
     [](ForwardArgs& a) { a.k.strides[2] = 4194304; }},
    {"a tensor too large", Code::invalid_argument, "k reaches over more than 2^48 elements",
     [](ForwardArgs& a) {
         a.k.strides[0] = std::int64_t{1} << 48;
         a.k.strides[1] = 8;
     }},
    {"strides that would overflow", Code::invalid_argument, "v reaches over more than 2^48 elements",
     [](ForwardArgs& a) { a.v.strides[0] = std::numeric_limits<std::int64_t>::max(); }},
    {"negative stride", Code::invalid_argument, "k.strides[1] (heads) is -64",
     [](ForwardArgs& a) { a.k.strides[1] = -64; }},
    {"head_dim not contiguous", Code::invalid_argument, "v.strides[3] (head_dim) is 2",
     [](ForwardArgs& a) { a.v.strides[3] = 2; }},
    {"stride 0 on the output", Code::invalid_argument, "o.strides[1] (heads) is 0",
     [](ForwardArgs& a) { a.o.strides[1] = 0; }},
    {"output rows over each other", Code::invalid_argument, "o.strides[2] (length) is 32; at least 64",
     [](ForwardArgs& a) { a.o.strides[2] = 32; }},
    {"output heads over each other", Code::invalid_argument, "o.strides[1] (heads) is 6080; at least 6144",
     [](ForwardArgs& a) { a.o.strides[1] = 95 * 64; }},
    {"o is q", Code::invalid_argument, "shares memory with q", [](ForwardArgs& a) { a.o.data = a.q.data; }},
    {"o reaches into v", Code::invalid_argument, "shares memory with v",
     [](ForwardArgs& a) { a.o.data = static_cast<char*>(a.v.data) + (2 * 2 * 96 * 64 - 8) * 2; }},
    {"lse in o", Code::invalid_argument, "shares memory with o",
     [](ForwardArgs& a) { a.lse = static_cast<float*>(a.o.data) + 4; }},
    {"lse not aligned", Code::invalid_argument, "a multiple of 4 bytes",
     [](ForwardArgs& a) { a.lse = reinterpret_cast<float*>(static_cast<char*>(fake_pointer(9)) + 2); }},
    {"scale 0", Code::invalid_argument, "scale is 0", [](ForwardArgs& a) { a.scale = 0.0f; }},
    {"scale negative", Code::invalid_argument, "scale is -1", [](ForwardArgs& a) { a.scale = -1.0f; }},
    {"scale NaN", Code::invalid_argument, "scale is nan",
     [](ForwardArgs& a) { a.scale = std::numeric_limits<float>::quiet_NaN(); }},
    {"scale infinite", Code::invalid_argument, "scale is inf",
     [](ForwardArgs& a) { a.scale = std::numeric_limits<float>::infinity(); }},
};

Status check(const ForwardArgs& args) {
    ForwardCall call;
    return check_forward(args, Pointers::checked, call);
}

}  // namespace

TEST_CASE("each bad argument is refused with a sentence that names it, its value and what is allowed") {
    REQUIRE(check(example_args()).ok());
    for (const BadCall& bad : kBadCalls) {
        CAPTURE(bad.what);
        ForwardArgs args = example_args();
        bad.break_it(args);
        const Status status = check(args);
        CHECK(status.code() == bad.code);
        CHECK_MESSAGE(status.message().find(bad.names) != std::string::npos, status.message());
    }
}

TEST_CASE("a causal mask over unequal lengths needs an alignment") {
    ForwardArgs args = example_args({.seq_k = 128});
    CHECK(check(args).ok());
    args.mask = Mask::causal;
    const Status status = check(args);
    CHECK(status.code() == Code::invalid_argument);
    CHECK_MESSAGE(status.message().find("96 queries on 128 keys; bottom_right or top_left") != std::string::npos,
                  status.message());
    ForwardCall call;
    args.alignment = Alignment::top_left;
    CHECK(check_forward(args, Pointers::checked, call).ok());
    CHECK(call.mask == MaskKind::top_left);
    args.alignment = Alignment::bottom_right;
    CHECK(check_forward(args, Pointers::checked, call).ok());
    CHECK(call.mask == MaskKind::bottom_right);
}

TEST_CASE("with equal lengths both alignments are the same problem") {
    ForwardCall call;
    for (const Alignment alignment : {Alignment::unspecified, Alignment::bottom_right, Alignment::top_left}) {
        ForwardArgs args = example_args();
        args.mask = Mask::causal;
        args.alignment = alignment;
        REQUIRE(check_forward(args, Pointers::checked, call).ok());
        CHECK(call.mask == MaskKind::bottom_right);
    }
}

TEST_CASE("calls with nothing to compute need no pointers") {
    for (const Shape& shape : {Shape{.batch = 0}, Shape{.seq_q = 0}}) {
        ForwardArgs args = example_args(shape);
        args.q.data = args.k.data = args.v.data = args.o.data = nullptr;
        ForwardCall call;
        REQUIRE(check_forward(args, Pointers::checked, call).ok());
        CHECK(call.empty());
    }
}

TEST_CASE("without keys k and v may be null, o may not") {
    ForwardArgs args = example_args({.seq_k = 0});
    args.k.data = args.v.data = nullptr;
    CHECK(check(args).ok());
    args.o.data = nullptr;
    CHECK(check(args).code() == Code::invalid_argument);
}

TEST_CASE("slices of one packed buffer are apart although their byte ranges interleave") {
    // [batch, length, 4, heads, head_dim]: q, k, v and o side by side in each row.
    ForwardArgs args = example_args({.heads_kv = 4});
    auto* base = static_cast<char*>(fake_pointer(1));
    const std::int64_t heads = 4, dim = 64, row = 4 * heads * dim;
    std::int64_t part = 0;
    for (TensorView* view : {&args.q, &args.k, &args.v, &args.o}) {
        view->data = base + part++ * heads * dim * 2;
        view->strides = {96 * row, dim, row, 1};
    }
    CHECK(check(args).ok());
    SUBCASE("but not where the output is shifted into the keys") {
        args.o.data = base + (heads * dim + 8) * 2;
        CHECK_MESSAGE(check(args).message().find("shares memory with q") == std::string::npos, check(args).message());
        CHECK(check(args).message().find("shares memory with k") != std::string::npos);
    }
    SUBCASE("nor where it is shifted by whole rows onto the queries") {
        args.o.data = base + 5 * row * 2;
        CHECK(check(args).message().find("shares memory with q") != std::string::npos);
    }
}

TEST_CASE("inputs may be broadcast by a stride of 0") {
    ForwardArgs args = example_args();
    args.k.strides[0] = args.v.strides[0] = 0;
    args.k.strides[2] = 0;
    CHECK(check(args).ok());
}

TEST_CASE("the alignment class looks at every pointer and every stride that is used") {
    const auto align_of = [](const std::function<void(ForwardArgs&)>& change, Shape shape = {}) {
        ForwardArgs args = example_args(shape);
        change(args);
        ForwardCall call;
        REQUIRE(check_forward(args, Pointers::checked, call).ok());
        return call.align;
    };
    CHECK(align_of([](ForwardArgs&) {}) == 16);
    CHECK(align_of([](ForwardArgs& a) { a.q.data = static_cast<char*>(a.q.data) + 2; }) == 2);
    CHECK(align_of([](ForwardArgs& a) { a.v.data = static_cast<char*>(a.v.data) + 8; }) == 2);
    CHECK(align_of([](ForwardArgs& a) { a.k.strides[2] = 65; }) == 2);
    CHECK(align_of([](ForwardArgs& a) { a.o.strides[0] += 4; }) == 2);
    CHECK(align_of([](ForwardArgs& a) { a.o.strides[0] += 4; }, {.batch = 1}) ==
          16);  // never multiplied by anything but 0
}

TEST_CASE("the default scale is one over the root of head_dim") {
    ForwardCall call;
    REQUIRE(check_forward(example_args({.head_dim = 64}), Pointers::checked, call).ok());
    CHECK(call.scale == 0.125f);
    REQUIRE(check_forward(example_args({.head_dim = 128}), Pointers::checked, call).ok());
    CHECK(call.scale == static_cast<float>(1 / std::sqrt(128.0)));
}
