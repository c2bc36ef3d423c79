#include "emulator/run/workgroup.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "emulator/state/undefined.hpp"

namespace hipemu {
namespace {

/// More wave instructions than any kernel that ends runs in one wave; a launch may ask for another limit.
constexpr std::uint64_t kInstructionLimit = 1'000'000'000;
/// Instructions of the longest loop that is taken to wait for something.
constexpr std::size_t kLongestPoll = 512;

// Kernel descriptor bits, as LLVM's AMDGPU usage guide gives them.
constexpr std::uint32_t kPrivateBuffer = 1u << 0, kDispatchPtr = 1u << 1, kQueuePtr = 1u << 2, kKernargPtr = 1u << 3, kDispatchId = 1u << 4,
                        kFlatScratchInit = 1u << 5, kPrivateSize = 1u << 6;

template <class T>
void put(std::array<std::byte, 64>& packet, std::size_t at, T value) {
    std::memcpy(packet.data() + at, &value, sizeof(value));
}

/// Hands out scalar registers in the order in which the hardware fills them.
class ScalarFiller {
public:
    explicit ScalarFiller(Wave& wave) : wave_(wave) {}

    void word(std::uint32_t value) {
        wave_.s[next_] = value;
        wave_.scalar_defined.add(next_++, 1);
    }
    void pair(std::uint64_t value) {
        word(static_cast<std::uint32_t>(value));
        word(static_cast<std::uint32_t>(value >> 32));
    }
    void skip_to(unsigned next) { next_ = std::max(next_, next); }

private:
    Wave& wave_;
    unsigned next_ = 0;
};

/// `undefined` is all zero where it is not tracked: it is made so, and nobody writes there anything else.
void poison(std::vector<std::byte>& bytes, std::vector<std::byte>& undefined, std::size_t size, bool tracked, std::uint32_t pattern = kPoison) {
    bytes.resize(size);
    undefined.resize(size);
    if (size < 4) return;
    // The pattern, and then what is there already, twice as much each time.
    const std::size_t whole = size / 4 * 4;
    std::memcpy(bytes.data(), &pattern, 4);
    for (std::size_t done = 4; done < whole; done *= 2) std::memcpy(bytes.data() + done, bytes.data(), std::min(done, whole - done));
    if (tracked) std::memset(undefined.data(), 0xff, size);
}

}  // namespace

WorkgroupRunner::WorkgroupRunner(const LaunchRequest& request, const CostSums& costs, GlobalRaces* global_races)
    : request_(request), costs_(costs), flow_(*request.kernel->program), watch_(request, global_races) {
    const Kernel& kernel = *request.kernel;
    threads_ = request.block[0] * request.block[1] * request.block[2];
    limit_ = request.instruction_limit != 0 ? request.instruction_limit : kInstructionLimit;
    entry_ = static_cast<std::uint32_t>(std::max(kernel.program->index_of(kernel.entry_offset), 0));
    for (std::size_t i = 0; i < 3; ++i) {
        group_.size[i] = request.block[i];
        group_.grid[i] = request.grid[i];
    }
    group_.tracks_undefined = request.strict.undefined;
    group_.memory = request.memory.get();
    group_.lds_bytes = kernel.group_bytes + request.dynamic_lds;
    group_.private_bytes = kernel.private_bytes;
    for (std::size_t i = 0; i < kernel.program->code.size(); ++i) {
        const AccessShape& shape = kernel.program->accesses[i];
        const bool global = shape.space == AccessSpace::global || shape.space == AccessSpace::flat;
        polls_.push_back(global && (shape.atomic || shape.acquires));
    }
    const std::uint32_t waves = (threads_ + kLanes - 1) / kLanes;
    for (std::uint32_t i = 0; i < waves; ++i) {
        group_.waves.push_back(std::make_unique<Wave>());
        group_.waves.back()->group = &group_;
        group_.waves.back()->program = kernel.program.get();
    }

    // The AQL packet of the launch, for code that reads sizes from it.
    put<std::uint16_t>(dispatch_packet_, 0, 2);   // header: kernel dispatch
    put<std::uint16_t>(dispatch_packet_, 2, 3);   // dimensions
    for (std::size_t i = 0; i < 3; ++i) {
        put(dispatch_packet_, 4 + 2 * i, static_cast<std::uint16_t>(request.block[i]));
        put(dispatch_packet_, 12 + 4 * i, request.grid[i] * request.block[i]);
    }
    put(dispatch_packet_, 24, kernel.private_bytes);
    put(dispatch_packet_, 28, group_.lds_bytes);
    put(dispatch_packet_, 40, request.kernarg_address);
    group_.dispatch_packet = {.base = kDispatchPacketAddress,
                              .size = dispatch_packet_.size(),
                              .host = dispatch_packet_.data(),
                              .defined = nullptr,
                              .writable = false,
                              .label = "the dispatch packet"};
}

void WorkgroupRunner::start_wave(Wave& wave, std::uint32_t index) {
    const Kernel& kernel = *request_.kernel;
    std::fill(&wave.v[0][0], &wave.v[0][0] + 256 * kLanes, kPoison);
    std::fill(std::begin(wave.s), std::end(wave.s), kPoison);
    wave.defined = {};
    wave.scalar_defined = {};
    if (request_.strict.undefined) {
        std::memset(wave.undefined, 0xff, sizeof(wave.undefined));
        std::memset(wave.scalar_undefined, 0xff, sizeof(wave.scalar_undefined));
    } else {
        wave.defined.add(0, 256);
        wave.scalar_defined.add(0, 128);
    }
    wave.s[kNull] = 0;
    wave.scc = false;
    wave.index = index;
    wave.pc = entry_;
    wave.current = nullptr;
    wave.state = WaveState::running;
    wave.fault.reset();
    wave.instructions = wave.issue_units = 0;
    wave.last_allocation = nullptr;

    // MODE: rounding and denormals from rsrc1, DX10_CLAMP, IEEE, FP16_OVFL.
    wave.mode = (kernel.rsrc1 >> 12 & 0xff) | (kernel.rsrc1 >> 21 & 1) << 8 | (kernel.rsrc1 >> 23 & 1) << 9 | (kernel.rsrc1 >> 26 & 1) << 23;

    const std::uint32_t first = index * kLanes;
    const std::uint32_t lanes = std::min<std::uint32_t>(threads_ - first, kLanes);
    wave.s[kExecLo] = lanes == kLanes ? 0xffffffffu : (1u << lanes) - 1;
    wave.s[kExecHi] = 0;
    wave.scalar_defined.add(kExecLo, 2);
    wave.scalar_defined.add(kNull, 1);
    set_scc_undefined(wave, false);  // STATUS, and SCC in it, is zero when a wave starts

    // User registers, then the work-group's coordinates: only the enabled ones, right behind the user count of the descriptor. (gfx1100 and
    // gfx1102 pad that count so that the last coordinate lands in s15.)
    ScalarFiller fill(wave);
    const std::uint32_t properties = kernel.properties;
    if (properties & kPrivateBuffer) fill.pair(0), fill.pair(0);
    if (properties & kDispatchPtr) fill.pair(kDispatchPacketAddress);
    if (properties & kQueuePtr) fill.pair(kQueueAddress);
    if (properties & kKernargPtr) fill.pair(request_.kernarg_address);
    if (properties & kDispatchId) fill.pair(0);
    if (properties & kFlatScratchInit) fill.pair(0);
    if (properties & kPrivateSize) fill.word(kernel.private_bytes);
    fill.skip_to(kernel.rsrc2 >> 1 & 31);
    if (kernel.rsrc2 >> 7 & 1) fill.word(group_.id[0]);
    if (kernel.rsrc2 >> 8 & 1) fill.word(group_.id[1]);
    if (kernel.rsrc2 >> 9 & 1) fill.word(group_.id[2]);

    // v0: the work-item's coordinates, 10 bits each, as many as are asked for.
    const std::uint32_t dimensions = kernel.rsrc2 >> 11 & 3;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t flat = first + lane;
        const std::uint32_t x = flat % group_.size[0];
        const std::uint32_t y = flat / group_.size[0] % group_.size[1];
        const std::uint32_t z = flat / group_.size[0] / group_.size[1];
        wave.v[0][lane] = x | (dimensions >= 1 ? y << 10 : 0) | (dimensions >= 2 ? z << 20 : 0);
    }
    const LaneBits none{};
    Operand v0;
    v0.kind = OperandKind::vgpr;
    set_undefined(wave, v0, 0, none);
}

void WorkgroupRunner::start_group(std::array<std::uint32_t, 3> id) {
    std::copy(id.begin(), id.end(), group_.id);
    const bool tracked = request_.strict.undefined;
    poison(group_.lds, group_.lds_undefined, group_.lds_bytes, tracked);
    poison(group_.scratch, group_.scratch_undefined, std::size_t{group_.private_bytes} * group_.waves.size() * kLanes, tracked,
           kPrivatePoison * 0x01010101u);
    for (std::uint32_t i = 0; i < group_.waves.size(); ++i) start_wave(*group_.waves[i], i);
}

void WorkgroupRunner::start(std::array<std::uint32_t, 3> id, GroupTrace* trace) {
    start_group(id);
    watch_.start(group_, trace);
    watched_ = watch_.is_needed(trace != nullptr);
}

GroupState WorkgroupRunner::go_on(std::uint64_t slice) {
    const RunOptions options{.undefined = request_.strict.undefined, .watch = watched_ ? &watch_ : nullptr, .slice = slice, .limit = limit_};
    std::optional<Flow> before;  // as it was before a round of whole turns
    for (;;) {
        bool living = false, running = false;
        for (const auto& wave : group_.waves) {
            if (wave->state == WaveState::running) {
                run_wave(*wave, costs_, flow_, options);
            }
            if (wave->state == WaveState::faulted) {
                stopped_ = wave.get();
                look_for_cause(options);
                return GroupState::stopped;
            }
            living |= wave->state != WaveState::ended;
            running |= wave->state == WaveState::running;
        }
        if (!living) return watch_.finish(group_) || !find_stopped() ? GroupState::ended : GroupState::stopped;
        if (running) {
            if (before && has_only_polled(*before)) return GroupState::polling;
            before = flow_;
            continue;
        }
        before.reset();
        // Every wave that still lives has arrived: a wave that has ended counts as arrived.
        if (!watch_.barrier(group_) && find_stopped()) return GroupState::stopped;
        for (const auto& wave : group_.waves) {
            if (wave->state == WaveState::at_barrier) wave->state = WaveState::running;
        }
    }
}

/// True if all that the waves have run since `before` is a small loop in which memory is asked.
bool WorkgroupRunner::has_only_polled(const Flow& before) const {
    std::size_t distinct = 0;
    std::uint64_t times = 0;
    bool polls = false;
    for (std::size_t i = 0; i < polls_.size(); ++i) {
        times += flow_.entered[i] - before.entered[i] - (flow_.left[i] - before.left[i]);
        if (times == 0) continue;
        ++distinct;
        polls = polls || polls_[i];
    }
    return polls && distinct <= kLongestPoll;
}

void WorkgroupRunner::give_up(std::string message) {
    for (const auto& wave : group_.waves) {
        if (wave->state != WaveState::running) continue;
        wave->stop_with_fault(FaultKind::instruction_limit, std::move(message));
        stopped_ = wave.get();
        return;
    }
}

std::uint64_t WorkgroupRunner::instructions() const {
    std::uint64_t sum = 0;
    for (const auto& wave : group_.waves) sum += wave->instructions;
    return sum;
}

/// Undefined bits may be those of LDS or memory that another wave was to write first. Once the others have run to where they wait, too, the watch can
/// tell; the race is then the finding.
void WorkgroupRunner::look_for_cause(const RunOptions& options) {
    const FaultKind kind = stopped_->fault->kind;
    const bool undefined = kind == FaultKind::undefined_address || kind == FaultKind::undefined_branch || kind == FaultKind::undefined_store;
    if (!undefined || options.watch == nullptr) return;
    for (const auto& wave : group_.waves) {
        if (wave->state == WaveState::running) run_wave(*wave, costs_, flow_, options);
    }
    (void)watch_.finish(group_);
    for (const auto& wave : group_.waves) {
        if (wave->fault != nullptr && (wave->fault->kind == FaultKind::lds_race || wave->fault->kind == FaultKind::global_race)) stopped_ = wave.get();
    }
}

bool WorkgroupRunner::find_stopped() {
    for (const auto& wave : group_.waves) {
        if (wave->state != WaveState::faulted) continue;
        stopped_ = wave.get();
        return true;
    }
    return false;
}

Fault WorkgroupRunner::take_fault() {
    Fault fault = std::move(*stopped_->fault);
    fault.kernel = request_.kernel->name;
    if (fault.kind == FaultKind::instruction_limit) {
        std::string waiting;
        for (const auto& wave : group_.waves) {
            if (wave->state == WaveState::at_barrier) waiting += fmt::format("{}{}", waiting.empty() ? "" : ", ", wave->index);
        }
        if (!waiting.empty()) fault.message += fmt::format("; waiting for it at a barrier: wave {}", waiting);
    }
    return fault;
}

std::uint64_t WorkgroupRunner::work() const {
    std::uint64_t work = 0;
    for (const auto& wave : group_.waves) work += wave->issue_units;
    return work;
}

}  // namespace hipemu
