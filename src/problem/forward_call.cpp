#include "problem/forward_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace flashwave {
namespace {

constexpr const char* kDimensionNames[] = {"batch", "heads", "length", "head_dim"};

struct Named {
    const char* name;
    const TensorView& view;
};

template <class... Args>
Status invalid(fmt::format_string<Args...> text, Args&&... args) {
    return Status(Code::invalid_argument, fmt::format(text, std::forward<Args>(args)...));
}

Status check_dtypes(const ForwardArgs& args) {
    if (args.q.dtype != DType::f16 && args.q.dtype != DType::bf16)
        return Status(Code::unsupported, fmt::format("q.dtype is {}; f16 and bf16 are supported", name(args.q.dtype)));
    for (const Named& tensor : {Named{"k", args.k}, Named{"v", args.v}, Named{"o", args.o}})
        if (tensor.view.dtype != args.q.dtype)
            return invalid("{}.dtype is {} and q.dtype is {}; all four tensors must have the same", tensor.name,
                           name(tensor.view.dtype), name(args.q.dtype));
    return {};
}

Status check_extent(const Named& tensor, int dimension, std::int64_t wanted, const char* as) {
    const std::int64_t extent = tensor.view.shape[static_cast<std::size_t>(dimension)];
    if (extent == wanted) return {};
    return invalid("{}.shape[{}] ({}) is {} and must be {}, as {}", tensor.name, dimension, kDimensionNames[dimension],
                   extent, wanted, as);
}

Status check_shapes(const ForwardArgs& args) {
    for (const Named& tensor : {Named{"q", args.q}, Named{"k", args.k}, Named{"v", args.v}, Named{"o", args.o}})
        for (int d = 0; d < 4; ++d) {
            const std::int64_t extent = tensor.view.shape[static_cast<std::size_t>(d)];
            const std::int64_t least = d == 1 || d == 3 ? 1 : 0;
            if (extent < least || extent > kMaxDimension)
                return invalid("{}.shape[{}] ({}) is {}; {} to {} is allowed", tensor.name, d, kDimensionNames[d],
                               extent, least, kMaxDimension);
        }
    const Named k{"k", args.k}, v{"v", args.v}, o{"o", args.o};
    FLASHWAVE_RETURN_IF_ERROR(check_extent(k, 0, args.q.shape[0], "q.shape[0]"));
    FLASHWAVE_RETURN_IF_ERROR(check_extent(k, 3, args.q.shape[3], "q.shape[3]"));
    for (int d = 0; d < 4; ++d)
        FLASHWAVE_RETURN_IF_ERROR(check_extent(v, d, args.k.shape[static_cast<std::size_t>(d)], "in k"));
    for (int d = 0; d < 4; ++d)
        FLASHWAVE_RETURN_IF_ERROR(check_extent(o, d, args.q.shape[static_cast<std::size_t>(d)], "in q"));

    const auto [batch, heads_q, seq_q, head_dim] = args.q.shape;
    const std::int64_t heads_kv = args.k.shape[1];
    if (heads_q % heads_kv != 0)
        return invalid(
            "q.shape[1] (heads) is {} and k.shape[1] is {}; the query heads must be a multiple of the key heads",
            heads_q, heads_kv);
    if (std::find(std::begin(kHeadDims), std::end(kHeadDims), head_dim) == std::end(kHeadDims))
        return Status(Code::unsupported,
                      fmt::format("q.shape[3] (head_dim) is {}; 64 and 128 are supported", head_dim));
    // Each factor is below 2^31, so the first product cannot overflow; the second is checked by division.
    if (batch * heads_q > kMaxQueryRows || (seq_q > 0 && batch * heads_q > kMaxQueryRows / seq_q))
        return invalid("q.shape is [{}, {}, {}, {}]; batch * heads * length may be at most {}", batch, heads_q, seq_q,
                       head_dim, kMaxQueryRows);
    return {};
}

// Elements between the first and the last one of the tensor; -1: beyond the limit.
std::int64_t reach(const TensorView& view) {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < 4; ++d) {
        const std::int64_t steps = view.shape[d] - 1;
        if (steps > 0 && view.strides[d] > (kMaxElements - sum) / steps) return -1;
        sum += std::max<std::int64_t>(steps, 0) * view.strides[d];
    }
    return sum;
}

Status check_strides(const Named& tensor) {
    const auto& [shape, strides] = std::pair(tensor.view.shape, tensor.view.strides);
    if (strides[3] != 1)
        return invalid("{}.strides[3] (head_dim) is {}; only 1 (contiguous) is supported", tensor.name, strides[3]);
    for (std::size_t d = 0; d < 3; ++d)
        if (strides[d] < 0)
            return invalid("{}.strides[{}] ({}) is {}; 0 or more is allowed", tensor.name, d, kDimensionNames[d],
                           strides[d]);
    if (shape[2] > 1 && strides[2] > kMaxRowStride)
        return invalid("{}.strides[2] (length) is {}; at most {} is allowed", tensor.name, strides[2], kMaxRowStride);
    if (reach(tensor.view) < 0)
        return invalid("{} reaches over more than 2^48 elements: shape [{}, {}, {}, {}], strides [{}, {}, {}, 1]",
                       tensor.name, shape[0], shape[1], shape[2], shape[3], strides[0], strides[1], strides[2]);
    return {};
}

// Rows of the output must be apart from each other: going from the smallest stride up, each must step over what lies
// below it.
Status check_output_rows(const TensorView& o) {
    if (o.shape[0] == 0 || o.shape[2] == 0) return {};  // no row at all: dense strides are 0 then
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return o.strides[a] < o.strides[b]; });
    std::int64_t span = o.shape[3];
    for (const std::size_t d : order) {
        if (o.shape[d] <= 1) continue;
        if (o.strides[d] == 0)
            return invalid("o.strides[{}] ({}) is 0; an output cannot be broadcast", d, kDimensionNames[d]);
        if (o.strides[d] < span)
            return invalid("o.strides[{}] ({}) is {}; at least {} is needed so that rows of the output do not overlap",
                           d, kDimensionNames[d], o.strides[d], span);
        span += (o.shape[d] - 1) * o.strides[d];
    }
    return {};
}

struct Bytes {
    std::uintptr_t first, end;
};

Bytes bytes_of(const TensorView& view) {
    const auto first = reinterpret_cast<std::uintptr_t>(view.data);
    const bool empty = std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end();
    return {first, empty ? first : first + static_cast<std::uintptr_t>(reach(view) + 1) * size_of(view.dtype)};
}

bool meet(Bytes a, Bytes b) { return a.first < b.end && b.first < a.end; }

// Do rows of `a` and `b`, which lie `delta` elements apart and have the same strides, share an element? Steps along
// each dimension, largest stride first, must bring the distance below one row.
bool rows_meet(const TensorView& a, const TensorView& b, std::int64_t delta, const std::array<std::size_t, 3>& order,
               std::size_t next) {
    const std::int64_t row = a.shape[3];
    if (next == order.size()) return std::abs(delta) < row;
    const std::size_t d = order[next];
    std::int64_t rest = row - 1;
    for (std::size_t i = next + 1; i < order.size(); ++i)
        rest += (std::max(a.shape[order[i]], b.shape[order[i]]) - 1) * a.strides[order[i]];
    const std::int64_t stride = a.strides[d];
    if (stride == 0) return rows_meet(a, b, delta, order, next + 1);
    const std::int64_t least = std::max(-(a.shape[d] - 1), (-delta - rest) / stride - 1);
    const std::int64_t most = std::min(b.shape[d] - 1, (-delta + rest) / stride + 1);
    for (std::int64_t steps = least; steps <= most; ++steps)
        if (std::abs(delta + steps * stride) <= rest && rows_meet(a, b, delta + steps * stride, order, next + 1))
            return true;
    return false;
}

// Tensors with equal strides (slices of one packed buffer) are compared row by row; others by the bytes they reach
// over.
bool overlap(const TensorView& a, const TensorView& b) {
    const Bytes first = bytes_of(a), second = bytes_of(b);
    if (!meet(first, second)) return false;
    if (a.strides != b.strides || size_of(a.dtype) != size_of(b.dtype)) return true;
    const auto distance = static_cast<std::int64_t>(second.first - first.first);
    const auto size = static_cast<std::int64_t>(size_of(a.dtype));
    if (distance % size != 0) return true;
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return a.strides[x] > a.strides[y]; });
    return rows_meet(a, b, distance / size, order, 0);
}

Status check_pointers(const ForwardArgs& args) {
    const bool no_queries = args.q.shape[0] == 0 || args.q.shape[2] == 0;
    if (no_queries) return {};
    const bool no_keys = args.k.shape[2] == 0;
    for (const Named& tensor : {Named{"q", args.q}, Named{"k", args.k}, Named{"v", args.v}, Named{"o", args.o}}) {
        const bool unread = no_keys && (&tensor.view == &args.k || &tensor.view == &args.v);
        if (tensor.view.data == nullptr && !unread)
            return invalid("{}.data is null; a device pointer is needed", tensor.name);
        if (reinterpret_cast<std::uintptr_t>(tensor.view.data) % size_of(tensor.view.dtype) != 0)
            return invalid("{}.data is {}; a multiple of the element's {} bytes is needed", tensor.name,
                           tensor.view.data, size_of(tensor.view.dtype));
    }
    for (const Named& input : {Named{"q", args.q}, Named{"k", args.k}, Named{"v", args.v}})
        if (overlap(args.o, input.view))
            return invalid("o.data is {} and shares memory with {} ({}); an output must be apart from every input",
                           args.o.data, input.name, input.view.data);
    if (args.lse == nullptr) return {};
    const auto first = reinterpret_cast<std::uintptr_t>(args.lse);
    if (first % sizeof(float) != 0)
        return invalid("lse is {}; a multiple of 4 bytes is needed", static_cast<void*>(args.lse));
    const auto rows = static_cast<std::uintptr_t>(args.q.shape[0] * args.q.shape[1] * args.q.shape[2]);
    const Bytes lse{first, first + rows * sizeof(float)};
    for (const Named& tensor : {Named{"q", args.q}, Named{"k", args.k}, Named{"v", args.v}, Named{"o", args.o}})
        if (meet(lse, bytes_of(tensor.view)))
            return invalid("lse is {} and shares memory with {} ({}); an output must be apart from every other tensor",
                           static_cast<void*>(args.lse), tensor.name, tensor.view.data);
    return {};
}

Status settle_mask(const ForwardArgs& args, MaskKind& kind) {
    const std::int64_t seq_q = args.q.shape[2], seq_k = args.k.shape[2];
    if (args.mask == Mask::none) {
        kind = MaskKind::none;
        return {};
    }
    if (args.alignment == Alignment::unspecified && seq_q != seq_k)
        return invalid(
            "alignment is unspecified with a causal mask and {} queries on {} keys; bottom_right or top_left must be "
            "chosen",
            seq_q, seq_k);
    // With equal lengths both alignments are the same mask, and so the same problem.
    kind = args.alignment == Alignment::top_left && seq_q != seq_k ? MaskKind::top_left : MaskKind::bottom_right;
    return {};
}

int alignment_of(const ForwardArgs& args, Pointers pointers) {
    std::uintptr_t bits = 0;
    for (const TensorView* view : {&args.q, &args.k, &args.v, &args.o}) {
        if (pointers == Pointers::checked) bits |= reinterpret_cast<std::uintptr_t>(view->data);
        for (std::size_t d = 0; d < 3; ++d)
            if (view->shape[d] > 1) bits |= static_cast<std::uintptr_t>(view->strides[d]) * size_of(view->dtype);
    }
    return bits % 16 == 0 ? 16 : 2;
}

}  // namespace

Status check_forward(const ForwardArgs& args, Pointers pointers, ForwardCall& call) {
    FLASHWAVE_RETURN_IF_ERROR(check_dtypes(args));
    FLASHWAVE_RETURN_IF_ERROR(check_shapes(args));
    for (const Named& tensor : {Named{"q", args.q}, Named{"k", args.k}, Named{"v", args.v}, Named{"o", args.o}})
        FLASHWAVE_RETURN_IF_ERROR(check_strides(tensor));
    FLASHWAVE_RETURN_IF_ERROR(check_output_rows(args.o));
    if (pointers == Pointers::checked) FLASHWAVE_RETURN_IF_ERROR(check_pointers(args));
    if (args.scale && !(std::isfinite(*args.scale) && *args.scale > 0))
        return invalid("scale is {}; a finite number above 0 is needed", *args.scale);
    MaskKind mask{};
    FLASHWAVE_RETURN_IF_ERROR(settle_mask(args, mask));

    call = ForwardCall{
        .args = args,
        .batch = static_cast<int>(args.q.shape[0]),
        .heads_q = static_cast<int>(args.q.shape[1]),
        .heads_kv = static_cast<int>(args.k.shape[1]),
        .seq_q = static_cast<int>(args.q.shape[2]),
        .seq_k = static_cast<int>(args.k.shape[2]),
        .head_dim = static_cast<int>(args.q.shape[3]),
        .align = alignment_of(args, pointers),
        .mask = mask,
        .scale = args.scale ? *args.scale : static_cast<float>(1.0 / std::sqrt(static_cast<double>(args.q.shape[3]))),
    };
    return {};
}

}  // namespace flashwave
