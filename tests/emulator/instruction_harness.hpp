// Runs hand-written instructions on one emulated wave: lines of assembly through the decoder, registers in, registers out.
//
//     WaveRun run("v_add_nc_u32 v0, v1, s2");
//     run.set_v(1, 40).set_s(2, 2).go();
//     CHECK(run.v(0, /*lane=*/31) == 42);
//
// Every register that a test does not set is undefined, as on a card: strict checks apply. One thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/isa/fault.hpp"
#include "emulator/isa/op_tables.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/settings/strictness.hpp"
#include "emulator/state/memory.hpp"
#include "emulator/state/wave.hpp"

namespace emulator_test {

class WaveRun {
public:
    /// One instruction a line; the end is added. Runs with the vector operations of `build`, or those the process chose.
    explicit WaveRun(std::string_view lines, std::optional<hipemu::LaneBuild> build = std::nullopt);

    /// All lanes of a vector register, or each lane its own value.
    WaveRun& set_v(unsigned r, std::uint32_t value);
    WaveRun& set_v(unsigned r, std::span<const std::uint32_t> lanes);
    /// A 64-bit value in registers r and r + 1.
    WaveRun& set_v64(unsigned r, std::uint64_t value);
    WaveRun& set_s(unsigned r, std::uint32_t value);
    WaveRun& set_s64(unsigned r, std::uint64_t value);
    WaveRun& set_vcc(std::uint32_t value);
    WaveRun& set_exec(std::uint32_t mask);
    WaveRun& set_scc(bool value);
    /// Rounding in bits 0..3, denormals of 32 bits in 4..5 and of 16 and 64 bits in 6..7. Unless set, denormals are kept.
    WaveRun& set_mode(std::uint32_t bits);

    /// Makes bits of a register undefined again, in every lane.
    WaveRun& undefine_v(unsigned r, std::uint32_t bits = ~0u);
    /// LDS of the work-group, all of it undefined.
    WaveRun& set_lds(std::uint32_t bytes);
    /// Private memory of each lane.
    WaveRun& set_scratch(std::uint32_t bytes);
    /// The global memory that the wave sees; keeps the map alive.
    WaveRun& set_memory(std::shared_ptr<const hipemu::MemoryMap> memory);

    /// Runs before the eyes of a watch that makes these checks. Without it, only the rules of undefined bits are checked.
    WaveRun& watched(const hipemu::Strictness& strict = {});

    /// Runs to the end or to the first finding.
    WaveRun& go();

    std::uint32_t v(unsigned r, int lane = 0) const { return wave_->v[r][lane]; }
    std::uint64_t v64(unsigned r, int lane = 0) const;
    std::uint32_t s(unsigned r) const { return wave_->s[r]; }
    std::uint64_t s64(unsigned r) const;
    std::uint32_t vcc() const { return wave_->s[hipemu::kVccLo]; }
    std::uint32_t exec() const { return wave_->s[hipemu::kExecLo]; }
    bool scc() const { return wave_->scc; }

    /// The undefined bits of a register after the run.
    std::uint32_t undefined_v(unsigned r, int lane = 0) const;
    std::uint32_t undefined_s(unsigned r) const;

    /// The finding that stopped the wave, if one did.
    const hipemu::Fault* fault() const { return wave_->fault.get(); }

    hipemu::Wave& wave() { return *wave_; }
    hipemu::Workgroup& group() { return group_; }
    const hipemu::Program& program() const { return *program_; }

private:
    std::shared_ptr<hipemu::Program> program_;
    std::shared_ptr<const hipemu::MemoryMap> memory_;
    hipemu::Workgroup group_;
    std::optional<hipemu::Strictness> watched_;
    hipemu::Wave* wave_ = nullptr;  // owned by group_
};

/// The lane builds that this processor can run.
std::vector<hipemu::LaneBuild> runnable_builds();

inline std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace emulator_test
