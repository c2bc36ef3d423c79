// naive.hip, the reference on the device: few shapes, for it has one path, but every head_dim.
#include <doctest/doctest.h>

#include "kernels/kernel_runner.hpp"

using namespace flashwave;
using namespace flashwave::testing;

TEST_CASE("naive.hip gives the right answer for any placement and mask") {
    std::vector<KernelCase> tests;
    for (const DType dtype : {DType::f16, DType::bf16})
        for (const int head_dim : {64, 128})
            for (const MaskKind mask : {MaskKind::none, MaskKind::bottom_right, MaskKind::top_left}) {
                const KernelCase base{.dtype = dtype, .head_dim = head_dim, .mask = mask, .geometry = "naive"};
                KernelCase one = base, ragged = base, longer = base, odd = base, empty = base, unseen = base,
                           huge = base;
                one.seq_q = one.seq_k = 1;
                ragged.batch = 2, ragged.heads_q = 6, ragged.heads_kv = 2, ragged.seq_q = 5, ragged.seq_k = 7;
                ragged.placement = Placement::padded;
                longer.seq_q = 3, longer.seq_k = 131, longer.inputs = Inputs::dominant;
                odd.batch = 2, odd.heads_q = 2, odd.seq_q = 9, odd.seq_k = 4, odd.placement = Placement::odd,
                odd.lse = false;
                empty.seq_q = 2, empty.seq_k = 0;
                unseen.seq_q = 4, unseen.seq_k = 70, unseen.inputs = Inputs::unseen;
                huge.seq_q = 5, huge.seq_k = 66, huge.inputs = Inputs::huge;
                for (const KernelCase& test : {one, ragged, longer, odd, empty, unseen, huge})
                    if (test.inputs != Inputs::unseen || mask == MaskKind::top_left) tests.push_back(test);
            }
    check_cases(tests);
}
