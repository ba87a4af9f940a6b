#include "io_cache/files/child_processes.hpp"

#include <sched.h>

#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

namespace {

// By descriptor, for good: lists of actions outlive it, and are copied.
constinit std::atomic<std::uint64_t> in_actions[kMostDescriptors / 64]{};
constinit std::atomic<bool> are_any{false};

}  // namespace

void note_file_action(int fd) {
    if (static_cast<unsigned>(fd) >= kMostDescriptors) return;
    in_actions[fd / 64].fetch_or(std::uint64_t{1} << (fd % 64), std::memory_order_relaxed);
    are_any.store(true, std::memory_order_relaxed);
}

void before_shell() {
    stop_caching_inheritable();
    stop_caching_closed();
    write_back_each_before(Event::starts_child);
}

void before_spawn() {
    for (int word = 0; are_any.load(std::memory_order_relaxed) && word < kMostDescriptors / 64; ++word)
        for (std::uint64_t left = in_actions[word].load(std::memory_order_relaxed); left != 0; left &= left - 1)
            stop_caching_descriptor(word * 64 + __builtin_ctzll(left));
    before_shell();
}

void before_vfork() { stop_caching_all(); }

// A thread is ours. A process with our memory that we do not wait for could come to any file that enters later.
void before_clone(unsigned long flags) {
    if ((flags & CLONE_THREAD) != 0) return;
    if ((flags & CLONE_VM) != 0 && (flags & CLONE_VFORK) == 0) return stop_serving();
    stop_caching_all();
}

}  // namespace clearway::io_cache
