// Which keys a block of query rows looks at, in steps of kBlockN, and which of these steps need no mask. Everything is uniform.
#pragma once

#include "args.h"
#include "device.h"

namespace flashwave::attention {

struct BlockRange {
    int keys;    // keys that some row of the head may see; nothing behind them is read
    int whole;  // every row sees every key of steps [0, whole)
    int end;    // steps [whole, end) need the mask; steps from `end` on see nothing
};

template <bool kCausal, int kBlockN>
FLASHWAVE_DEVICE BlockRange block_range(const kernel::ForwardArgs& args, int first_row, int rows) {
    if (!kCausal) return {args.seq_k, args.seq_k / kBlockN, (args.seq_k + kBlockN - 1) / kBlockN};
    const int last_row = min(first_row + rows, args.seq_q) - 1;
    const int keys = max(min(args.seq_k, args.seq_q + args.causal_shift), 0);
    const int seen_by_first = max(min(first_row + args.causal_shift + 1, keys), 0);
    const int seen_by_last = max(min(last_row + args.causal_shift + 1, keys), 0);
    return {keys, seen_by_first / kBlockN, (seen_by_last + kBlockN - 1) / kBlockN};
}

}  // namespace flashwave::attention
