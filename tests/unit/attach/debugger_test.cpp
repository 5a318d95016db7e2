#include "attach/debugger.hpp"

#include <doctest/doctest.h>

using namespace memviz::attach;

TEST_CASE("the function of a backtrace is the first one with a name, in the words of gdb and of lldb") {
  CHECK(function_in("[New LWP 9]\n#0  0x00007f01 in ?? ()\n#1  0x00007f02 in clock_nanosleep () from /lib/libc.so.6\n"
                    "#2  0x00007f03 in time_sleep (self=0x1)\n") == "clock_nanosleep");
  CHECK(function_in("* thread #1, name = 'python'\n  * frame #0: 0x00007f01 libc.so.6`clock_nanosleep + 35\n"
                    "    frame #1: 0x00007f02 python`time_sleep(self=0x1)\n") == "clock_nanosleep");
  CHECK(function_in("  * frame #0: 0x00007f02 python`time_sleep(self=0x1)") == "time_sleep");
  CHECK(function_in("a message about frame #1 in a library\n#0  0x00007f01 in ?? ()\n").empty());
  CHECK(function_in("").empty());
}
