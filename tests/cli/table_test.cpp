#include "command_line/table.hpp"

#include <doctest/doctest.h>

namespace flashwave::cli {

TEST_CASE("columns are aligned, numbers on the right") {
    const Table table{{"geometry", "time µs", "state"}, {{"m64n32w4", "9.5", "ok"}, {"m128n64w8", "120.25", ""}}};
    CHECK(table.to_text() ==
          "geometry   time µs  state\n"
          "m64n32w4       9.5  ok\n"
          "m128n64w8   120.25\n");
}

TEST_CASE("a column of text that begins with digits is text") {
    const Table table{{"date", "why"}, {{"2026-11-29", "1.3% slower"}, {"", "20.7% slower"}}};
    CHECK(table.to_text() ==
          "date        why\n"
          "2026-11-29  1.3% slower\n"
          "            20.7% slower\n");
}

TEST_CASE("a table without rows still names its columns") { CHECK(Table{{"a", "b"}, {}}.to_text() == "a  b\n"); }

}  // namespace flashwave::cli
