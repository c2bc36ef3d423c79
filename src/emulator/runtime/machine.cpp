#include "emulator/runtime/machine.hpp"

#include <pthread.h>

#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "emulator/runtime/injector.hpp"
#include "emulator/runtime/loaded_module.hpp"

namespace hipemu {

Machine& Machine::instance() {
    static Machine* const machine = new Machine;
    return *machine;
}

Machine::Machine() {
    if (!Injector::instance().trouble().empty()) return;
    if (!timing_file_status().ok()) {
        fmt::print(stderr, "hipemu: {}; there is no device\n", timing_file_status().message());
        return;
    }
    std::string_view names = config().device;
    for (bool more = true; more;) {
        const std::size_t comma = names.find(',');
        more = comma != std::string_view::npos;
        const std::string name(names.substr(0, comma));
        names.remove_prefix(more ? comma + 1 : names.size());
        const Chip* chip = find_chip(name);
        if (!chip) {
            fmt::print(stderr, "hipemu: HIPEMU_DEVICE={}: {} is no card or target that is modelled; there is no device\n", config().device, name);
            devices.clear();
            return;
        }
        devices.push_back(std::make_unique<Device>(static_cast<int>(devices.size()), *chip, config(), &lock, host_time_));
    }
}

Device* Machine::open_device(const std::string& name) {
    const Chip* chip = Injector::instance().trouble().empty() ? find_chip(name) : nullptr;
    if (!chip) return nullptr;
    for (const auto& device : devices)
        if (device->chip == chip) {
            in_use = true;
            return device.get();
        }
    if (!in_use) devices.clear();
    in_use = true;
    devices.push_back(std::make_unique<Device>(static_cast<int>(devices.size()), *chip, config(), &lock, host_time_));
    return devices.back().get();
}

Device& Machine::current() {
    in_use = true;
    return *devices[static_cast<std::size_t>(this_thread().device)];
}

StreamHandle Machine::find_stream(hipStream_t handle) {
    Device& device = current();
    if (handle == nullptr || handle == hipStreamLegacy) return {device.queue.default_stream(), &device};
    if (handle == hipStreamPerThread) {
        std::weak_ptr<Stream>& own = this_thread().own_default_streams[device.ordinal];
        auto stream = own.lock();  // gone after hipDeviceReset
        if (!stream) {
            stream = device.queue.create(hipStreamDefault, 0);
            own = stream;
            streams[reinterpret_cast<hipStream_t>(stream.get())] = {stream, &device};
        }
        return {std::move(stream), &device};
    }
    const auto found = streams.find(handle);
    return found != streams.end() ? found->second : StreamHandle{};
}

void Machine::destroy_stream(hipStream_t handle) {
    const auto found = streams.find(handle);
    if (found == streams.end()) return;
    const StreamHandle stream = found->second;
    streams.erase(found);
    captures.forget(*stream.stream);
    stream.device->queue.destroy(stream.stream);
}

Event* Machine::find_event(hipEvent_t handle) {
    const auto found = events.find(handle);
    return found != events.end() ? found->second.get() : nullptr;
}

LoadedKernel* Machine::find_function(hipFunction_t handle) {
    const auto found = functions.find(handle);
    return found != functions.end() ? found->second : nullptr;
}

Graph* Machine::find_graph(hipGraph_t handle) {
    if (const auto found = graphs.find(handle); found != graphs.end()) return found->second.get();
    for (const auto& [key, graph] : graphs)
        if (Graph* child = graph->find_child(handle)) return child;
    // One that is being captured has no owner but the capture yet.
    return captures.find_graph(handle);
}

GraphNode* Machine::find_node(hipGraphNode_t handle) {
    for (const auto& [key, graph] : graphs)
        if (GraphNode* node = graph->find(handle)) return node;
    return captures.find_node(handle);
}

Graph* Machine::graph_of(const GraphNode& node) {
    for (const auto& [key, graph] : graphs)
        if (Graph* owner = graph->owner_of(node)) return owner;
    return captures.graph_of(node);
}

namespace {

thread_local ThreadState* state_of_thread = nullptr;

/// A thread that ends does the work that is left in its default streams.
void leave_thread(void* state) {
    Machine& machine = Machine::instance();
    for (const auto& [ordinal, own] : static_cast<ThreadState*>(state)->own_default_streams) {
        const HeldLock held(machine);
        if (const auto stream = own.lock()) machine.destroy_stream(reinterpret_cast<hipStream_t>(stream.get()));
    }
    state_of_thread = nullptr;
    delete static_cast<ThreadState*>(state);
}

}  // namespace

ThreadState& this_thread() {
    // No thread_local object: the main thread's would be gone when destructors of static objects call HIP.
    if (!state_of_thread) {
        static const pthread_key_t key = [] {
            pthread_key_t made{};
            (void)pthread_key_create(&made, leave_thread);
            return made;
        }();
        state_of_thread = new ThreadState;
        (void)pthread_setspecific(key, state_of_thread);
    }
    return *state_of_thread;
}

void print_message(const std::string& text) {
    if (!config().quiet) fmt::print(stderr, "hipemu: {}\n", text);
}

hipError_t refuse(hipError_t error, std::string why) {
    print_message(why);
    this_thread().explanation = std::move(why);
    return error;
}

}  // namespace hipemu
