// What a broken worker does, for tests of those who talk to it. Reached only with --test-requests.
#pragma once

#include "base/worker_protocol.hpp"

namespace flashwave {

/// "crash", "abort", "exit", "hang", "litter" (leaves a file in TMPDIR, then hangs), "garbage", "half": does so and does not return;
/// "sleep N", "echo ...", "twice TEXT": answers. Anything else: an empty answer, which means that it is not one of these.
Fields misbehave(const Fields& request, int channel);

}  // namespace flashwave
