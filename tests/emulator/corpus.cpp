#include "emulator/corpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "emulator/code/listing_cache.hpp"
#include "emulator/isa/decode_line.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/settings/config.hpp"

namespace hip_test {
namespace {

const std::filesystem::path kFolder = FLASHWAVE_SOURCE_DIR "/tests/emulator/corpus";

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    REQUIRE_MESSAGE(in.good(), file.string());
    return {std::istreambuf_iterator<char>(in), {}};
}

const std::map<std::string, std::string>& headers() {
    static const std::map<std::string, std::string> all = [] {
        std::map<std::string, std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
            if (entry.path().extension() != ".hip") found[entry.path().filename().string()] = text_of(entry.path());
        }
        return found;
    }();
    return all;
}

/// Files that are compiled as one, since most of a small file's time goes to HIP's own header.
const std::vector<std::vector<std::string>> kGroups = {
    {"vector_add", "reduction", "divergence", "scratch", "integers", "transcendental", "atomics", "matrix_multiply"},
    {"arithmetic", "conversions"},
    {"lanes", "packed", "shared_memory"},
    {"spills", "calls", "rounding"},
};

std::string source_of(const std::string& name) {
    for (const std::vector<std::string>& group : kGroups) {
        if (std::find(group.begin(), group.end(), name) == group.end()) continue;
        std::string text;
        for (const std::string& file : group) text += "#line 1 \"" + file + ".hip\"\n" + text_of(kFolder / (file + ".hip"));
        return text;
    }
    return text_of(kFolder / (name + ".hip"));
}

std::map<std::string, std::set<std::string>>& met() {
    static std::map<std::string, std::set<std::string>> names;
    return names;
}

/// Notes the mnemonics of an object. Those without semantics are named.
void look_through(const std::string& code, const Variant& variant) {
    static std::set<std::string> seen;
    if (!seen.insert(code).second) return;
    // From where the emulator will find it when the object is loaded.
    auto listed = hipemu::cached_listing(std::as_bytes(std::span(code)), variant.target, hipemu::config().cache_directory);
    REQUIRE_MESSAGE(listed.ok(), listed.status().to_string());
    const std::string& listing = *listed;
    std::set<std::string> names;
    for (std::size_t at = 0; at < listing.size();) {
        const std::size_t end = std::min(listing.find('\n', at), listing.size());
        const hipemu::ListingLine line = hipemu::cut_line(std::string_view(listing).substr(at, end - at));
        at = end + 1;
        if (line.kind != hipemu::ListingLine::Kind::instruction || line.text == "s_code_end") continue;
        const std::size_t joint = line.text.find(" :: ");
        names.emplace(hipemu::base_mnemonic(hipemu::cut_instruction(line.text.substr(0, joint)).mnemonic));
        if (joint != std::string_view::npos) names.emplace(hipemu::cut_instruction(line.text.substr(joint + 4)).mnemonic);
    }
    REQUIRE_FALSE(names.empty());
    std::string missing;
    for (const std::string& name : names) {
        if (!hipemu::has_semantics(name, variant.target)) missing += " " + name;
    }
    REQUIRE_MESSAGE(missing.empty(), "no semantics for", missing);
    met()[variant.target].merge(names);
}

}  // namespace

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = [] {
        const char* asked = std::getenv("FLASHWAVE_LONG_TESTS");
        const bool everything = asked != nullptr && std::string_view(asked) != "0" && *asked != 0;
        std::vector<Variant> list;
        for (const std::string target : {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151"}) {
            list.push_back({target, "-O3"});
            if (everything || target == "gfx1100" || target == "gfx1151") list.push_back({target, "-O0"});
        }
        return list;
    }();
    return all;
}

void on_every_target(const std::string& name, const std::function<void(const Module&)>& check) {
    const std::string source = source_of(name);
    std::vector<Compilation> compilations;
    for (const Variant& variant : variants()) compilations.push_back({variant.target, {variant.level, "-std=c++17"}});
    const std::vector<std::string> objects = compile_all(source, compilations, headers());
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const Variant& variant = variants()[i];
        INFO(name, " for ", variant.target, " at ", variant.level);
        look_through(objects[i], variant);
        int device = 0;
        HIP_OK(hipemuOpenDevice(variant.target.c_str(), &device));
        HIP_OK(hipSetDevice(device));
        check(Module(objects[i]));
    }
    HIP_OK(hipSetDevice(0));
}

const std::map<std::string, std::set<std::string>>& mnemonics_met() { return met(); }

}  // namespace hip_test
