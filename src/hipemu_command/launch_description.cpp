#include "hipemu_command/launch_description.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "hipemu_command/json_object.hpp"

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;
using nlohmann::json;

namespace {

constexpr std::uint64_t kLargestDimension = 0xffffffff;
constexpr std::int64_t kMostElements = std::int64_t{1} << 36;
constexpr int kDeepestStructure = 16;

/// Reads one file's objects; `folder` is where its relative paths begin.
class Reader {
public:
    explicit Reader(std::string folder) : folder_(std::move(folder)) {}

    Result<LaunchDescription> launch(const json& value) {
        JsonObject object(value, "the launch");
        LaunchDescription launch;
        launch.object = path(object, "object");
        launch.source = path(object, "source");
        launch.headers = texts(object, "headers");
        launch.options = texts(object, "options");
        launch.device = object.text("device", launch.device);
        launch.kernel = object.text("kernel");
        launch.grid = dimensions(object, "grid");
        launch.block = dimensions(object, "block");
        launch.dynamic_lds = static_cast<std::uint32_t>(object.count("dynamic_lds", 0, 0, kLargestDimension));
        launch.repeat = static_cast<std::uint32_t>(object.count("repeat", 1, 1, 1'000'000));
        if (object.has("sample")) launch.sample = object.count("sample");
        if (object.has("instruction_limit")) launch.instruction_limit = object.count("instruction_limit", 1, 1);
        launch.strict = object.text("strict");
        if (launch.object.empty() == launch.source.empty())
            object.fail("a launch has one of \"object\" (a code object) and \"source\" (a HIP file)");
        if (launch.source.empty() && (object.has("options") || object.has("headers")))
            object.fail("\"options\" and \"headers\" go with \"source\"; an \"object\" is compiled already");
        if (const json* list = object.find("arguments")) {
            if (!list->is_array()) object.fail_key("arguments", *list, "a list of objects is needed");
            else
                for (const json& one : *list) {
                    auto argument = read_argument(one, fmt::format("argument {}", launch.arguments.size()));
                    if (!argument.ok()) return argument.status();
                    launch.arguments.push_back(std::move(*argument));
                }
        }
        FLASHWAVE_RETURN_IF_ERROR(object.finish());
        return launch;
    }

private:
    std::string path(JsonObject& object, std::string_view key) const {
        const std::string text = object.text(key);
        return text.empty() || text.front() == '/' ? text : folder_ + "/" + text;
    }

    static std::vector<std::string> texts(JsonObject& object, std::string_view key) {
        std::vector<std::string> result;
        const json* list = object.find(key);
        if (list == nullptr) return result;
        if (!list->is_array()) object.fail_key(key, *list, "a list of texts is needed");
        else
            for (const json& one : *list) {
                if (one.is_string()) result.push_back(one.get<std::string>());
                else object.fail_key(key, one, "a text is needed");
            }
        return result;
    }

    static std::array<std::uint32_t, 3> dimensions(JsonObject& object, std::string_view key) {
        std::array<std::uint32_t, 3> result{1, 1, 1};
        const json* value = object.find(key);
        if (value == nullptr) object.fail(fmt::format("the launch lacks \"{}\": a number or up to three in a list", key));
        else if (!value->is_array())
            result[0] = static_cast<std::uint32_t>(object.count_of(key, *value, 1, 1, kLargestDimension));
        else if (value->empty() || value->size() > 3) object.fail_key(key, *value, "one to three numbers are needed");
        else
            for (std::size_t i = 0; i < value->size(); ++i)
                result[i] = static_cast<std::uint32_t>(object.count_of(key, (*value)[i], 1, 1, kLargestDimension));
        return result;
    }

    /// `depth`: how many structures it lies in.
    Result<ArgumentDescription> read_argument(const json& value, std::string place, int depth = 0) {
        JsonObject object(value, place);
        if (depth > kDeepestStructure)
            return Status(Code::invalid_argument, fmt::format("structures lie in each other deeper than {}", kDeepestStructure));
        ArgumentDescription argument;
        argument.name = object.text("name", place);
        if (object.has("offset")) argument.offset = static_cast<std::uint32_t>(object.count("offset", 0, 0, kLargestDimension));
        if (object.has("struct")) {
            FLASHWAVE_RETURN_IF_ERROR(read_structure(object, argument, depth));
        } else if (object.has("same_as")) {
            argument.kind = ArgumentDescription::Kind::same_buffer;
            argument.same_as = object.text("same_as");
            argument.byte_offset = static_cast<std::int64_t>(object.count("byte_offset", 0, 0, std::uint64_t{1} << 48));
            if (!buffers_.contains(argument.same_as))
                object.fail_key("same_as", json(argument.same_as), "the \"name\" of a buffer that stands before it is needed");
        } else if (object.has("value") && !object.has("shape")) {
            read_scalar(object, argument);
        } else {
            argument.kind = ArgumentDescription::Kind::buffer;
            read_buffer(object, argument.buffer);
            if (!buffers_.insert(argument.name).second)
                object.fail(fmt::format("two buffers have the name \"{}\"", argument.name));
        }
        FLASHWAVE_RETURN_IF_ERROR(object.finish());
        return argument;
    }

    Status read_structure(JsonObject& object, ArgumentDescription& argument, int depth) {
        argument.kind = ArgumentDescription::Kind::structure;
        const json& list = *object.find("struct");
        if (!list.is_array()) {
            object.fail_key("struct", list, "a list of its members is needed");
            return object.status();
        }
        for (const json& one : list) {
            auto member = read_argument(one, fmt::format("member {} of {}", argument.members.size(), object.what()), depth + 1);
            if (!member.ok()) return member.status();
            argument.members.push_back(std::move(*member));
        }
        return {};
    }

    static std::optional<ElementType> type(JsonObject& object) {
        const json* value = object.find("type");
        if (value == nullptr) return std::nullopt;
        const auto found = value->is_string() ? find_type(value->get_ref<const std::string&>()) : std::nullopt;
        if (!found) object.fail_key("type", *value, fmt::format("use one of {}", all_types()));
        return found;
    }

    static void read_scalar(JsonObject& object, ArgumentDescription& argument) {
        const json& value = *object.find("value");
        const auto element = type(object);
        if (value.is_null() && !element) {
            argument.bytes.assign(8, '\0');
            return;
        }
        if (!element) {
            object.fail(fmt::format("{} has a \"value\" and no \"type\"; use one of {}", object.what(), all_types()));
            return;
        }
        auto bytes = bytes_of(*element, value, fmt::format("\"value\" of {}", object.what()));
        if (bytes.ok()) argument.bytes = std::move(*bytes);
        else object.fail(bytes.status().message());
    }

    void read_buffer(JsonObject& object, BufferDescription& buffer) {
        const auto element = type(object);
        buffer.type_given = element.has_value();
        if (element) buffer.type = *element;
        buffer.npy = path(object, "npy");
        buffer.out = path(object, "out");
        read_shape(object, buffer);
        read_fill(object, buffer);
        read_expectation(object, buffer);
        if (!buffer.npy.empty() && buffer.fill.kind != FillKind::none)
            object.fail(fmt::format("{} has \"npy\" and \"fill\"; its contents come from one of them", object.what()));
        if (buffer.npy.empty() && (buffer.shape.empty() || !element))
            object.fail(fmt::format(
                "{} is no scalar (\"type\" and \"value\") and, as a buffer, has no \"npy\" and lacks \"type\" or \"shape\"",
                object.what()));
    }

    static void read_shape(JsonObject& object, BufferDescription& buffer) {
        const json* value = object.find("shape");
        if (value == nullptr) return;
        const json list = value->is_array() ? *value : json::array({*value});
        std::int64_t elements = 1;
        for (const json& one : list) {
            const auto extent =
                static_cast<std::int64_t>(object.count_of("shape", one, 1, 0, static_cast<std::uint64_t>(kMostElements)));
            buffer.shape.push_back(extent);
            if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements) {
                object.fail_key("shape", *value, fmt::format("at most {} elements are possible", kMostElements));
                return;
            }
        }
        if (buffer.shape.empty()) object.fail_key("shape", *value, "a number or a list of numbers is needed");
    }

    static void read_fill(JsonObject& object, BufferDescription& buffer) {
        const json* value = object.find("fill");
        if (value == nullptr) return;
        Fill& fill = buffer.fill;
        const std::string kind = value->is_string() ? value->get<std::string>() : std::string();
        if (value->is_number()) {
            fill = {.kind = FillKind::constant, .first = value->get<double>()};
            const bool integer = buffer.type_given && !is_float(buffer.type);
            if (const auto bytes = bytes_of(buffer.type, *value, fmt::format("\"fill\" of {}", object.what())); integer && !bytes.ok())
                object.fail(bytes.status().message());
        }
        else if (kind == "zeros") fill.kind = FillKind::zeros;
        else if (kind == "ones") fill.kind = FillKind::ones;
        else if (kind == "iota")
            fill = {.kind = FillKind::iota, .first = object.number("start", 0), .second = object.number("step", 1)};
        else if (kind == "uniform")
            fill = {.kind = FillKind::uniform,
                    .first = object.number("low", 0),
                    .second = object.number("high", 1),
                    .seed = object.count("seed")};
        else if (kind == "normal")
            fill = {.kind = FillKind::normal,
                    .first = object.number("mean", 0),
                    .second = object.number("deviation", 1),
                    .seed = object.count("seed")};
        else object.fail_key("fill", *value, "use a number, \"zeros\", \"ones\", \"iota\", \"uniform\" or \"normal\"");
        if (fill.kind == FillKind::uniform && !(fill.first <= fill.second))
            object.fail(fmt::format("{}: \"low\" is {} and \"high\" is {}", object.what(), fill.first, fill.second));
    }

    void read_expectation(JsonObject& object, BufferDescription& buffer) {
        const json* value = object.find("expect");
        const json* tolerance = object.find("tolerance");
        if (value == nullptr) {
            if (tolerance != nullptr) object.fail(fmt::format("{} has a \"tolerance\" and nothing to \"expect\"", object.what()));
            return;
        }
        Expectation expected;
        if (value->is_string()) {
            expected.path = path(object, "expect");
        } else {
            const json list = value->is_array() ? *value : json::array({*value});
            for (const json& one : list) {
                if (one.is_number()) expected.values.push_back(one.get<double>());
                else object.fail_key("expect", *value, "the path of a .npy file, a number or a list of numbers is needed");
            }
            if (expected.values.empty()) object.fail_key("expect", *value, "at least one number is needed");
        }
        if (tolerance != nullptr) {
            if (tolerance->is_number()) {
                expected.tolerance.absolute = tolerance->get<double>();
            } else {
                JsonObject both(*tolerance, fmt::format("\"tolerance\" of {}", object.what()));
                expected.tolerance = {.absolute = both.number("absolute"), .relative = both.number("relative")};
                if (const Status status = both.finish(); !status.ok()) object.fail(status.message());
            }
        }
        if (!(expected.tolerance.absolute >= 0 && expected.tolerance.relative >= 0))
            object.fail_key("tolerance", *tolerance, "it cannot be negative");
        buffer.expected = std::move(expected);
    }

    std::string folder_;
    std::set<std::string> buffers_;  // names so far
};

}  // namespace

Result<LaunchDescription> parse_launch(const std::string& text, const std::string& folder) {
    // nlohmann::json reports by exceptions; they end here.
    try {
        return Reader(folder).launch(json::parse(text, nullptr, true, true));  // comments are allowed
    } catch (const json::parse_error& error) {
        return Status(Code::invalid_argument, fmt::format("the launch is no JSON: {}", error.what()));
    }
}

Result<LaunchDescription> read_launch(const std::string& path) {
    auto text = flashwave::read_file(path);
    // It is the caller who named the file.
    if (!text.ok()) return Status(Code::invalid_argument, text.status().message());
    auto launch = parse_launch(*text, flashwave::directory_of(path));
    if (!launch.ok()) return launch.status().with_context(path);
    return launch;
}

}  // namespace hipemu::command
