#include "recorder/sandbox.hpp"

#include "preload/sandbox.hpp"
#include "recorder/lifetime.hpp"
#include "recorder_doors.hpp"

namespace clearway::recorder {

bool in_sandbox = false;

}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(prctl) {
    if (begins_sandbox(option)) {
        end_recording("seccomp");
        in_sandbox = true;
    }
    return CLEARWAY_REAL(prctl);
}
