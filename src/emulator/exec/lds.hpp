// The parts of the LDS operation table.
#pragma once

#include <span>

#include "emulator/isa/inst.hpp"

namespace hipemu {

std::span<const OpInfo> lds_atomic_ops();    // ds_add_u32 .. ds_cmpstore_rtn_b64
std::span<const OpInfo> lds_exchange_ops();  // ds_swizzle, ds_bpermute, ds_permute: the LDS crossbar without its memory

}  // namespace hipemu
