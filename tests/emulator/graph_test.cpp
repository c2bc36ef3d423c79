// Graphs made by hand: nodes, edges, replays, and what can be changed afterwards.
#include "emulator/graph_program.hpp"

#include <algorithm>

namespace {

using namespace hip_test;

const std::string& code() {
    static const std::string text = compile(R"(
        extern "C" __global__ void scale(int* data, int factor) { data[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }
        extern "C" __global__ void shift(int* data, int distance) { data[blockIdx.x * blockDim.x + threadIdx.x] += distance; })");
    return text;
}

}  // namespace

TEST_CASE("a graph of every kind of node runs in the order of its edges") {
    const Module module(code());
    const Array<int> data(32), copy(std::vector<int>(32, 0));
    hipGraph_t graph = nullptr;
    HIP_OK(hipGraphCreate(&graph, 0));
    hipGraphNode_t fill = nullptr, scale = nullptr, shift = nullptr, store = nullptr, count = nullptr, start = nullptr;
    // Added back to front, so that the edges decide.
    HIP_OK(hipGraphAddMemcpyNode1D(&store, graph, nullptr, 0, copy.get(), data.get(), 128, hipMemcpyDeviceToDevice));
    {
        const KernelNode shift_by(module.kernel("shift"), data.get(), 1);
        HIP_OK(hipGraphAddKernelNode(&shift, graph, nullptr, 0, &shift_by.parameters));
        const KernelNode scale_by(module.kernel("scale"), data.get(), 10);
        HIP_OK(hipGraphAddKernelNode(&scale, graph, nullptr, 0, &scale_by.parameters));
    }
    const hipMemsetParams seven{.dst = data.get(), .elementSize = 4, .height = 1, .pitch = 0, .value = 7, .width = 32};
    HIP_OK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &seven));
    HIP_OK(hipGraphAddEmptyNode(&start, graph, nullptr, 0));
    int calls = 0;
    const hipHostNodeParams counting{.fn = [](void* user) { ++*static_cast<int*>(user); }, .userData = &calls};
    HIP_OK(hipGraphAddHostNode(&count, graph, &store, 1, &counting));
    const hipGraphNode_t from[] = {start, fill, scale, shift}, to[] = {fill, scale, shift, store};
    HIP_OK(hipGraphAddDependencies(graph, from, to, 4));
    HIP_FAILS(hipGraphAddDependencies(graph, from, to, 1), hipErrorInvalidValue);

    std::size_t nodes = 0, roots = 4, edges = 0;
    HIP_OK(hipGraphGetNodes(graph, nullptr, &nodes));
    CHECK_EQ(nodes, 6);
    hipGraphNode_t root[4] = {};
    HIP_OK(hipGraphGetRootNodes(graph, root, &roots));
    CHECK_EQ(roots, 1);
    CHECK(root[0] == start);
    HIP_OK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
    CHECK_EQ(edges, 5);
    hipGraphNodeType type{};
    for (const auto& [node, expected] : {std::pair{fill, hipGraphNodeTypeMemset}, {scale, hipGraphNodeTypeKernel}, {store, hipGraphNodeTypeMemcpy},
                                         {count, hipGraphNodeTypeHost}, {start, hipGraphNodeTypeEmpty}}) {
        HIP_OK(hipGraphNodeGetType(node, &type));
        CHECK_EQ(type, expected);
    }
    hipGraphNode_t before = nullptr;
    std::size_t one = 1;
    HIP_OK(hipGraphNodeGetDependencies(count, &before, &one));
    CHECK(before == store);

    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_OK(hipGraphDestroy(graph));  // the executable one is a copy
    HIP_FAILS(hipGraphGetNodes(graph, nullptr, &nodes), hipErrorInvalidValue);
    for (int i = 0; i < 3; ++i) HIP_OK(hipGraphLaunch(exec, nullptr));
    HIP_OK(hipStreamSynchronize(nullptr));
    CHECK_EQ(copy.read(), std::vector<int>(32, 71));
    CHECK_EQ(calls, 3);
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_FAILS(hipGraphLaunch(exec, nullptr), hipErrorInvalidValue);
}

TEST_CASE("what is queued of a graph is done though the graph is destroyed") {
    const Array<int> data(std::vector<int>(32, 0));
    hipGraph_t graph = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphCreate(&graph, 0));
    const hipMemsetParams nine{.dst = data.get(), .elementSize = 4, .height = 1, .pitch = 0, .value = 9, .width = 32};
    HIP_OK(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &nine));
    HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_OK(hipGraphLaunch(exec, nullptr));
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_OK(hipGraphDestroy(graph));
    CHECK_EQ(data.read(), std::vector<int>(32, 9));
}

TEST_CASE("arguments of a kernel node are set anew in the executable graph, and by an update from another graph") {
    const Module module(code());
    const Array<int> data(std::vector<int>(32, 1)), other(std::vector<int>(32, 1));
    hipGraph_t graph = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphCreate(&graph, 0));
    const KernelNode first(module.kernel("shift"), data.get(), 1);
    HIP_OK(hipGraphAddKernelNode(&node, graph, nullptr, 0, &first.parameters));
    HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_OK(hipGraphLaunch(exec, nullptr));
    const KernelNode second(module.kernel("shift"), other.get(), 5);
    HIP_OK(hipGraphExecKernelNodeSetParams(exec, node, &second.parameters));
    HIP_OK(hipGraphLaunch(exec, nullptr));
    HIP_OK(hipDeviceSynchronize());
    CHECK_EQ(data.read()[0], 2);
    CHECK_EQ(other.read()[0], 6);
    // The graph itself is as it was.
    hipGraphExec_t again = nullptr;
    HIP_OK(hipGraphInstantiate(&again, graph, nullptr, nullptr, 0));
    HIP_OK(hipGraphLaunch(again, nullptr));
    CHECK_EQ(data.read()[0], 3);

    const KernelNode third(module.kernel("scale"), other.get(), 100);
    HIP_OK(hipGraphKernelNodeSetParams(node, &third.parameters));
    hipGraphExecUpdateResult result{};
    hipGraphNode_t where = nullptr;
    HIP_OK(hipGraphExecUpdate(exec, graph, &where, &result));
    CHECK_EQ(result, hipGraphExecUpdateSuccess);
    HIP_OK(hipGraphLaunch(exec, nullptr));
    CHECK_EQ(other.read()[0], 600);

    hipGraphNode_t more = nullptr;
    HIP_OK(hipGraphAddEmptyNode(&more, graph, &node, 1));
    HIP_FAILS(hipGraphExecUpdate(exec, graph, &where, &result), hipErrorGraphExecUpdateFailure);
    CHECK_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    hipGraph_t different = nullptr;
    HIP_OK(hipGraphCreate(&different, 0));
    HIP_OK(hipGraphAddEmptyNode(&more, different, nullptr, 0));
    HIP_FAILS(hipGraphExecUpdate(exec, different, &where, &result), hipErrorGraphExecUpdateFailure);
    CHECK_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
    CHECK(where == more);
    for (const hipGraphExec_t one : {exec, again}) HIP_OK(hipGraphExecDestroy(one));
    for (const hipGraph_t one : {graph, different}) HIP_OK(hipGraphDestroy(one));
}

TEST_CASE("a clone is a graph of its own") {
    const Array<int> data(std::vector<int>(4, 0));
    hipGraph_t graph = nullptr, clone = nullptr;
    hipGraphNode_t node = nullptr, more = nullptr;
    HIP_OK(hipGraphCreate(&graph, 0));
    const hipMemsetParams one{.dst = data.get(), .elementSize = 1, .height = 1, .pitch = 0, .value = 1, .width = 16};
    HIP_OK(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &one));
    HIP_OK(hipGraphClone(&clone, graph));
    HIP_OK(hipGraphAddEmptyNode(&more, clone, nullptr, 0));
    HIP_FAILS(hipGraphAddEmptyNode(&more, clone, &node, 1), hipErrorInvalidValue);  // a node of the other
    std::size_t count = 0;
    HIP_OK(hipGraphGetNodes(graph, nullptr, &count));
    CHECK_EQ(count, 1);
    HIP_OK(hipGraphDestroy(graph));
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphInstantiate(&exec, clone, nullptr, nullptr, 0));
    HIP_OK(hipGraphLaunch(exec, nullptr));
    CHECK_EQ(data.read()[0], 0x01010101);
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_OK(hipGraphDestroy(clone));
}

TEST_CASE("graphs that cannot be run are refused") {
    hipGraph_t graph = nullptr;
    hipGraphNode_t first = nullptr, second = nullptr, bad = nullptr;
    hipGraphExec_t exec = nullptr;
    const Array<int> data(4);
    HIP_FAILS(hipGraphCreate(&graph, 1), hipErrorInvalidValue);
    HIP_OK(hipGraphCreate(&graph, 0));
    HIP_OK(hipGraphAddEmptyNode(&first, graph, nullptr, 0));
    HIP_OK(hipGraphAddEmptyNode(&second, graph, &first, 1));
    const hipGraphNode_t twice[] = {first, first};
    HIP_FAILS(hipGraphAddEmptyNode(&bad, graph, twice, 2), hipErrorInvalidValue);
    const hipMemsetParams odd{.dst = data.get(), .elementSize = 3, .height = 1, .pitch = 0, .value = 1, .width = 1};
    HIP_FAILS(hipGraphAddMemsetNode(&bad, graph, nullptr, 0, &odd), hipErrorInvalidValue);
    HIP_FAILS(hipGraphAddMemcpyNode1D(&bad, graph, nullptr, 0, data.get(), data.get(), 17, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
    HIP_OK(hipGraphAddDependencies(graph, &second, &first, 1));
    HIP_FAILS(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
    CHECK(explanation().find("cycle") != std::string::npos);
    HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("a graph whose module is gone fails when it is launched") {
    const Array<int> data(std::vector<int>(32, 1));
    hipGraph_t graph = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraphExec_t exec = nullptr;
    HIP_OK(hipGraphCreate(&graph, 0));
    {
        const Module module(code());
        const KernelNode shift(module.kernel("shift"), data.get(), 1);
        HIP_OK(hipGraphAddKernelNode(&node, graph, nullptr, 0, &shift.parameters));
        HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    }
    HIP_OK(hipGraphLaunch(exec, nullptr));
    HIP_FAILS(hipStreamSynchronize(nullptr), hipErrorInvalidDeviceFunction);
    HIP_OK(hipGraphExecDestroy(exec));
    HIP_OK(hipGraphDestroy(graph));
}
