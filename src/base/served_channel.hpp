// The other end of a child's socket: what a program that flashwave starts does with its stdin and stdout. Used by flashwave-worker and
// flashwave-tuner, once each, before anything else.
#pragma once

#include <functional>

namespace flashwave {

/// Takes the socket away from stdin and stdout, so that nothing a library prints ends up between two frames, and returns it. Ends the
/// process where that fails.
int take_channel();

/// Ends the process the moment its parent is gone, also in the middle of work that nobody waits for any more; `last`, in a thread of its
/// own, is what the parent would have cleared away.
void end_with_parent(int channel, std::function<void()> last = {});

}  // namespace flashwave
