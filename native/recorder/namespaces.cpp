#include <sched.h>

#include <cerrno>

#include "recorder/io/descriptors.hpp"
#include "recorder/process.hpp"
#include "recorder/sampler.hpp"
#include "recorder_doors.hpp"

// Other namespaces. Some the kernel gives only to a process of one thread (unshare(2), setns(2)): what starts
// containers moves before it has a second one. The sampler's would be that, so it leaves and comes back.

namespace clearway::recorder {
namespace {

constexpr int kOfOneThread = CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;

bool step_aside() {
    const int saved_errno = errno;
    const bool stepped = recording && in_own_process() && pause_sampler();
    errno = saved_errno;
    return stepped;
}

int come_back(int result) {
    const int saved_errno = errno;
    start_sampler();
    errno = saved_errno;
    return result;
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway::recorder;

CLEARWAY_DOOR(unshare) {
    if ((flags & kOfOneThread) == 0 || !step_aside()) return CLEARWAY_REAL(unshare);
    return come_back(CLEARWAY_REAL(unshare));
}

CLEARWAY_DOOR(setns) {
    if (!step_aside()) return CLEARWAY_REAL(setns);
    return come_back(CLEARWAY_REAL(setns));
}
