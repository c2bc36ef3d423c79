// Reading code objects: what is in one that the compiler made, and what is said of damaged and foreign ones.
#include "emulator/code/code_object.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "emulator/code/offload_bundle.hpp"
#include "emulator/compiled_kernel.hpp"

namespace {

using flashwave::Code;
using namespace hipemu;

const std::string& sample() {
    static const std::string code = hip_test::compile(R"(
__device__ int counter = 3;
__device__ int* where = &counter;
extern "C" __global__ __launch_bounds__(256) void sample(int* p, float x, char c) {
    __shared__ int shared[100];
    shared[threadIdx.x % 100] = c;
    __syncthreads();
    p[threadIdx.x] = shared[(threadIdx.x + 1) % 100] + static_cast<int>(x) + *where;
}
)");
    return code;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string with_byte(std::string image, std::size_t at, unsigned char value) {
    image[at] = static_cast<char>(value);
    return image;
}

}  // namespace

TEST_CASE("a code object tells its target, kernels and arguments") {
    const auto object = read_code_object(bytes_of(sample()));
    REQUIRE_MESSAGE(object.ok(), object.status().to_string());
    CHECK_EQ(object->target, "gfx1100");
    CHECK_GT(object->text_bytes, 0);
    CHECK_EQ(object->text_address % 256, 0);
    REQUIRE_EQ(object->kernels.size(), 1);
    const KernelDescription& kernel = object->kernels[0];
    CHECK_EQ(kernel.name, "sample");
    CHECK_EQ(kernel.group_bytes, 400);
    CHECK_EQ(kernel.private_bytes, 0);
    CHECK_EQ(kernel.max_threads, 256);
    CHECK_EQ(kernel.wave_size, 32);
    CHECK_GT(kernel.vgprs, 0);
    REQUIRE_GE(kernel.arguments.size(), 3);
    CHECK_EQ(kernel.arguments[0].kind, "global_buffer");
    CHECK_EQ(kernel.arguments[0].size, 8);
    CHECK_EQ(kernel.arguments[1].offset, 8);
    CHECK_EQ(kernel.arguments[2].offset, 12);
    CHECK_EQ(kernel.arguments[2].size, 1);
    CHECK(kernel.entry_address >= object->text_address);
    const auto counter = std::find_if(object->symbols.begin(), object->symbols.end(), [](const Symbol& one) { return one.name == "counter"; });
    REQUIRE(counter != object->symbols.end());
    CHECK(counter->is_object);
    CHECK_EQ(counter->size, 4);
    REQUIRE_FALSE(object->relocations.empty());  // `where` holds an address
    CHECK_EQ(static_cast<std::uint64_t>(object->relocations[0].value), counter->address);
    CHECK_FALSE(object->relocations[0].absolute);
    CHECK_EQ(elf_image_size(bytes_of(sample()).data()), sample().size());
}

TEST_CASE("a foreign file is refused and called by its name") {
    const auto refused = [](const std::string& image) {
        const auto object = read_code_object(bytes_of(image));
        REQUIRE_FALSE(object.ok());
        return object.status();
    };
    CHECK_EQ(refused("short").code(), Code::corrupt);
    CHECK_EQ(refused(with_byte(sample(), 0, 'x')).code(), Code::corrupt);
    CHECK(refused(with_byte(sample(), 18, 62)).message().find("ELF machine 62") != std::string::npos);
    CHECK_EQ(refused(with_byte(sample(), 8, 9)).code(), Code::unsupported);  // ABI version
    CHECK_EQ(refused(with_byte(sample(), 4, 1)).code(), Code::unsupported);  // 32 bits
    CHECK_EQ(elf_target(bytes_of(with_byte(sample(), 48, 0x4a))), "gfx1151");
    CHECK_EQ(elf_target(bytes_of(with_byte(sample(), 48, 0x54))), "gfx11-generic");
    CHECK_EQ(generic_target_of("gfx1150"), "gfx11-generic");
    CHECK_EQ(generic_target_of("gfx11-generic"), "");
    CHECK_EQ(generic_target_of("gfx1201"), "");
}

TEST_CASE("a code object that is cut short anywhere is refused, never read beyond its end") {
    for (std::size_t size = 0; size < sample().size(); size += 13) {
        // A copy of its own, so that a sanitizer sees a read beyond it.
        const std::vector<std::byte> part(bytes_of(sample()).begin(), bytes_of(sample()).begin() + static_cast<std::ptrdiff_t>(size));
        CAPTURE(size);
        CHECK_FALSE(read_code_object(part).ok());
    }
}

TEST_CASE("a code object with any byte changed is read or refused, and never more") {
    std::vector<std::byte> image(bytes_of(sample()).begin(), bytes_of(sample()).end());
    int refused = 0;
    for (std::size_t i = 0; i < image.size(); i += 3) {
        const std::byte kept = image[i];
        image[i] ^= std::byte{0xff};
        if (!read_code_object(image).ok()) ++refused;
        image[i] = kept;
    }
    CHECK_GT(refused, 0);
    CHECK(read_code_object(image).ok());
}

TEST_CASE("kernels are read from the metadata of every file that the object was linked from") {
    std::string image = sample();
    const auto word = [&](std::size_t at, std::size_t bytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, image.data() + at, bytes);
        return static_cast<std::size_t>(value);
    };
    std::size_t note = 0;  // the section's header
    for (std::size_t i = 0; i < word(60, 2); ++i)
        if (const std::size_t header = word(40, 8) + i * word(58, 2); word(header + 4, 4) == 7) note = header;
    REQUIRE(note > 0);
    const std::string own = image.substr(word(note + 24, 8), (word(note + 32, 8) + 3) / 4 * 4);
    const auto kernels_with = [&](const std::string& notes) {
        std::string changed = image;
        const std::uint64_t place[] = {changed.size(), notes.size()};
        std::memcpy(changed.data() + note + 24, place, sizeof place);
        const auto object = read_code_object(bytes_of(changed += notes));
        REQUIRE_MESSAGE(object.ok(), object.status().to_string());
        return object->kernels.size();
    };
    const std::string without_kernels("\7\0\0\0\1\0\0\0\40\0\0\0AMDGPU\0\0\x80\0\0\0", 24);  // an empty map
    CHECK_EQ(kernels_with(own), 1);
    CHECK_EQ(kernels_with(without_kernels), 0);
    CHECK_EQ(kernels_with(without_kernels + own), 1);
    CHECK_EQ(kernels_with(own + without_kernels + own), 2);
}

TEST_CASE("a relocation that is not known is refused by its number") {
    std::string image = sample();
    const auto object = read_code_object(bytes_of(image));
    REQUIRE(object.ok());
    // Its entry in the table: where, what (13 = R_AMDGPU_RELATIVE64), addend.
    std::string entry(16, '\0');
    std::memcpy(entry.data(), &object->relocations[0].address, 8);
    entry[8] = 13;
    const std::size_t at = image.find(entry);
    REQUIRE_NE(at, std::string::npos);
    const std::string changed = with_byte(image, at + 8, 7);
    const auto refused = read_code_object(bytes_of(changed));
    REQUIRE_FALSE(refused.ok());
    CHECK_EQ(refused.status().code(), Code::unsupported);
    CHECK(refused.status().message().find("relocation of type 7") != std::string::npos);
}

TEST_CASE("addresses of symbols are those of where the object lies; a symbol that is not there is called by its name") {
    // Of default visibility: another object might define them, so that code asks for their addresses.
    const std::string image = hip_test::compile(R"(
__attribute__((weak, visibility("default"))) __device__ int counter = 3;
extern "C" __global__ void sample(int* p) { p[threadIdx.x] = counter; }
)");
    const auto object = read_code_object(bytes_of(image));
    REQUIRE_MESSAGE(object.ok(), object.status().to_string());
    const auto counter = std::find_if(object->symbols.begin(), object->symbols.end(), [](const Symbol& one) { return one.name == "counter"; });
    REQUIRE(counter != object->symbols.end());
    REQUIRE_EQ(object->relocations.size(), 1);
    CHECK_EQ(static_cast<std::uint64_t>(object->relocations[0].value), counter->address);
    CHECK_EQ(object->relocations[0].bytes, 8);
    CHECK_FALSE(object->relocations[0].absolute);

    // The symbol as the file has it: name (4 bytes), binding and type, visibility, section (2 bytes), address, size.
    std::string entry(16, '\0');
    std::memcpy(entry.data(), &counter->address, 8);
    std::memcpy(entry.data() + 8, &counter->size, 8);
    std::size_t at = image.find(entry);
    constexpr char kWeakObject = 0x21;  // STB_WEAK, STT_OBJECT
    while (at != std::string::npos && image[at - 4] != kWeakObject) at = image.find(entry, at + 1);
    REQUIRE_NE(at, std::string::npos);
    const std::size_t section = at - 2, info = at - 4;
    const std::string weak = with_byte(image, section, 0);
    const auto absent = read_code_object(bytes_of(weak));
    REQUIRE(absent.ok());
    CHECK(absent->relocations[0].absolute);
    const std::string strong = with_byte(weak, info, 0x11);
    const auto refused = read_code_object(bytes_of(strong));
    REQUIRE_FALSE(refused.ok());
    CHECK_EQ(refused.status().code(), Code::not_found);
    CHECK(refused.status().message().find("counter, which it does not define") != std::string::npos);

    // The halves of an address, of 4 bytes each.
    std::string where(12, '\0');
    std::memcpy(where.data(), &object->relocations[0].address, 8);
    where[8] = 3;  // R_AMDGPU_ABS64
    const std::size_t type = image.find(where) + 8;
    REQUIRE_GT(type, 8);
    const auto high = read_code_object(bytes_of(with_byte(image, type, 2)));
    REQUIRE(high.ok());
    CHECK_EQ(high->relocations[0].bytes, 4);
    CHECK_EQ(high->relocations[0].shift, 32);
}

namespace {

std::string bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string table = "__CLANG_OFFLOAD_BUNDLE__", data;
    const auto word = [&](std::uint64_t value) { table.append(reinterpret_cast<const char*>(&value), 8); };
    std::size_t table_size = 32;
    for (const auto& [name, code] : entries) table_size += 24 + name.size();
    word(entries.size());
    for (const auto& [name, code] : entries) {
        word(table_size + data.size());
        word(code.size());
        word(name.size());
        table += name;
        data += code;
    }
    return table + data;
}

}  // namespace

TEST_CASE("an offload bundle gives its generic code object where there is none of the device") {
    const std::string host = "host-x86_64-unknown-linux-gnu-", prefix = "hipv4-amdgcn-amd-amdhsa--";
    const std::string exact(sample().size(), 'e'), generic(sample().size(), 'g');
    const auto first_of = [](const std::string& bytes, const char* target) {
        const auto found = find_in_bundle(bytes_of(bytes).data(), bytes.size(), target);
        return found.ok() ? static_cast<char>((*found)[0]) : '-';
    };
    const std::string both = bundle({{host, ""}, {prefix + "gfx11-generic", generic}, {prefix + "gfx1100", exact}});
    CHECK_EQ(first_of(both, "gfx1100"), 'e');
    CHECK_EQ(first_of(both, "gfx1151"), 'g');
    CHECK_EQ(first_of(both, "gfx1201"), '-');
    CHECK_EQ(first_of(bundle({{prefix + "gfx1100:sramecc+", exact}, {prefix + "gfx11-generic", generic}}), "gfx1100"), 'e');
    const std::string others = bundle({{host, ""}, {prefix + "gfx12-generic", generic}});
    CHECK_EQ(first_of(others, "gfx1100"), '-');
}

TEST_CASE("an offload bundle gives the entry of the device") {
    const std::string both = bundle({{"host-x86_64-unknown-linux-gnu-", ""}, {"hipv4-amdgcn-amd-amdhsa--gfx1030", "other"},
                                     {"hipv4-amdgcn-amd-amdhsa--gfx1100", sample()}});
    REQUIRE(is_offload_bundle(bytes_of(both).data()));
    const auto found = find_in_bundle(bytes_of(both).data(), both.size(), "gfx1100");
    REQUIRE(found.ok());
    CHECK_EQ(found->size(), sample().size());
    CHECK(read_code_object(*found).ok());
    const auto missing = find_in_bundle(bytes_of(both).data(), both.size(), "gfx1201");
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.status().message().find("gfx1030") != std::string::npos);
    const std::string compressed = "CCOB" + std::string(60, '\0');
    CHECK(is_offload_bundle(bytes_of(compressed).data()));
    const auto refused = find_in_bundle(bytes_of(compressed).data(), compressed.size(), "gfx1100").status();
    CHECK_EQ(refused.code(), Code::unsupported);
    CHECK(refused.message().find("--no-offload-compress") != std::string::npos);
    CHECK_FALSE(is_offload_bundle(bytes_of(sample()).data()));

    // Cut off anywhere: an answer, and the right one once all is there.
    CHECK(find_in_bundle(bytes_of(both).data(), 0, "gfx1100").ok());
    for (std::size_t size = 24; size < 300; ++size) {
        const std::vector<std::byte> start(bytes_of(both).begin(), bytes_of(both).begin() + static_cast<std::ptrdiff_t>(size));
        REQUIRE_EQ(find_in_bundle(start.data(), size, "gfx1100").status().code(), Code::corrupt);
    }
    CHECK_EQ(find_in_bundle(bytes_of(both).data(), both.size() - 1, "gfx1100").status().code(), Code::corrupt);
}
