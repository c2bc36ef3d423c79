// How vector instructions treat EXEC, halves, modifiers, DPP and VOPD, apart from what each computes.
#include <doctest/doctest.h>

#include "emulator/instruction_harness.hpp"

using emulator_test::bits_of;
using emulator_test::WaveRun;

TEST_CASE("lanes that EXEC turns off keep their value") {
    WaveRun run("v_add_nc_u32 v0, v1, v2");
    run.set_v(0, 7).set_v(1, 40).set_v(2, 2).set_exec(0x0000ffff).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.v(0, 0) == 42);
    CHECK(run.v(0, 15) == 42);
    CHECK(run.v(0, 16) == 7);
}
