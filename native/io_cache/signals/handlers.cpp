#include "io_cache/signals/handlers.hpp"

#include <sched.h>

#include <atomic>

#include "cache_doors.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/own_end.hpp"
#include "io_cache/files/table.hpp"
#include "io_cache/signals/defer.hpp"
#include "io_cache/store/program_copy.hpp"

namespace clearway::io_cache {

namespace {

using Handler = void (*)(int, siginfo_t*, void*);

struct Kept {
    std::atomic<Handler> handler{nullptr};
    bool asks_for_info = false;     // SA_SIGINFO; ours always does
    bool once = false;              // SA_RESETHAND
    struct sigaction installed {};  // with our handler
};

constexpr int kSignals = 64;
constinit Kept kept[kSignals + 1];
constinit std::atomic_flag changing = ATOMIC_FLAG_INIT;
constinit thread_local void* handler_frame [[gnu::tls_model("initial-exec")]] = nullptr;  // of the outermost

bool has_handler(const struct sigaction& action) {
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void on_signal(int signal, siginfo_t* info, void* context) {
    Kept& own = kept[signal];
    if ((signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0 && is_copying_with_program()) {
        if (own.once) real::sigaction(signal, &own.installed, nullptr);  // the kernel has just taken it away
        allow_as_before(context);
        leave_program_copy();
    }
    if (defer_signal(signal, info, context)) {
        if (own.once) real::sigaction(signal, &own.installed, nullptr);  // the kernel has just taken it away
        return;
    }
    const Handler handler = own.handler.load(std::memory_order_acquire);
    if (handler == nullptr) return;
    void* const outer = handler_frame;
    if (outer == nullptr || !in_handler()) handler_frame = __builtin_frame_address(0);
    handler(signal, info, context);
    handler_frame = outer;
    after_handler(signal, info->si_code > 0);
}

// What the program is told of what the kernel has.
void translate(int signal, struct sigaction& action) {
    const Kept& own = kept[signal];
    const bool is_ours = action.sa_sigaction == on_signal;
    const bool was_ours = own.once && action.sa_handler == SIG_DFL;  // the kernel leaves the flags
    if (is_ours) action.sa_sigaction = own.handler.load(std::memory_order_relaxed);
    if ((is_ours || was_ours) && !own.asks_for_info) action.sa_flags &= ~SA_SIGINFO;
}

// Handlers are changed by one thread at a time, and not in the middle of that by its own signals.
class Change {
public:
    Change() {
        while (changing.test_and_set(std::memory_order_acquire)) sched_yield();
    }
    ~Change() { changing.clear(std::memory_order_release); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

private:
    const DeferSignals section_;
};

int change(int signal, const struct sigaction* wanted, struct sigaction* before) {
    struct sigaction was {};
    Kept& own = kept[signal];
    if (wanted == nullptr || !has_handler(*wanted) || wanted->sa_sigaction == on_signal) {
        const int result = real::sigaction(signal, wanted, &was);
        translate(signal, was);
        if (result == 0 && wanted != nullptr) own.once = false;
        if (result == 0 && before != nullptr) *before = was;
        return result;
    }
    if (real::sigaction(signal, nullptr, &was) != 0) return -1;
    translate(signal, was);
    own.installed = *wanted;
    own.installed.sa_sigaction = on_signal;
    own.installed.sa_flags |= SA_SIGINFO;
    own.asks_for_info = (wanted->sa_flags & SA_SIGINFO) != 0;
    own.once = (static_cast<unsigned>(wanted->sa_flags) & SA_RESETHAND) != 0;
    own.handler.store(wanted->sa_sigaction, std::memory_order_release);
    const int result = real::sigaction(signal, &own.installed, nullptr);
    if (result == 0 && before != nullptr) *before = was;
    return result;
}

// A child of vfork has our memory, and handlers of its own: these the kernel may call.
int change_in_other_process(int signal, const struct sigaction* wanted, struct sigaction* before) {
    const int result = real::sigaction(signal, wanted, before);
    if (result == 0 && before != nullptr) translate(signal, *before);
    return result;
}

bool is_other_process() { return own_process.load(std::memory_order_relaxed) != 0 && !in_own_process(); }

}  // namespace

int change_handler(int signal, const struct sigaction* wanted, struct sigaction* before) {
    if (signal < 1 || signal > kSignals) return real::sigaction(signal, wanted, before);
    if (is_other_process()) return change_in_other_process(signal, wanted, before);
    // The program's memory is touched outside: it may be a fault.
    struct sigaction asked {
    }, was{};
    if (wanted != nullptr) asked = *wanted;
    int result;
    {
        const Change turn;
        result = change(signal, wanted != nullptr ? &asked : nullptr, &was);
    }
    if (result == 0 && before != nullptr) *before = was;
    return result;
}

bool in_handler() { return handler_frame != nullptr && __builtin_frame_address(0) < handler_frame; }

void forget_changes() { changing.clear(); }

}  // namespace clearway::io_cache
