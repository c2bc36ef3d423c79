// Everything the emulator has in this process: devices, memory, handles. It is made at the first call and never destroyed, for programs
// call HIP from destructors of their own. Its lock is held during every call, but kernels and host functions run without it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/run/launch.hpp"
#include "emulator/runtime/address_space.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/queue.hpp"
#include "hip/hip_abi.hpp"
#include "hip/hipemu_ext.hpp"

namespace hipemu {

struct LoadedModule;
struct LoadedKernel;

struct StreamHandle {
    std::shared_ptr<Stream> stream;
    Device* device = nullptr;
};

/// The kernel that finished last, instruction by instruction.
struct LaunchProfile {
    std::shared_ptr<const Program> program;
    std::vector<std::uint64_t> counts;
    std::vector<InstTime> instructions;
    std::uint32_t timed_groups = 0;
};

struct Machine {
    static Machine& instance();

    std::mutex lock;                      // by HeldLock and Unlocked
    AddressSpace memory;
    std::vector<std::unique_ptr<Device>> devices;
    bool in_use = false;  // device 0 was looked at: it stays what it is

    std::unordered_map<hipStream_t, StreamHandle> streams;
    std::unordered_map<hipEvent_t, std::shared_ptr<Event>> events;
    std::unordered_map<hipModule_t, std::unique_ptr<LoadedModule>> modules;
    std::unordered_map<hipFunction_t, LoadedKernel*> functions;
    std::unordered_map<hipGraph_t, std::unique_ptr<Graph>> graphs;
    std::unordered_map<hipGraphExec_t, std::unique_ptr<GraphExec>> graph_execs;
    std::unordered_map<hipMemPool_t, std::shared_ptr<Pool>> pools;  // those that a program made
    Captures captures;

    std::uint64_t allocation_count = 0;  // for their names
    std::uint64_t module_count = 0, kernel_count = 0;
    std::string last_fault;
    std::string last_warning;
    std::uint64_t warning_count = 0;
    std::set<std::string> warned;        // kernels and places in them: each is warned of once
    HipemuLaunchStats last_launch;
    LaunchProfile last_profile;

    /// The device of that name, made if need be; nullptr if nobody models it.
    Device* open_device(const std::string& name);

    /// The calling thread's device.
    Device& current();
    /// A stream by its handle, the default streams included; stream == nullptr: no such stream.
    StreamHandle find_stream(hipStream_t handle);
    /// What is left in it is done first.
    void destroy_stream(hipStream_t handle);
    Event* find_event(hipEvent_t handle);
    LoadedKernel* find_function(hipFunction_t handle);
    Graph* find_graph(hipGraph_t handle);
    GraphNode* find_node(hipGraphNode_t handle);
    /// Whose node it is; it has to be one of a graph.
    Graph* graph_of(const GraphNode& node);

private:
    std::shared_ptr<Picoseconds> host_time_ = std::make_shared<Picoseconds>(0);  // devices agree on what the host knows
    Machine();
};

/// What a thread keeps of its own.
struct ThreadState {
    int device = 0;
    hipError_t last_error = hipSuccess;
    std::string explanation;             // of the last call that failed
    std::uint64_t sample_groups = 0;
    bool sample_groups_set = false;
    std::optional<Strictness> strict;    // unless set, the environment's
    std::optional<std::uint64_t> instruction_limit;
    bool in_host_function = false;       // HIP calls are not allowed there
    int call_depth = 0;                  // HIP calls that consist of others
    int lock_depth = 0;                  // see HeldLock
    hipStreamCaptureMode capture_mode = hipStreamCaptureModeGlobal;
    std::unordered_map<int, std::weak_ptr<Stream>> own_default_streams;  // hipStreamPerThread, by device
};
ThreadState& this_thread();

/// Holds the machine's lock; once for calls that consist of others.
class HeldLock {
public:
    explicit HeldLock(Machine& machine) : machine_(machine) {
        if (this_thread().lock_depth++ == 0) machine_.lock.lock();
    }
    ~HeldLock() {
        if (--this_thread().lock_depth == 0) machine_.lock.unlock();
    }
    HeldLock(const HeldLock&) = delete;
    HeldLock& operator=(const HeldLock&) = delete;

private:
    Machine& machine_;
};

/// Lets go of the machine's lock, which the calling thread holds, for as long as it lives.
class Unlocked {
public:
    explicit Unlocked(Machine& machine) : machine_(machine), depth_(std::exchange(this_thread().lock_depth, 0)) { machine_.lock.unlock(); }
    ~Unlocked() {
        machine_.lock.lock();
        this_thread().lock_depth = depth_;
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    Machine& machine_;
    int depth_;  // of HeldLock, for what the thread does meanwhile
};

/// Says why the call that is running fails: on stderr (unless HIPEMU_QUIET) and to hipemuExplainLastError. Returns `error`.
hipError_t refuse(hipError_t error, std::string why);
/// Prints a line on stderr unless HIPEMU_QUIET.
void print_message(const std::string& text);

}  // namespace hipemu
