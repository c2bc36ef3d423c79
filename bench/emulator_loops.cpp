#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bench/emulator.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/run/interpreter.hpp"
#include "emulator/state/wave.hpp"

namespace bench {

using namespace hipemu;

namespace {

struct Loop {
    const char* name;
    const char* lines;  // repeated; one instruction a line
};

constexpr Loop kLoops[] = {
    {"v_fma_f32", "v_fma_f32 v0, v1, v2, v0\nv_fma_f32 v3, v4, v5, v3\n"},
    {"v_add_f32 / v_mul_f32", "v_add_f32_e32 v0, v1, v2\nv_mul_f32_e32 v3, v4, v5\n"},
    {"v_mul_f32 with a scalar", "v_mul_f32_e32 v0, s4, v2\nv_mul_f32_e32 v3, s4, v5\n"},
    {"v_max_f32 / v_max3_f32", "v_max_f32_e32 v0, v1, v2\nv_max3_f32 v3, v4, v5, v3\n"},
    {"v_exp_f32", "v_exp_f32_e32 v0, v1\nv_exp_f32_e32 v3, v4\n"},
    {"v_log_f32", "v_log_f32_e32 v0, v1\nv_log_f32_e32 v3, v4\n"},
    {"v_rcp_f32", "v_rcp_f32_e32 v0, v1\nv_rcp_f32_e32 v3, v4\n"},
    {"v_cvt_f16_f32", "v_cvt_f16_f32_e32 v0, v1\nv_cvt_f16_f32_e32 v3, v4\n"},
    {"v_cvt_pk_rtz_f16_f32", "v_cvt_pk_rtz_f16_f32_e32 v0, v1, v2\nv_cvt_pk_rtz_f16_f32_e32 v3, v4, v5\n"},
    {"v_pack_b32_f16", "v_pack_b32_f16 v0, v1, v2\nv_pack_b32_f16 v3, v4, v5\n"},
    {"v_perm_b32", "v_perm_b32 v0, v1, v2, s5\nv_perm_b32 v3, v4, v5, s5\n"},
    {"v_cndmask_b32", "v_cndmask_b32_e32 v0, v1, v2, vcc_lo\nv_cndmask_b32_e64 v3, v4, v5, s6\n"},
    {"v_cmp_gt_f32", "v_cmp_gt_f32_e32 vcc_lo, v1, v2\nv_cmp_gt_f32_e64 s6, v4, v5\n"},
    {"v_permlanex16_b32", "v_permlanex16_b32 v0, v1, s7, 0xfedcba98 op_sel:[1,0]\nv_permlanex16_b32 v3, v4, s7, 0xfedcba98 op_sel:[1,0]\n"},
    {"v_mov_b32 with DPP", "v_mov_b32_dpp v0, v1 row_xmask:1 row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v3, v4 row_ror:8 row_mask:0xf bank_mask:0xf\n"},
    {"v_dual_mul_f32 :: v_dual_mov_b32", "v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4\nv_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5\n"},
    {"v_add_nc_u32 / v_lshlrev_b32", "v_add_nc_u32_e32 v0, v1, v2\nv_lshlrev_b32_e32 v3, 2, v5\n"},
    {"v_pk_fma_f16", "v_pk_fma_f16 v0, v1, v2, v0\nv_pk_fma_f16 v3, v4, v5, v3\n"},
    {"s_add_u32", "s_add_u32 s8, s8, s4\ns_add_u32 s9, s9, s4\n"},
    {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_f16 v[32:39], v[16:23], v[24:31], v[32:39]\n"},
    {"v_wmma_f32_16x16x16_bf16", "v_wmma_f32_16x16x16_bf16 v[32:39], v[16:23], v[24:31], v[32:39]\n"},
    {"v_wmma_i32_16x16x16_iu8", "v_wmma_i32_16x16x16_iu8 v[32:39], v[16:19], v[24:27], v[32:39]\n"},
};

constexpr int kRepeat = 32;         // of the lines in the body of a loop
constexpr unsigned kIterations = 500;

/// Processor time of this thread: what others do on the machine counts for little.
double thread_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Nanoseconds an instruction of the body, the best of a few runs; negative if the loop did not run.
double nanoseconds(const Loop& loop) {
    std::string text = "s_movk_i32 s3, " + std::to_string(kIterations) + "\nbegin:\n";
    for (int i = 0; i < kRepeat; ++i) text += loop.lines;
    text += "s_sub_u32 s3, s3, 1\ns_cmp_lg_u32 s3, 0\ns_cbranch_scc1 begin\ns_endpgm\n";
    const auto decoded = decode(text, "gfx1100", 0);
    if (!decoded.ok()) return -1;
    const Program& program = **decoded;
    const CostSums costs(program);
    double best = 1e30;
    for (int run = 0; run < 9; ++run) {
        Workgroup group;
        auto wave = std::make_unique<Wave>();
        for (unsigned r = 0; r < 256; ++r) {
            for (int l = 0; l < kLanes; ++l) wave->v[r][l] = 0x3c003c00u;
            wave->defined.add(r, 1);
        }
        for (unsigned r = 0; r < 128; ++r) {
            wave->s[r] = r == kNull ? 0 : 0x3f800000u;
            wave->scalar_defined.add(r, 1);
        }
        wave->s[7] = 0x76543210u;
        wave->s[5] = 0x07060302u;
        wave->s[kExecLo] = 0xffffffffu;
        wave->mode = 0x3f0;  // denormals kept, DX10_CLAMP, IEEE: as kernels run
        wave->program = &program;
        wave->group = &group;
        Flow flow(program);
        const double start = thread_nanoseconds();
        constexpr std::uint64_t kNoLimit = ~0ull / 4;
        run_wave(*wave, costs, flow, {.slice = kNoLimit, .limit = kNoLimit});
        const double elapsed = thread_nanoseconds() - start;
        if (wave->state != WaveState::ended) {
            if (wave->fault != nullptr) std::fprintf(stderr, "%s: %s\n", loop.name, wave->fault->message.c_str());
            return -1;
        }
        best = std::min(best, elapsed);
    }
    const std::string lines = loop.lines;
    const auto body = kRepeat * std::count(lines.begin(), lines.end(), '\n');
    return best / (static_cast<double>(kIterations) * static_cast<double>(body));
}

}  // namespace

int run_loops() {
    int failures = 0;
    for (const Loop& loop : kLoops) {
        const double ns = nanoseconds(loop);
        if (ns < 0) {
            std::printf("  %-34s did not run\n", loop.name);
            ++failures;
            continue;
        }
        std::printf("  %-34s %7.1f ns  %7.1f million a second\n", loop.name, ns, 1000.0 / ns);
    }
    return failures;
}

}  // namespace bench
