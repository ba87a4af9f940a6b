// Before a program, or its OpenMP runtime, binds a thread: what the process might use until then is kept.
#include "recorder/host/affinity.hpp"
#include "recorder_doors.hpp"

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(sched_setaffinity) {
    processors_at_start();
    return CLEARWAY_REAL(sched_setaffinity);
}

CLEARWAY_DOOR(pthread_setaffinity_np) {
    processors_at_start();
    return CLEARWAY_REAL(pthread_setaffinity_np);
}
