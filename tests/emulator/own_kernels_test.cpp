// The library's own kernels for every target of the family: the emulator has semantics for all that they contain.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "compile/compile_request.hpp"
#include "compile/worker_pool.hpp"
#include "emulator/isa/decode_line.hpp"
#include "emulator/isa/program.hpp"
#include "kernels/kernel_case.hpp"
#include "problem/kernel_spec.hpp"

using namespace flashwave;
using namespace flashwave::testing;

namespace {

struct Chosen {
    std::string target;
    CompileJob job;
};

void add(std::vector<Chosen>& chosen, const std::string& target, DType dtype, int head_dim, MaskKind mask, const std::string& geometry) {
    ProblemKey key;
    REQUIRE(key.target.assign(target));
    key.dtype = dtype;
    key.head_dim = head_dim;
    key.mask = mask;
    const Result<Candidate> candidate = parse_geometry(geometry);
    REQUIRE_MESSAGE(candidate.ok(), candidate.status().to_string());
    const KernelSpec spec = make_kernel_spec(key, *candidate, *find_arch(target));
    chosen.push_back({target, kernel_job(spec.main_file, target, spec.options)});
}

/// Of the geometries of the numeric suite with every type and mask each fifth for gfx1100 and each fifteenth for the other targets, which differ
/// little from it. FLASHWAVE_LONG_TESTS=1: all of it everywhere.
std::vector<Chosen> chosen_kernels() {
    const char* asked = std::getenv("FLASHWAVE_LONG_TESTS");
    const bool everything = asked != nullptr && std::string_view(asked) == "1";
    std::vector<Chosen> chosen;
    for (const std::string target : {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151"}) {
        unsigned turn = 0;
        for (const int head_dim : {64, 128}) {
            for (const std::string& geometry : geometries(head_dim)) {
                for (const DType dtype : {DType::f16, DType::bf16}) {
                    for (const MaskKind mask : {MaskKind::none, MaskKind::bottom_right}) {
                        const bool in_turn = target == "gfx1100" ? turn % 5 == 0 : turn % 15 == 0;
                        if (everything || in_turn) add(chosen, target, dtype, head_dim, mask, geometry);
                        ++turn;
                    }
                }
            }
        }
        add(chosen, target, DType::f16, 64, MaskKind::bottom_right, "naive");
    }
    return chosen;
}

}  // namespace

TEST_CASE("the library's own kernels contain no instruction without semantics, for any target") {
    const std::vector<Chosen> chosen = chosen_kernels();
    std::vector<CompileJob> jobs;
    for (const Chosen& one : chosen) jobs.push_back(one.job);
    std::vector<std::string> objects(chosen.size());
    std::string failed;
    WorkerPool pool;
    pool.compile_all(jobs, [&](std::size_t i, Result<CompiledObject> object) {
        if (object.ok()) objects[i] = std::move(object->code);
        else failed += chosen[i].target + ": " + object.status().to_string() + "\n";
    });
    REQUIRE_MESSAGE(failed.empty(), failed);

    std::map<std::string, std::set<std::string>> names;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const Result<std::string> listing = pool.list(objects[i], chosen[i].target);
        REQUIRE_MESSAGE(listing.ok(), listing.status().to_string());
        for (std::size_t at = 0; at < listing->size();) {
            const std::size_t end = std::min(listing->find('\n', at), listing->size());
            const hipemu::ListingLine line = hipemu::cut_line(std::string_view(*listing).substr(at, end - at));
            at = end + 1;
            if (line.kind != hipemu::ListingLine::Kind::instruction || line.text == "s_code_end") continue;
            const std::size_t joint = line.text.find(" :: ");
            names[chosen[i].target].emplace(hipemu::base_mnemonic(hipemu::cut_instruction(line.text.substr(0, joint)).mnemonic));
            if (joint != std::string_view::npos) names[chosen[i].target].emplace(hipemu::cut_instruction(line.text.substr(joint + 4)).mnemonic);
        }
    }
    const std::filesystem::path folder = FLASHWAVE_BUILD_DIR "/coverage";
    std::filesystem::create_directories(folder);
    for (const auto& [name_of_target, met] : names) {
        const std::string& target = name_of_target;  // what doctest can capture
        std::ofstream out(folder / (target + "-kernels.txt"));
        std::string missing;
        for (const std::string& name : met) {
            out << name << '\n';
            if (!hipemu::has_semantics(name, target)) missing += " " + name;
        }
        CHECK_MESSAGE(missing.empty(), target, " has no semantics for", missing);
        CHECK(met.contains("v_wmma_f32_16x16x16_f16"));
        MESSAGE(target, ": ", met.size(), " different instructions in the library's own kernels");
    }
    CHECK(names.size() == 6);
}
