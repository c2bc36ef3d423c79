// Capture of streams into graphs; the rules are in capture.hpp.
#include "emulator/hip/work.hpp"

using namespace hipemu;

namespace {

struct CaptureInfo {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    unsigned long long id = 0;
    hipGraph_t graph = nullptr;
    const hipGraphNode_t* dependencies = nullptr;
    std::size_t dependency_count = 0;
};

/// Asking is allowed at all times, but for the legacy stream while a stream that it would wait for is capturing.
hipError_t ask(const Device& device, const Stream& stream, CaptureInfo& info) {
    if (stream.is_default)
        for (const auto& other : device.queue.streams())
            if (other->blocking() && other->capture)
                return refuse(hipErrorStreamCaptureImplicit, "a blocking stream is capturing, for which the legacy default stream would wait");
    if (!stream.capture) return hipSuccess;
    info = {.status = stream.capture->invalidated ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive,
            .id = stream.capture->id,
            .graph = reinterpret_cast<hipGraph_t>(stream.capture->graph.get()),
            .dependencies = reinterpret_cast<const hipGraphNode_t*>(stream.capture_tail.data()),
            .dependency_count = stream.capture_tail.size()};
    return hipSuccess;
}

}  // namespace

HIPEMU_EXPORT hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode mode) {
    return stream_entry(handle, [&](Machine& machine, Device&, Stream& stream) {
        if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed) return hipErrorInvalidValue;
        return verdict(machine.captures.begin(stream, mode));
    });
}

HIPEMU_EXPORT hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t* graph) {
    return stream_entry(handle, [&](Machine& machine, Device&, Stream& stream) {
        if (!graph) return hipErrorInvalidValue;
        *graph = nullptr;
        std::unique_ptr<Graph> captured;
        if (const hipError_t error = verdict(machine.captures.end(stream, captured))) return error;
        *graph = reinterpret_cast<hipGraph_t>(captured.get());
        machine.graphs[*graph] = std::move(captured);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus* status) {
    return stream_entry(handle, [&](Machine&, Device& device, Stream& stream) {
        if (!status) return hipErrorInvalidValue;
        CaptureInfo info;
        if (const hipError_t error = ask(device, stream, info)) return error;
        *status = info.status;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamGetCaptureInfo(hipStream_t handle, hipStreamCaptureStatus* status, unsigned long long* id) {
    return stream_entry(handle, [&](Machine&, Device& device, Stream& stream) {
        if (!status) return hipErrorInvalidValue;
        CaptureInfo info;
        if (const hipError_t error = ask(device, stream, info)) return error;
        *status = info.status;
        if (id) *id = info.id;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamGetCaptureInfo_v2(hipStream_t handle, hipStreamCaptureStatus* status, unsigned long long* id,
                                                    hipGraph_t* graph, const hipGraphNode_t** dependencies, std::size_t* dependency_count) {
    return stream_entry(handle, [&](Machine&, Device& device, Stream& stream) {
        if (!status) return hipErrorInvalidValue;
        CaptureInfo info;
        if (const hipError_t error = ask(device, stream, info)) return error;
        *status = info.status;
        if (id) *id = info.id;
        if (graph) *graph = info.graph;
        if (dependencies) *dependencies = info.dependencies;
        if (dependency_count) *dependency_count = info.dependency_count;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t* dependencies, std::size_t count, unsigned flags) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if ((count != 0 && !dependencies) || (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies)) return hipErrorInvalidValue;
        if (const hipError_t error = verdict(machine.captures.check_use(stream, device.queue.streams()))) return error;
        return verdict(machine.captures.set_dependencies(stream, {dependencies, count}, flags == hipStreamSetCaptureDependencies));
    });
}

HIPEMU_EXPORT hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
    return entry([&](Machine&) {
        if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed) return hipErrorInvalidValue;
        std::swap(*mode, this_thread().capture_mode);
        return hipSuccess;
    });
}
