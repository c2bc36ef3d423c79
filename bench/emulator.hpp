// Parts of bench_emulator. Each prints its own lines; one thread.
#pragma once

namespace bench {

/// Hand-written loops of one kind of instruction each, on one wave, through the decoder: nanoseconds an instruction.
int run_loops();

/// The forward attention kernel through HIP calls on libhipemu, with HIPEMU_THREADS host threads: wave instructions and WMMAs a second.
int run_forward();

}  // namespace bench
