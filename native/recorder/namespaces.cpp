#include <sched.h>

#include "recorder/stepping_aside.hpp"
#include "recorder_doors.hpp"

// Other namespaces. Some the kernel gives only to a process of one thread (unshare(2), setns(2)): what starts
// containers moves before it has a second one.

namespace clearway::recorder {
namespace {

constexpr int kOfOneThread = CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;

}  // namespace
}  // namespace clearway::recorder

using namespace clearway::recorder;

CLEARWAY_DOOR(unshare) {
    if ((flags & kOfOneThread) == 0) return CLEARWAY_REAL(unshare);
    return without_sampler([&] { return CLEARWAY_REAL(unshare); });
}

CLEARWAY_DOOR(setns) {
    return without_sampler([&] { return CLEARWAY_REAL(setns); });
}
