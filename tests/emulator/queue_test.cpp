// The queue of a device by itself: what becomes of work that cannot be run.
#include <doctest/doctest.h>

#include <new>

#include "emulator/runtime/queue.hpp"

using namespace hipemu;

TEST_CASE("work that runs out of the host's memory fails its stream and ends all the same") {
    for (const Schedule schedule : {Schedule::eager, Schedule::late, Schedule::seeded}) {
        Config config;
        config.schedule = schedule;
        Queue queue(config);
        const auto stream = queue.create(hipStreamNonBlocking, 0);
        const auto point = queue.add(*stream, {.run = []() -> Outcome { throw std::bad_alloc(); }, .engine = Engine::compute});
        bool ran = false;
        const auto next = queue.add(*stream, {.run = [&] { return ran = true, Outcome{}; }});
        queue.finish_all();
        CHECK(point->done);
        CHECK(next->done);
        CHECK_FALSE(ran);  // behind work that failed
        CHECK_EQ(queue.take_failure(*stream).error, hipErrorOutOfMemory);
        CHECK_EQ(queue.take_failure(*stream).error, hipSuccess);
    }
}
