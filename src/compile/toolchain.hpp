// Which compiler makes the code: the identity of every library that takes part, and one fingerprint of it.
//
// Only the worker knows what it loads. What it said is kept in a small file of the cache directory with size and
// modification time of each library, so that a warm process compares those and starts no worker.
#pragma once

#include <string>

#include "base/hash.hpp"
#include "base/worker_channel.hpp"
#include "compile/worker_pool.hpp"

namespace flashwave {

struct Toolchain {
    WorkerIdentity identity;
    Digest fingerprint;       ///< Of the libraries' build-ids, the compiler's name, and all kernel sources of this flashwave.
    bool remembered = false;  ///< Taken from the file; no worker was asked.
};

/// `cache_directory` empty: nothing is remembered. A file that is missing, damaged or outdated is replaced.
Result<Toolchain> identify_toolchain(WorkerPool& pool, const std::string& cache_directory, Deadline deadline = kNoDeadline);

/// Pure: the fingerprint of an identity with a given set of kernel sources.
Digest toolchain_fingerprint(const WorkerIdentity& identity, const Digest& kernel_sources);

}  // namespace flashwave
