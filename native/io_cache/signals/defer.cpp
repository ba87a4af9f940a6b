#include "io_cache/signals/defer.hpp"

#include <ucontext.h>

#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

constinit thread_local DeferState defer_state [[gnu::tls_model("initial-exec")]] = {};

namespace {

// The kernel's set of signals is one word; libc's is longer, and what lies behind it in a signal's frame is not ours.
constexpr std::size_t kMaskBytes = 8;

constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }

constexpr std::uint64_t kFaults = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS);
constexpr std::uint64_t kOfLibc = bit(32) | bit(33);  // pthread_cancel, setuid in all threads
constexpr std::uint64_t kMost = ~(kFaults | kOfLibc);

void set_mask(int how, std::uint64_t mask) { syscall(SYS_rt_sigprocmask, how, &mask, nullptr, kMaskBytes); }

void send_again(int signal, siginfo_t* info) {
    const pid_t process = kernel::process();
    const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
    if (syscall(SYS_rt_tgsigqueueinfo, process, thread, signal, info) != 0)
        syscall(SYS_tgkill, process, thread, signal);  // the queue is full: then without what it carries
}

}  // namespace

void end_deferring_signals() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    defer_state.depth = defer_state.depth - 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (defer_state.depth != 0 || !defer_state.deferred) [[likely]]
        return;
    const kernel::ErrnoGuard guard;
    defer_state.deferred = false;
    set_mask(SIG_SETMASK, defer_state.mask);  // here they come
}

void allow_as_before(const void* context) {
    const auto& mask = static_cast<const ucontext_t*>(context)->uc_sigmask;
    set_mask(SIG_SETMASK, reinterpret_cast<const std::uint64_t&>(mask));
}

bool defer_signal(int signal, siginfo_t* info, void* context) {
    const bool is_fault = (bit(signal) & kFaults) != 0 && info->si_code > 0;
    if (defer_state.depth == 0 || is_fault) return false;
    const kernel::ErrnoGuard guard;
    const std::uint64_t waiting = kMost | bit(signal);
    set_mask(SIG_BLOCK, waiting);
    auto& interrupted = *reinterpret_cast<std::uint64_t*>(&static_cast<ucontext_t*>(context)->uc_sigmask);
    // Another signal may have come while this handler began: whoever interrupted our code itself knows its mask, and
    // gets here last.
    if (!defer_state.deferred || (interrupted & kMost) != kMost) defer_state.mask = interrupted;
    defer_state.deferred = true;
    interrupted |= waiting;  // after this handler, too
    send_again(signal, info);
    return true;
}

}  // namespace clearway::io_cache
