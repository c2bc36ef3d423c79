#include "hipemu_command/buffers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/npy.hpp"
#include "command_line/output_file.hpp"

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

std::span<const std::byte> span_of(const std::string& bytes) {
    return {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()};
}

/// The array of a file as elements of `wanted`, or of the file's own type where nothing is wanted.
struct TypedArray {
    ElementType type;
    std::vector<std::int64_t> shape;
    std::string bytes;
};
Result<TypedArray> read_array(const std::string& path, std::optional<ElementType> wanted) {
    auto array = flashwave::cli::read_npy(path);
    if (!array.ok()) return array.status();
    const auto stored = type_of_npy(array->descr);
    if (!stored) return Status(Code::invalid_argument, fmt::format("{}: elements of type '{}' are not read", path, array->descr));
    TypedArray result{.type = wanted.value_or(*stored), .shape = std::move(array->shape), .bytes = std::move(array->data)};
    // The bits of bf16 are stored as 16-bit integers, for NumPy has no such type.
    const bool same = *stored == result.type || (result.type == ElementType::bf16 && *stored == ElementType::u16);
    if (!same) result.bytes = converted(span_of(result.bytes), *stored, result.type);
    return result;
}

}  // namespace

Result<LaunchBuffer> LaunchBuffer::make(const ArgumentDescription& argument) {
    LaunchBuffer buffer;
    buffer.name_ = argument.name;
    buffer.description_ = argument.buffer;
    BufferDescription& description = buffer.description_;
    if (!description.npy.empty()) {
        auto array = read_array(description.npy, description.type_given ? std::optional(description.type) : std::nullopt);
        if (!array.ok()) return array.status().with_context(buffer.name_);
        if (!description.shape.empty() && description.shape != array->shape)
            return Status(Code::invalid_argument,
                          fmt::format("{} has the shape [{}], and {} has [{}]", buffer.name_, fmt::join(description.shape, ", "),
                                      description.npy, fmt::join(array->shape, ", ")));
        description.type = array->type;
        description.shape = std::move(array->shape);
        buffer.contents_ = std::move(array->bytes);
    }
    std::size_t elements = 1;
    for (const std::int64_t extent : description.shape) elements *= static_cast<std::size_t>(extent);
    buffer.bytes_ = elements * size_of(description.type);
    if (description.npy.empty()) buffer.contents_ = filled(description.fill, description.type, elements);
    FLASHWAVE_RETURN_IF_ERROR(buffer.read_expected().with_context(buffer.name_));
    if (!description.out.empty())
        FLASHWAVE_RETURN_IF_ERROR(flashwave::cli::check_output_file("\"out\" of " + buffer.name_, description.out));
    return buffer;
}

Status LaunchBuffer::read_expected() {
    if (!description_.expected) return {};
    const Expectation& expected = *description_.expected;
    if (expected.path.empty()) {
        expected_ = expected.values;
    } else {
        auto array = flashwave::cli::read_npy(expected.path);
        if (!array.ok()) return array.status();
        auto stored = type_of_npy(array->descr);
        if (!stored)
            return {Code::invalid_argument, fmt::format("{}: elements of type '{}' are not read", expected.path, array->descr)};
        if (type() == ElementType::bf16 && *stored == ElementType::u16) stored = ElementType::bf16;
        const std::size_t size = size_of(*stored);
        for (std::size_t at = 0; at < array->data.size(); at += size)
            expected_.push_back(load(*stored, reinterpret_cast<const std::byte*>(array->data.data()) + at));
    }
    if (expected_.size() != 1 && expected_.size() != elements())
        return {Code::invalid_argument, fmt::format("it has {} elements, and {} are expected", elements(), expected_.size())};
    return {};
}

Status LaunchBuffer::allocate(const flashwave::hip::Device& device) {
    auto memory = flashwave::hip::Buffer::allocate(device, bytes_);
    if (!memory.ok()) return memory.status().with_context(name_);
    memory_ = std::move(*memory);
    return {};
}

Status LaunchBuffer::upload() {
    return contents_.empty() ? Status() : memory_.upload(contents_.data(), contents_.size()).with_context(name_);
}

Status LaunchBuffer::download() {
    result_.resize(bytes_);
    return memory_.download(result_.data(), bytes_).with_context(name_);
}

double LaunchBuffer::element(std::size_t index) const {
    return load(type(), reinterpret_cast<const std::byte*>(result_.data()) + index * size_of(type()));
}

Summary LaunchBuffer::summary() const {
    Summary summary{.least = std::numeric_limits<double>::infinity(), .most = -std::numeric_limits<double>::infinity()};
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < elements(); ++i) {
        const double value = element(i);
        if (std::isnan(value)) ++summary.nans;
        else if (std::isinf(value)) ++summary.infinities;
        else {
            ++numbers;
            summary.least = std::min(summary.least, value);
            summary.most = std::max(summary.most, value);
            summary.mean += (value - summary.mean) / static_cast<double>(numbers);
        }
    }
    if (numbers == 0) summary.least = summary.most = summary.mean = std::numeric_limits<double>::quiet_NaN();
    return summary;
}

Comparison LaunchBuffer::compare() const {
    const Tolerance& tolerance = description_.expected->tolerance;
    Comparison comparison{.compared = elements()};
    double farthest = 0;  // beyond the bound; negative: within
    for (std::size_t i = 0; i < elements(); ++i) {
        const double got = element(i), expected = expected_.size() == 1 ? expected_[0] : expected_[i];
        const double bound = tolerance.absolute + tolerance.relative * std::fabs(expected);
        const bool same = got == expected || (std::isnan(got) && std::isnan(expected));
        double distance = same ? 0 : std::fabs(got - expected);
        // NaN and infinity are equal to themselves and beyond every bound otherwise.
        if (!(distance <= std::numeric_limits<double>::max())) distance = std::numeric_limits<double>::infinity();
        const bool beyond = std::isinf(distance) || distance > bound;
        const double excess = std::isinf(distance) ? distance : distance - bound;
        if (beyond) ++comparison.beyond;
        if (i == 0 || excess > farthest) {
            farthest = excess;
            comparison.worst = i;
            comparison.got = got;
            comparison.expected = expected;
            comparison.bound = bound;
        }
    }
    return comparison;
}

Status LaunchBuffer::write_out() const {
    if (description_.out.empty()) return {};
    return flashwave::cli::write_output_file(description_.out, flashwave::cli::format_npy(npy_type(type()), shape(), result_));
}

}  // namespace hipemu::command
