// A stretch of our own code that no signal handler of the program may come between: with locks held, or files half in
// the cache. A signal that arrives meanwhile waits until its end, as it waits for the end of a system call.
//
// No system call on the way: only a signal that does arrive costs some. Its handler then is ours (handlers.hpp), sees
// the mark, hands the signal back to the kernel for this very thread with all signals blocked, and the end of the
// stretch lets them come. So handlers may do what they may do without us: read, write, open, fork, longjmp away.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace clearway::io_cache {

struct DeferState {
    volatile int depth;           // one within another
    volatile bool deferred;       // signals wait for the end
    volatile std::uint64_t mask;  // of this thread, before they did; as the kernel has it
};

extern thread_local DeferState defer_state [[gnu::tls_model("initial-exec")]];

// As the destructor; for what begins and ends in different functions.
void end_deferring_signals();

inline void begin_deferring_signals() {
    defer_state.depth = defer_state.depth + 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

class DeferSignals {
public:
    DeferSignals() { begin_deferring_signals(); }
    ~DeferSignals() { end_deferring_signals(); }
    DeferSignals(const DeferSignals&) = delete;
    DeferSignals& operator=(const DeferSignals&) = delete;
};

// In a signal handler: whether the signal is to wait; then it does. What the thread's own instructions cause cannot.
bool defer_signal(int signal, siginfo_t* info, void* context);

// In a signal handler that is left by a jump: lets those signals come that could before.
void allow_as_before(const void* context);

}  // namespace clearway::io_cache
