// The parts of the vector ALU's operation table, one per source file.
#pragma once

#include <span>

#include "emulator/exec/valu_undefined.hpp"
#include "emulator/isa/inst.hpp"

namespace hipemu::HIPEMU_LANES {

std::span<const OpInfo> all_ops();  // of the parts below

std::span<const OpInfo> int_ops();
std::span<const OpInfo> int16_ops();
std::span<const OpInfo> int64_ops();
std::span<const OpInfo> f32_ops();
std::span<const OpInfo> f16_ops();
std::span<const OpInfo> f64_ops();
std::span<const OpInfo> packed_ops();
std::span<const OpInfo> convert_ops();
std::span<const OpInfo> compare_ops();
std::span<const OpInfo> dot_ops();
std::span<const OpInfo> transcendental_ops();
std::span<const OpInfo> dual_ops();
std::span<const OpInfo> matrix_ops();
std::span<const OpInfo> exchange_ops();

}  // namespace hipemu::HIPEMU_LANES
