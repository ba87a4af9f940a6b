// Preloaded into ranks that poll: a poll that finds nothing waits up to 100 µs for something to come. Many ranks share
// few cores on a testbed, and one that polls without end keeps the others from running for whole scheduler slices.
#include <cstdint>
#include <ctime>

#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr long PATIENCE_NS = 100'000;
constexpr unsigned long TIMER_SLACK_NS = 10'000;  // the default 50 µs would make half as much again of the wait

thread_local bool has_waited = false;  // since the last sched_yield

int poll_for(pollfd* descriptors, nfds_t count, const timespec* patience) {
    return static_cast<int>(syscall(SYS_ppoll, descriptors, count, patience, nullptr, std::size_t{0}));
}

int wait_briefly(pollfd* descriptors, nfds_t count) {
    has_waited = true;
    timespec patience{0, PATIENCE_NS};  // the kernel writes what is left into it
    return poll_for(descriptors, count, &patience);
}

int ask_epoll(int epoll, epoll_event* events, int most, int timeout_ms, const sigset_t* mask) {
    constexpr std::size_t KERNEL_SIGSET_BYTES = 8;
    return static_cast<int>(syscall(SYS_epoll_pwait, epoll, events, most, timeout_ms, mask, KERNEL_SIGSET_BYTES));
}

__attribute__((constructor)) void sharpen_timer() { prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0); }

}  // namespace

#define CLEARWAY_EXPORT __attribute__((visibility("default")))

extern "C" {

CLEARWAY_EXPORT int epoll_pwait(int epoll, epoll_event* events, int most, int timeout_ms, const sigset_t* mask) {
    const int ready = ask_epoll(epoll, events, most, timeout_ms, mask);
    if (ready != 0 || timeout_ms != 0) return ready;
    pollfd descriptor{epoll, POLLIN, 0};
    return wait_briefly(&descriptor, 1) > 0 ? ask_epoll(epoll, events, most, 0, mask) : 0;
}

CLEARWAY_EXPORT int epoll_wait(int epoll, epoll_event* events, int most, int timeout_ms) {
    return epoll_pwait(epoll, events, most, timeout_ms, nullptr);
}

CLEARWAY_EXPORT int poll(pollfd* descriptors, nfds_t count, int timeout_ms) {
    timespec timeout{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000L};
    const int ready = poll_for(descriptors, count, timeout_ms < 0 ? nullptr : &timeout);
    if (ready != 0 || timeout_ms != 0) return ready;
    const int later = wait_briefly(descriptors, count);
    return later < 0 ? 0 : later;  // a signal ends the wait, not a poll that does not wait
}

// Only of a rank that looks at no descriptor between two yields: the others have waited there already.
CLEARWAY_EXPORT int sched_yield() noexcept {
    if (has_waited) {
        has_waited = false;
        return static_cast<int>(syscall(SYS_sched_yield));
    }
    const timespec patience{0, PATIENCE_NS};
    nanosleep(&patience, nullptr);
    return 0;
}
}
