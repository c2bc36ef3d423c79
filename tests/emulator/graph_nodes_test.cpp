// Kinds of graph nodes beyond kernels, plain copies and fills, what can be asked of nodes and changed, and what is refused.
#include "emulator/graph_program.hpp"

#include <fstream>
#include <iterator>

#include "temporary_directory.hpp"

namespace {

using namespace hip_test;

const std::string& code() {
    static const std::string text = compile(R"(
        extern "C" __global__ void scale(int* data, int factor) { data[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }
        extern "C" __global__ void shift(int* data, int distance) { data[blockIdx.x * blockDim.x + threadIdx.x] += distance; }
        extern "C" __global__ void store(int* p, int at) { p[at] = 1; })");
    return text;
}

struct Graph {
    hipGraph_t get = nullptr;
    Graph() { HIP_OK(hipGraphCreate(&get, 0)); }
    ~Graph() { (void)hipGraphDestroy(get); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    hipGraphNode_t fill(int* to, unsigned value, std::size_t count, std::vector<hipGraphNode_t> after = {}) const {
        const hipMemsetParams parameters{.dst = to, .elementSize = 4, .height = 1, .pitch = 0, .value = value, .width = count};
        hipGraphNode_t node = nullptr;
        HIP_OK(hipGraphAddMemsetNode(&node, get, after.data(), after.size(), &parameters));
        return node;
    }
    hipGraphNode_t kernel(hipFunction_t function, int* data, int value, std::vector<hipGraphNode_t> after = {}, unsigned threads = 32) const {
        const KernelNode parameters(function, data, value, threads);
        hipGraphNode_t node = nullptr;
        HIP_OK(hipGraphAddKernelNode(&node, get, after.data(), after.size(), &parameters.parameters));
        return node;
    }
    hipGraphNode_t copy(void* to, const void* from, std::size_t bytes, std::vector<hipGraphNode_t> after = {}) const {
        hipGraphNode_t node = nullptr;
        HIP_OK(hipGraphAddMemcpyNode1D(&node, get, after.data(), after.size(), to, from, bytes, hipMemcpyDefault));
        return node;
    }
};

struct Exec {
    hipGraphExec_t get = nullptr;
    explicit Exec(const Graph& graph, unsigned long long flags = 0) { HIP_OK(hipGraphInstantiateWithFlags(&get, graph.get, flags)); }
    ~Exec() { (void)hipGraphExecDestroy(get); }
    Exec(const Exec&) = delete;
    Exec& operator=(const Exec&) = delete;

    void run(hipStream_t stream) const {
        HIP_OK(hipGraphLaunch(get, stream));
        HIP_OK(hipStreamSynchronize(stream));
    }
};

float milliseconds_between(const Event& first, const Event& last) {
    float milliseconds = -1;
    HIP_OK(hipEventElapsedTime(&milliseconds, first.get, last.get));
    return milliseconds;
}

}  // namespace

TEST_CASE("a child graph runs between what its node comes after and what comes after it") {
    const Module module(code());
    const Array<int> data(std::vector<int>(32, 0)), copy(std::vector<int>(32, 0));
    const Stream stream;
    const Graph child, parent;
    const hipGraphNode_t shifted = child.kernel(module.kernel("shift"), data.get(), 1);
    child.kernel(module.kernel("scale"), data.get(), 10, {shifted});
    const hipGraphNode_t first = parent.fill(data.get(), 4, 32);
    hipGraphNode_t nested = nullptr, empty = nullptr;
    HIP_OK(hipGraphAddChildGraphNode(&nested, parent.get, &first, 1, child.get));
    HIP_OK(hipGraphAddChildGraphNode(&empty, parent.get, &nested, 1, Graph().get));
    parent.copy(copy.get(), data.get(), 128, {empty});
    hipGraphNodeType type{};
    HIP_OK(hipGraphNodeGetType(nested, &type));
    CHECK_EQ(type, hipGraphNodeTypeGraph);
    const Exec exec(parent);
    exec.run(stream.get);
    CHECK_EQ(copy.read(), std::vector<int>(32, 50));

    // It is a copy: what becomes of the graph that it was made from is of no concern; it can be reached by its node.
    hipGraph_t inner = nullptr;
    HIP_OK(hipGraphChildGraphNodeGetGraph(nested, &inner));
    CHECK(inner != child.get);
    hipGraphNode_t nodes[2] = {};
    std::size_t count = 2;
    HIP_OK(hipGraphGetNodes(inner, nodes, &count));
    CHECK_EQ(count, 2);
    HIP_FAILS(hipGraphDestroy(inner), hipErrorInvalidValue);
    const KernelNode three(module.kernel("shift"), data.get(), 3);
    HIP_OK(hipGraphExecKernelNodeSetParams(exec.get, nodes[0], &three.parameters));
    exec.run(stream.get);
    CHECK_EQ(copy.read(), std::vector<int>(32, 70));
    HIP_OK(hipGraphExecChildGraphNodeSetParams(exec.get, nested, child.get));
    exec.run(stream.get);
    CHECK_EQ(copy.read(), std::vector<int>(32, 50));
    HIP_FAILS(hipGraphExecChildGraphNodeSetParams(exec.get, nested, parent.get), hipErrorInvalidValue);
    HIP_FAILS(hipGraphExecChildGraphNodeSetParams(exec.get, first, child.get), hipErrorInvalidValue);
    HIP_FAILS(hipGraphAddEmptyNode(&empty, parent.get, nodes, 1), hipErrorInvalidValue);  // a node of the child is none of the parent
}

TEST_CASE("event nodes record and wait at each replay") {
    const Module module(code());
    const Array<int> data(std::vector<int>(32, 0)), copy(std::vector<int>(32, 0));
    const Stream stream, other;
    const Event first, second, later;
    const Graph recording, waiting;
    hipGraphNode_t begin = nullptr, end = nullptr, wait = nullptr;
    HIP_OK(hipGraphAddEventRecordNode(&begin, recording.get, nullptr, 0, first.get));
    const hipGraphNode_t shifted = recording.kernel(module.kernel("shift"), data.get(), 5, {begin});
    HIP_OK(hipGraphAddEventRecordNode(&end, recording.get, &shifted, 1, second.get));
    HIP_OK(hipGraphAddEventWaitNode(&wait, waiting.get, nullptr, 0, second.get));
    waiting.copy(copy.get(), data.get(), 128, {wait});
    const Exec records(recording), waits(waiting);
    for (int round = 1; round <= 4; ++round) {
        HIP_OK(hipGraphLaunch(records.get, stream.get));
        waits.run(other.get);
        CHECK_EQ(copy.read(), std::vector<int>(32, 5 * round));
        HIP_OK(hipEventSynchronize(second.get));
        CHECK_GT(milliseconds_between(first, second), 0.0f);
    }
    hipEvent_t event = nullptr;
    HIP_OK(hipGraphEventRecordNodeGetEvent(end, &event));
    CHECK(event == second.get);
    HIP_OK(hipGraphEventWaitNodeGetEvent(wait, &event));
    CHECK(event == second.get);
    HIP_FAILS(hipGraphEventWaitNodeGetEvent(end, &event), hipErrorInvalidValue);
    HIP_FAILS(hipGraphEventRecordNodeSetEvent(wait, later.get), hipErrorInvalidValue);
    HIP_OK(hipGraphEventRecordNodeSetEvent(end, later.get));  // of the graph, not of what was instantiated
    records.run(stream.get);
    float milliseconds = 0;
    HIP_FAILS(hipEventElapsedTime(&milliseconds, first.get, later.get), hipErrorInvalidHandle);
    HIP_OK(hipGraphExecEventRecordNodeSetEvent(records.get, end, later.get));
    HIP_OK(hipGraphExecEventWaitNodeSetEvent(waits.get, wait, later.get));
    records.run(stream.get);
    CHECK_GT(milliseconds_between(first, later), 0.0f);
    hipEvent_t gone = nullptr;
    HIP_OK(hipEventCreate(&gone));
    HIP_OK(hipGraphExecEventRecordNodeSetEvent(records.get, end, gone));
    HIP_OK(hipEventDestroy(gone));
    HIP_OK(hipGraphLaunch(records.get, stream.get));
    HIP_FAILS(hipStreamSynchronize(stream.get), hipErrorInvalidHandle);
    HIP_FAILS(hipGraphAddEventWaitNode(&wait, waiting.get, nullptr, 0, gone), hipErrorInvalidValue);
}

TEST_CASE("copy nodes move rows and slices") {
    constexpr std::size_t kRow = 4, kRows = 3, kSlices = 2;  // ints
    std::vector<int> values(8 * 5 * 3);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
    const Array<int> from(values), to(std::vector<int>(values.size(), -1));
    hipMemcpy3DParms parameters{};
    parameters.srcPtr = {.ptr = from.get(), .pitch = 8 * sizeof(int), .xsize = 8 * sizeof(int), .ysize = 5};
    parameters.srcPos = {.x = 2 * sizeof(int), .y = 1, .z = 1};
    parameters.dstPtr = {.ptr = to.get(), .pitch = 6 * sizeof(int), .xsize = 6 * sizeof(int), .ysize = 4};
    parameters.dstPos = {.x = 1 * sizeof(int), .y = 1, .z = 0};
    parameters.extent = {.width = kRow * sizeof(int), .height = kRows, .depth = kSlices};
    parameters.kind = hipMemcpyDeviceToDevice;
    std::vector<int> expected(values.size(), -1);
    for (std::size_t z = 0; z < kSlices; ++z)
        for (std::size_t y = 0; y < kRows; ++y)
            for (std::size_t x = 0; x < kRow; ++x) expected[(z * 4 + y + 1) * 6 + x + 1] = values[((z + 1) * 5 + y + 1) * 8 + x + 2];
    const Graph graph;
    hipGraphNode_t node = nullptr;
    HIP_OK(hipGraphAddMemcpyNode(&node, graph.get, nullptr, 0, &parameters));
    hipMemcpy3DParms told{};
    HIP_OK(hipGraphMemcpyNodeGetParams(node, &told));
    CHECK_EQ(told.extent.width, kRow * sizeof(int));
    CHECK_EQ(told.extent.depth, kSlices);
    CHECK_EQ(told.srcPtr.pitch, 8 * sizeof(int));
    HIP_OK(hipGraphMemcpyNodeSetParams(node, &told));  // says the same
    const Exec exec(graph);
    exec.run(nullptr);
    CHECK_EQ(to.read(), expected);

    HIP_OK(hipMemset(to.get(), 0xff, values.size() * sizeof(int)));
    HIP_OK(hipMemcpy3D(&parameters));
    CHECK_EQ(to.read(), expected);
    const Stream stream;
    HIP_OK(hipMemset(to.get(), 0xff, values.size() * sizeof(int)));
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(hipMemcpy3DAsync(&parameters, stream.get));
    HIP_OK(hipStreamSynchronize(stream.get));
    CHECK_EQ(to.read(), expected);

    HIP_OK(hipMemset(to.get(), 0xff, values.size() * sizeof(int)));
    HIP_OK(hipGraphExecMemcpyNodeSetParams1D(exec.get, node, to.get(), from.get(), 8, hipMemcpyDeviceToDevice));
    exec.run(nullptr);
    CHECK_EQ(to.read()[1], 1);
    CHECK_EQ(to.read()[2], -1);
    HIP_OK(hipGraphExecMemcpyNodeSetParams(exec.get, node, &parameters));
    exec.run(nullptr);
    CHECK_EQ(to.read()[7], expected[7]);

    hipMemcpy3DParms bad = parameters;
    bad.srcArray = reinterpret_cast<hipArray_t>(&bad);
    HIP_FAILS(hipGraphAddMemcpyNode(&node, graph.get, nullptr, 0, &bad), hipErrorNotSupported);
    bad = parameters;
    bad.dstPos.x = 3 * sizeof(int);
    HIP_FAILS(hipMemcpy3D(&bad), hipErrorInvalidPitchValue);
    bad = parameters;
    bad.extent.depth = 3;
    HIP_FAILS(hipMemcpy3D(&bad), hipErrorInvalidValue);  // past the end
    bad = parameters;
    bad.srcPtr.ptr = nullptr;
    HIP_FAILS(hipMemcpy3D(&bad), hipErrorInvalidValue);
    bad = parameters;
    bad.extent = {.width = 4, .height = SIZE_MAX / 2, .depth = 2};
    bad.srcPtr.ysize = bad.dstPtr.ysize = SIZE_MAX;
    HIP_FAILS(hipMemcpy3D(&bad), hipErrorInvalidValue);
}

TEST_CASE("parameters of nodes are told and can be changed") {
    const Module module(code());
    const Array<int> data(std::vector<int>(64, 0));
    const Graph graph;
    const hipGraphNode_t fill = graph.fill(data.get(), 3, 32), kernel = graph.kernel(module.kernel("shift"), data.get(), 7, {fill});
    int calls[2] = {};
    const auto count = [](void* user) { ++*static_cast<int*>(user); };
    const hipHostNodeParams counting{.fn = count, .userData = calls}, counting_on{.fn = count, .userData = calls + 1};
    hipGraphNode_t host = nullptr;
    HIP_OK(hipGraphAddHostNode(&host, graph.get, &kernel, 1, &counting));

    hipKernelNodeParams of_kernel{};
    HIP_OK(hipGraphKernelNodeGetParams(kernel, &of_kernel));
    CHECK(of_kernel.func == module.kernel("shift"));
    CHECK_EQ(of_kernel.blockDim.x, 32);
    CHECK_EQ(*static_cast<int*>(of_kernel.kernelParams[1]), 7);
    CHECK(*static_cast<int**>(of_kernel.kernelParams[0]) == data.get());
    int eight = 8;
    void* arguments[] = {of_kernel.kernelParams[0], &eight};
    hipKernelNodeParams changed = of_kernel;
    changed.kernelParams = arguments;
    HIP_OK(hipGraphKernelNodeSetParams(kernel, &changed));
    hipMemsetParams of_fill{};
    HIP_OK(hipGraphMemsetNodeGetParams(fill, &of_fill));
    CHECK(of_fill.dst == data.get());
    CHECK_EQ(of_fill.value, 3);
    CHECK_EQ(of_fill.width, 32);
    of_fill.value = 5;
    HIP_OK(hipGraphMemsetNodeSetParams(fill, &of_fill));
    hipHostNodeParams of_host{};
    HIP_OK(hipGraphHostNodeGetParams(host, &of_host));
    CHECK(of_host.userData == calls);
    const Exec exec(graph);
    exec.run(nullptr);
    CHECK_EQ(data.read()[0], 13);
    CHECK_EQ(calls[0], 1);
    HIP_OK(hipGraphHostNodeSetParams(host, &counting_on));
    HIP_OK(hipGraphExecHostNodeSetParams(exec.get, host, &counting_on));
    of_fill.value = 100;
    HIP_OK(hipGraphExecMemsetNodeSetParams(exec.get, fill, &of_fill));
    exec.run(nullptr);
    CHECK_EQ(data.read()[0], 108);
    CHECK_EQ(calls[0], 1);
    CHECK_EQ(calls[1], 1);

    HIP_OK(hipGraphNodeSetEnabled(exec.get, kernel, 0));
    unsigned enabled = 1;
    HIP_OK(hipGraphNodeGetEnabled(exec.get, kernel, &enabled));
    CHECK_EQ(enabled, 0);
    exec.run(nullptr);
    CHECK_EQ(data.read()[0], 100);
    HIP_FAILS(hipGraphNodeSetEnabled(exec.get, host, 0), hipErrorInvalidValue);
    HIP_FAILS(hipGraphKernelNodeGetParams(fill, &of_kernel), hipErrorInvalidValue);
    HIP_FAILS(hipGraphMemsetNodeSetParams(kernel, &of_fill), hipErrorInvalidValue);
    HIP_FAILS(hipGraphHostNodeGetParams(host, nullptr), hipErrorInvalidValue);
}

TEST_CASE("nodes and edges are taken out again, found in clones, and drawn") {
    const Array<int> data(std::vector<int>(32, 0));
    const Graph graph;
    const hipGraphNode_t first = graph.fill(data.get(), 1, 32), second = graph.fill(data.get(), 2, 16, {first}), third = graph.fill(data.get(), 3, 8, {second});
    hipGraphNode_t followers[2] = {};
    std::size_t count = 2;
    HIP_OK(hipGraphNodeGetDependentNodes(first, followers, &count));
    CHECK_EQ(count, 1);
    CHECK(followers[0] == second);
    hipGraph_t clone = nullptr;
    hipGraphNode_t twin = nullptr;
    HIP_OK(hipGraphClone(&clone, graph.get));
    HIP_OK(hipGraphNodeFindInClone(&twin, third, clone));
    CHECK(twin != third);
    HIP_OK(hipGraphDestroyNode(twin));
    HIP_FAILS(hipGraphNodeFindInClone(&twin, third, clone), hipErrorInvalidValue);
    HIP_FAILS(hipGraphNodeFindInClone(&twin, third, graph.get), hipErrorInvalidValue);
    replay(clone, nullptr);
    CHECK_EQ(data.read()[0], 2);
    HIP_OK(hipGraphRemoveDependencies(graph.get, &second, &third, 1));
    HIP_FAILS(hipGraphRemoveDependencies(graph.get, &second, &third, 1), hipErrorInvalidValue);
    HIP_OK(hipGraphDestroyNode(second));
    HIP_FAILS(hipGraphDestroyNode(second), hipErrorInvalidValue);
    CHECK_EQ(node_count(graph.get), 2);
    std::size_t edges = 9;
    HIP_OK(hipGraphGetEdges(graph.get, nullptr, nullptr, &edges));
    CHECK_EQ(edges, 0);
    HIP_OK(hipGraphDestroy(clone));

    const flashwave::testing::TemporaryDirectory folder;
    const std::string path = folder / "graph.dot";
    HIP_OK(hipGraphAddDependencies(graph.get, &first, &third, 1));
    HIP_OK(hipGraphDebugDotPrint(graph.get, path.c_str(), 0));
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text.starts_with("digraph"));
    CHECK(text.find(" -> ") != std::string::npos);
    HIP_FAILS(hipGraphDebugDotPrint(graph.get, "/nowhere/at/all", 0), hipErrorOperatingSystem);
}

TEST_CASE("branches of a graph overlap as streams do, and their results are those of the edges") {
    const Module module(code());
    constexpr std::size_t kInts = 1 << 20;
    const Array<int> data(std::vector<int>(32, 0)), big(kInts), other(kInts);
    HIP_OK(hipMemset(big.get(), 0, kInts * sizeof(int)));
    const auto time = [&](bool chained) {
        const Graph graph;
        const Event begin, end;
        const Stream stream;
        const hipGraphNode_t start = graph.fill(data.get(), 1, 32);
        hipGraphNode_t last = start;
        for (int i = 0; i < 20; ++i) last = graph.kernel(module.kernel("shift"), data.get(), i, {last});
        const hipGraphNode_t copied = graph.copy(other.get(), big.get(), kInts * sizeof(int), {chained ? last : start});
        graph.kernel(module.kernel("scale"), data.get(), 2, chained ? std::vector{copied} : std::vector{last, copied});
        const Exec exec(graph);
        HIP_OK(hipEventRecord(begin.get, stream.get));
        HIP_OK(hipGraphLaunch(exec.get, stream.get));
        HIP_OK(hipEventRecord(end.get, stream.get));
        HIP_OK(hipStreamSynchronize(stream.get));
        CHECK_EQ(data.read(), std::vector<int>(32, 2 * (1 + 190)));
        return milliseconds_between(begin, end);
    };
    const float chained = time(true), branched = time(false);
    CHECK_LT(branched, 0.9f * chained);
    CHECK_EQ(time(false), doctest::Approx(branched).epsilon(1e-3));
}

TEST_CASE("a branch that fails leaves out what comes after it, and the stream of the launch tells of it, once") {
    const Module module(code());
    const Array<int> data(std::vector<int>(16, 0)), after(std::vector<int>(16, 0)), beside(std::vector<int>(16, 0));
    const Stream stream;
    const Graph graph;
    const hipGraphNode_t start = graph.fill(data.get(), 0, 16), good = graph.kernel(module.kernel("store"), beside.get(), 3, {start}, 1);
    const hipGraphNode_t bad = graph.kernel(module.kernel("store"), data.get(), 16, {start}, 1);
    graph.kernel(module.kernel("store"), after.get(), 3, {bad, good}, 1);
    const Exec exec(graph);
    for (int round = 0; round < 3; ++round) {
        HIP_OK(hipGraphLaunch(exec.get, stream.get));
        HIP_FAILS(hipStreamSynchronize(stream.get), hipErrorIllegalAddress);
        HIP_OK(hipStreamSynchronize(stream.get));
        HIP_OK(hipDeviceSynchronize());
        CHECK_EQ(after.read()[3], 0);
        CHECK_EQ(beside.read()[3], 1);
    }
}

TEST_CASE("replays in two streams beside each other, and of wide graphs, give what one after another does") {
    const Module module(code());
    constexpr std::size_t kWide = 40;
    const Array<int> first(std::vector<int>(32 * kWide, 1)), second(std::vector<int>(32 * kWide, 1));
    const auto build = [&](const Graph& graph, int* data) {
        std::vector<hipGraphNode_t> ends;
        for (std::size_t i = 0; i < kWide; ++i) {
            const hipGraphNode_t shifted = graph.kernel(module.kernel("shift"), data + 32 * i, static_cast<int>(i));
            ends.push_back(graph.kernel(module.kernel("scale"), data + 32 * i, 2, {shifted}));
        }
        hipGraphNode_t join = nullptr;
        HIP_OK(hipGraphAddEmptyNode(&join, graph.get, ends.data(), ends.size()));
    };
    const Graph graphs[2];
    build(graphs[0], first.get());
    build(graphs[1], second.get());
    const Exec one(graphs[0]), two(graphs[1]);
    const Stream streams[2];
    for (int round = 0; round < 2; ++round) {
        HIP_OK(hipGraphLaunch(one.get, streams[0].get));
        HIP_OK(hipGraphLaunch(two.get, streams[1].get));
    }
    HIP_OK(hipDeviceSynchronize());
    for (const Array<int>* data : {&first, &second}) {
        const std::vector<int> values = data->read();
        for (std::size_t i = 0; i < kWide; ++i) CHECK_EQ(values[32 * i + 31], 4 + 6 * static_cast<int>(i));
    }
}

TEST_CASE("memory of a graph made by hand") {
    const Module module(code());
    const Array<int> result(std::vector<int>(32, 0));
    const Stream stream;
    const Graph graph;
    hipMemAllocNodeParams parameters{};
    parameters.poolProps.allocType = hipMemAllocationTypePinned;
    parameters.poolProps.location = {.type = hipMemLocationTypeDevice, .id = 0};
    parameters.bytesize = 128;
    hipGraphNode_t allocated = nullptr, freed = nullptr;
    HIP_OK(hipGraphAddMemAllocNode(&allocated, graph.get, nullptr, 0, &parameters));
    int* const memory = static_cast<int*>(parameters.dptr);
    REQUIRE(memory != nullptr);
    const hipGraphNode_t filled = graph.fill(memory, 9, 32, {allocated}), copied = graph.copy(result.get(), memory, 128, {filled});
    HIP_OK(hipGraphAddMemFreeNode(&freed, graph.get, &copied, 1, memory));
    HIP_FAILS(hipGraphAddMemFreeNode(&freed, graph.get, &copied, 1, result.get()), hipErrorInvalidValue);
    HIP_FAILS(hipGraphDestroyNode(allocated), hipErrorNotSupported);
    hipGraph_t clone = nullptr;
    HIP_FAILS(hipGraphClone(&clone, graph.get), hipErrorNotSupported);
    const Graph parent;
    hipGraphNode_t child = nullptr;
    HIP_FAILS(hipGraphAddChildGraphNode(&child, parent.get, nullptr, 0, graph.get), hipErrorNotSupported);
    hipMemAllocNodeParams told{};
    HIP_OK(hipGraphMemAllocNodeGetParams(allocated, &told));
    CHECK(told.dptr == memory);
    CHECK_EQ(told.bytesize, 128);
    void* address = nullptr;
    HIP_OK(hipGraphMemFreeNodeGetParams(freed, &address));
    CHECK(address == memory);
    const Exec exec(graph);
    for (int round = 0; round < 3; ++round) exec.run(stream.get);
    CHECK_EQ(result.read(), std::vector<int>(32, 9));
    HIP_FAILS(hipMemcpy(result.get(), memory, 4, hipMemcpyDeviceToDevice), hipErrorInvalidValue);  // it is free
    parameters.bytesize = 0;
    HIP_FAILS(hipGraphAddMemAllocNode(&allocated, graph.get, nullptr, 0, &parameters), hipErrorInvalidValue);
}

TEST_CASE("memory that a graph leaves allocated is the program's to free, also when the graph is gone") {
    const Stream stream;
    const auto capture = [&](int** memory) {
        hipGraph_t graph = nullptr;
        HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
        HIP_OK(hipMallocAsync(reinterpret_cast<void**>(memory), 128, stream.get));
        HIP_OK(hipMemsetD32Async(*memory, 6, 32, stream.get));
        HIP_OK(hipStreamEndCapture(stream.get, &graph));
        return graph;
    };
    int *memory = nullptr, host[32] = {};
    hipGraph_t graph = capture(&memory);
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (const bool asynchronous : {true, false}) {
        HIP_OK(hipGraphLaunch(exec, stream.get));
        HIP_FAILS(hipGraphLaunch(exec, stream.get), hipErrorInvalidValue);  // not freed yet
        HIP_OK(hipMemcpyDtoHAsync(host, memory, sizeof host, stream.get));
        HIP_OK(hipStreamSynchronize(stream.get));
        CHECK_EQ(host[31], 6);
        HIP_OK(asynchronous ? hipFreeAsync(memory, stream.get) : hipFree(memory));
        HIP_FAILS(hipFree(memory), hipErrorInvalidValue);
        HIP_FAILS(hipFreeAsync(memory, stream.get), hipErrorInvalidValue);
    }
    HIP_OK(hipGraphLaunch(exec, stream.get));
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_OK(hipGraphDestroy(graph));
    HIP_OK(hipMemcpyDtoHAsync(host, memory, sizeof host, stream.get));
    HIP_OK(hipStreamSynchronize(stream.get));
    CHECK_EQ(host[31], 6);
    std::size_t before = 0, after = 0;
    HIP_OK(hipMemGetInfo(&before, nullptr));
    HIP_OK(hipFree(memory));
    HIP_OK(hipMemGetInfo(&after, nullptr));
    CHECK_GT(after, before);

    graph = capture(&memory);
    HIP_OK(hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagAutoFreeOnLaunch));
    for (int round = 0; round < 3; ++round) HIP_OK(hipGraphLaunch(exec, stream.get));
    HIP_OK(hipFreeAsync(memory, stream.get));
    HIP_OK(hipStreamSynchronize(stream.get));
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_OK(hipGraphDestroy(graph));
    HIP_FAILS(hipGraphInstantiateWithFlags(&exec, Graph().get, 64), hipErrorInvalidValue);
}

TEST_CASE("hipDeviceReset takes the memory of graphs with it, and graphs may go later") {
    hipGraph_t graph = nullptr;
    int* memory = nullptr;
    {
        const Stream stream;
        HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
        HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&memory), 128, stream.get));
        HIP_OK(hipStreamEndCapture(stream.get, &graph));
    }
    replay(graph, nullptr);
    HIP_OK(hipDeviceReset());
    const Array<int> data(std::vector<int>(32, 4));
    HIP_OK(hipGraphDestroy(graph));
    CHECK_EQ(data.read()[31], 4);
}

TEST_CASE("a kernel node whose module is gone does not run the kernel that was loaded since") {
    const Array<int> data(std::vector<int>(32, 1));
    const Graph graph;
    {
        const Module module(code());
        graph.kernel(module.kernel("shift"), data.get(), 1);
    }
    const Exec exec(graph);
    for (int i = 0; i < 10; ++i) {
        const Module module(code());  // likely where the first one was
        HIP_OK(hipGraphLaunch(exec.get, nullptr));
        HIP_FAILS(hipStreamSynchronize(nullptr), hipErrorInvalidDeviceFunction);
    }
    CHECK_EQ(data.read()[0], 1);
}

TEST_CASE("a captured launch of a graph keeps its edges") {
    const Array<int> data(std::vector<int>(64, 0));
    const Stream stream;
    const Graph graph;
    graph.fill(data.get(), 1, 32);
    graph.fill(data.get() + 32, 2, 32);
    const Exec exec(graph);
    hipGraph_t outer = nullptr;
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipMemsetD32Async(data.get(), 7, 64, stream.get));
    HIP_OK(hipGraphLaunch(exec.get, stream.get));
    HIP_OK(hipMemsetD32Async(data.get() + 31, 8, 2, stream.get));
    HIP_OK(hipStreamEndCapture(stream.get, &outer));
    std::size_t edges = 0;
    HIP_OK(hipGraphGetEdges(outer, nullptr, nullptr, &edges));
    CHECK_EQ(edges, 4);
    replay(outer, stream.get);
    const std::vector<int> values = data.read();
    CHECK_EQ(std::vector<int>{values[0], values[31], values[32], values[63]}, std::vector<int>{1, 8, 8, 2});
    HIP_OK(hipGraphDestroy(outer));
}

TEST_CASE("what the next node of a capture comes after can be set") {
    const Array<int> data(std::vector<int>(16, 0));
    const Stream stream;
    HIP_OK(hipStreamBeginCapture(stream.get, hipStreamCaptureModeGlobal));
    HIP_OK(hipMemsetD32Async(data.get(), 1, 16, stream.get));
    hipStreamCaptureStatus status{};
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamGetCaptureInfo_v2(stream.get, &status, nullptr, &graph, nullptr, nullptr));
    hipGraphNode_t added = nullptr;
    const hipMemsetParams two{.dst = data.get() + 8, .elementSize = 4, .height = 1, .pitch = 0, .value = 2, .width = 4};
    HIP_OK(hipGraphAddMemsetNode(&added, graph, nullptr, 0, &two));  // by hand: nobody has to wait for it
    HIP_OK(hipStreamUpdateCaptureDependencies(stream.get, &added, 1, hipStreamAddCaptureDependencies));
    HIP_OK(hipMemsetD32Async(data.get() + 8, 3, 2, stream.get));
    HIP_OK(hipStreamUpdateCaptureDependencies(stream.get, &added, 1, hipStreamSetCaptureDependencies));
    HIP_FAILS(hipStreamUpdateCaptureDependencies(stream.get, &added, 1, 2), hipErrorInvalidValue);
    HIP_OK(hipStreamEndCapture(stream.get, &graph));
    std::size_t edges = 0;
    HIP_OK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
    CHECK_EQ(edges, 2);
    replay(graph, stream.get);
    CHECK_EQ(data.read()[9], 3);
    HIP_OK(hipGraphDestroy(graph));
    HIP_FAILS(hipStreamUpdateCaptureDependencies(stream.get, nullptr, 0, hipStreamAddCaptureDependencies), hipErrorIllegalState);
}
