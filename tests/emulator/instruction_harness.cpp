#include "emulator/instruction_harness.hpp"

#include <algorithm>
#include <stdexcept>

#include "emulator/checks/watch.hpp"
#include "emulator/exec/vector_modes.hpp"
#include "emulator/run/interpreter.hpp"
#include "emulator/run/launch.hpp"
#include "emulator/state/undefined.hpp"

namespace emulator_test {

using namespace hipemu;

namespace {

const OpInfo* find_in_build(std::string_view mnemonic, LaneBuild build) {
    for (const OpInfo& op : valu_ops(build)) {
        if (op.mnemonic == mnemonic) return &op;
    }
    return nullptr;
}

/// Exchanges the handler that the decoder chose for the one of the other build.
void use_build(Inst& inst, LaneBuild build) {
    if (inst.info == nullptr) return;
    const OpInfo* op = find_in_build(inst.info->mnemonic, build);
    if (op == nullptr) return;
    ExecFn& handler = inst.second != nullptr ? inst.first_exec : inst.exec;
    handler = op->select != nullptr ? op->select(inst) : op->exec;
    inst.info = op;
}

}  // namespace

WaveRun::WaveRun(std::string_view lines, std::optional<LaneBuild> build) {
    auto decoded = decode(std::string(lines) + "\ns_endpgm\n", "gfx1100", 0);
    if (!decoded.ok()) throw std::runtime_error(decoded.status().to_string());
    program_ = *decoded;
    if (build.has_value() && *build != chosen_lane_build()) {
        for (auto& half : program_->second_halves) use_build(*half, *build);
        for (Inst& inst : program_->code) use_build(inst, *build);
    }
    group_.waves.push_back(std::make_unique<Wave>());
    group_.size[0] = kLanes;
    group_.size[1] = group_.size[2] = 1;
    group_.grid[0] = group_.grid[1] = group_.grid[2] = 1;
    memory_ = std::make_shared<const MemoryMap>(std::vector<Allocation>{});
    group_.memory = memory_.get();
    wave_ = group_.waves.front().get();
    wave_->program = program_.get();
    wave_->group = &group_;
    for (auto& r : wave_->v) std::fill(std::begin(r), std::end(r), kPoison);
    for (auto& r : wave_->undefined) std::fill(std::begin(r), std::end(r), ~0u);
    std::fill(std::begin(wave_->s), std::end(wave_->s), kPoison);
    std::fill(std::begin(wave_->scalar_undefined), std::end(wave_->scalar_undefined), ~0u);
    wave_->mode = 0xf0 | 1u << 8 | 1u << 9;  // denormals kept, DX10_CLAMP, IEEE: what the compiler asks for
    set_s(kNull, 0);
    set_s(kExecHi, 0);
    set_exec(~0u);
}

WaveRun& WaveRun::set_v(unsigned r, std::uint32_t value) {
    std::fill(std::begin(wave_->v[r]), std::end(wave_->v[r]), value);
    wave_->defined.add(r, 1);
    return *this;
}

WaveRun& WaveRun::set_v(unsigned r, std::span<const std::uint32_t> lanes) {
    std::copy_n(lanes.begin(), std::min<std::size_t>(lanes.size(), kLanes), std::begin(wave_->v[r]));
    wave_->defined.add(r, 1);
    return *this;
}

WaveRun& WaveRun::set_v64(unsigned r, std::uint64_t value) {
    return set_v(r, static_cast<std::uint32_t>(value)).set_v(r + 1, static_cast<std::uint32_t>(value >> 32));
}

WaveRun& WaveRun::set_s(unsigned r, std::uint32_t value) {
    wave_->s[r] = value;
    wave_->scalar_defined.add(r, 1);
    return *this;
}

WaveRun& WaveRun::set_s64(unsigned r, std::uint64_t value) {
    return set_s(r, static_cast<std::uint32_t>(value)).set_s(r + 1, static_cast<std::uint32_t>(value >> 32));
}

WaveRun& WaveRun::set_vcc(std::uint32_t value) { return set_s(kVccLo, value); }
WaveRun& WaveRun::set_exec(std::uint32_t mask) { return set_s(kExecLo, mask); }

WaveRun& WaveRun::set_scc(bool value) {
    wave_->scc = value;
    wave_->scalar_defined.add(kSccBit, 1);
    return *this;
}

WaveRun& WaveRun::set_mode(std::uint32_t bits) {
    wave_->mode = (wave_->mode & ~0xffu) | (bits & 0xffu);
    if ((bits & kModeBits) != kUsualMode) obey_mode(*program_);
    return *this;
}

WaveRun& WaveRun::undefine_v(unsigned r, std::uint32_t bits) {
    Operand operand;
    operand.kind = OperandKind::vgpr;
    operand.index = static_cast<std::uint16_t>(r);
    LaneBits lanes;
    std::fill(std::begin(lanes), std::end(lanes), bits);
    set_undefined_all(*wave_, operand, 0, lanes);
    return *this;
}

WaveRun& WaveRun::set_lds(std::uint32_t bytes) {
    group_.lds_bytes = bytes;
    group_.lds.assign(bytes + 16, std::byte{0});
    group_.lds_undefined.assign(bytes + 16, std::byte{0xff});
    return *this;
}

WaveRun& WaveRun::set_scratch(std::uint32_t bytes) {
    group_.private_bytes = bytes;
    group_.scratch.assign(std::size_t{bytes} * kLanes, std::byte{kPrivatePoison});
    group_.scratch_undefined.assign(std::size_t{bytes} * kLanes, std::byte{0xff});
    return *this;
}

WaveRun& WaveRun::set_memory(std::shared_ptr<const MemoryMap> memory) {
    memory_ = std::move(memory);
    group_.memory = memory_.get();
    return *this;
}

WaveRun& WaveRun::watched(const Strictness& strict) {
    watched_ = strict;
    return *this;
}

WaveRun& WaveRun::go() {
    const CostSums costs(*program_);
    Flow flow(*program_);
    constexpr std::uint64_t kLimit = 1'000'000;
    if (!watched_) {
        run_wave(*wave_, costs, flow, {.slice = kLimit, .limit = kLimit});
        return *this;
    }
    Kernel kernel;
    kernel.name = "hand_written";
    kernel.program = program_;
    const LaunchRequest request{.kernel = &kernel,
                                .block = {kLanes, 1, 1},
                                .memory = memory_,
                                .chip = find_chip("gfx1100"),
                                .strict = *watched_};
    Watch watch(request);
    watch.start(group_, nullptr);
    run_wave(*wave_, costs, flow, {.watch = &watch, .slice = kLimit, .limit = kLimit});
    return *this;
}

std::uint64_t WaveRun::v64(unsigned r, int lane) const { return v(r, lane) | static_cast<std::uint64_t>(v(r + 1, lane)) << 32; }
std::uint64_t WaveRun::s64(unsigned r) const { return s(r) | static_cast<std::uint64_t>(s(r + 1)) << 32; }

std::uint32_t WaveRun::undefined_v(unsigned r, int lane) const { return wave_->defined.contains(r) ? 0 : wave_->undefined[r][lane]; }
std::uint32_t WaveRun::undefined_s(unsigned r) const { return scalar_undefined_bits(*wave_, r); }

std::vector<LaneBuild> runnable_builds() {
    std::vector<LaneBuild> builds{LaneBuild::portable};
    if (host_has_avx2()) builds.push_back(LaneBuild::avx2);
    return builds;
}

}  // namespace emulator_test
