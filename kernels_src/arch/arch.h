// The matrix arithmetic of the target that is being compiled. Every family offers the same names, so that nothing else asks.
#pragma once

#if defined(__GFX11__)
#include "arch/wmma_gfx11.h"
#else
#error "forward.hip has no matrix arithmetic for this target; naive.hip runs on every target"
#endif
