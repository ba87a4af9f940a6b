// Doors that say which function handles a signal.
#include <sched.h>

#include <atomic>

#include "cache_doors.hpp"
#include "io_cache/signals/handlers.hpp"

namespace clearway::io_cache {

namespace {

constinit std::atomic<std::uint64_t> interrupting{0};  // signals that siginterrupt has made end system calls

bool interrupts(int signal) {
    return signal > 0 && (interrupting.load(std::memory_order_relaxed) >> (signal - 1) & 1) != 0;
}

// As libc's signal and its relatives do it. Its signals are blocked in their own handlers only.
sighandler_t set_handler(int signal, sighandler_t handler, unsigned flags, bool blocks_itself) {
    struct sigaction wanted {
    }, before{};
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    wanted.sa_handler = handler;
    wanted.sa_flags = static_cast<int>(flags);
    sigemptyset(&wanted.sa_mask);
    if (blocks_itself && sigaddset(&wanted.sa_mask, signal) != 0) return SIG_ERR;
    return change_handler(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

CLEARWAY_DOOR(sigaction) { return change_handler(signal, wanted, before); }

CLEARWAY_DOOR(signal) { return set_handler(signal, handler, interrupts(signal) ? 0 : SA_RESTART, true); }

CLEARWAY_DOOR(sysv_signal) { return set_handler(signal, handler, SA_RESETHAND | SA_NODEFER, false); }

CLEARWAY_DOOR(siginterrupt) {
    const int result = CLEARWAY_REAL(siginterrupt);
    if (result != 0) return result;
    const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
    if (interrupt != 0)
        interrupting.fetch_or(bit, std::memory_order_relaxed);
    else
        interrupting.fetch_and(~bit, std::memory_order_relaxed);
    return 0;
}

CLEARWAY_DOOR(sigset) {
    sigset_t one, before;
    sigemptyset(&one);
    if (handler == SIG_ERR || sigaddset(&one, signal) != 0) {
        errno = EINVAL;
        return SIG_ERR;
    }
    struct sigaction was {};
    if (handler == SIG_HOLD) {
        if (change_handler(signal, nullptr, &was) != 0 || sigprocmask(SIG_BLOCK, &one, &before) != 0) return SIG_ERR;
        return sigismember(&before, signal) != 0 ? SIG_HOLD : was.sa_handler;
    }
    const sighandler_t old = set_handler(signal, handler, 0, false);
    if (old == SIG_ERR || sigprocmask(SIG_UNBLOCK, &one, &before) != 0) return SIG_ERR;
    return sigismember(&before, signal) != 0 ? SIG_HOLD : old;
}
