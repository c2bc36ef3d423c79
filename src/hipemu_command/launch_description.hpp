// A launch as its JSON file describes it (docs/emulator.md has every key). Reading checks everything that can be known without the kernel;
// a message names the key, its value and what is allowed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flashwave/status.hpp"
#include "hipemu_command/element.hpp"
#include "hipemu_command/fill.hpp"

namespace hipemu::command {

/// How far an output may be from what is expected: |x - e| <= absolute + relative * |e|.
struct Tolerance {
    double absolute = 0, relative = 0;
};

struct Expectation {
    std::string path;            // of a .npy file; or, where it is empty,
    std::vector<double> values;  // one a element, or one for all
    Tolerance tolerance;
};

struct BufferDescription {
    ElementType type = ElementType::f32;
    bool type_given = false;                // otherwise the file's
    std::vector<std::int64_t> shape;        // empty: the file's
    std::string npy;                        // contents from a file, otherwise
    Fill fill;
    std::string out;                        // where its contents go afterwards
    std::optional<Expectation> expected;
};

struct ArgumentDescription {
    enum class Kind : std::uint8_t { scalar, buffer, structure, same_buffer };

    std::string name;                       // for messages and tables: "argument 2", or as given
    Kind kind = Kind::scalar;
    std::string bytes;                      // scalar: as they stand in memory; a null pointer is eight zeros
    BufferDescription buffer;
    std::vector<ArgumentDescription> members;  // structure
    std::optional<std::uint32_t> offset;    // member: where the layout of C would not put it
    std::string same_as;                    // same_buffer: the name of an earlier one
    std::int64_t byte_offset = 0;           // same_buffer: into it
};

struct LaunchDescription {
    std::string object;                     // path of a code object, or
    std::string source;                     // of a HIP file that is compiled
    std::vector<std::string> headers;       // files that it includes, by their paths below its folder
    std::vector<std::string> options;
    std::string device = "gfx1100";
    std::string kernel;                     // may be empty where the object has one
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t dynamic_lds = 0;
    std::vector<ArgumentDescription> arguments;
    std::uint32_t repeat = 1;
    // Where they are not given, the environment decides.
    std::optional<std::uint64_t> sample;             // work-groups that run, 0 all
    std::optional<std::uint64_t> instruction_limit;  // of a wave
    std::string strict;                              // the checks, as HIPEMU_STRICT names them
};

/// Paths in it are taken relative to `folder`.
flashwave::Result<LaunchDescription> parse_launch(const std::string& text, const std::string& folder);

flashwave::Result<LaunchDescription> read_launch(const std::string& path);

}  // namespace hipemu::command
