// clock_driver 0|1 CLOCK_SOURCES: whether a counter that the processor calls invariant, or not, is used as a clock.
#include <cstdio>

#include "recorder/clock.hpp"

int main(int, char** argv) {
    std::puts(clearway::recorder::is_steady(argv[1][0] == '1', argv[2]) ? "counter" : "monotonic");
}
