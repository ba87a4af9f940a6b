// A door: one of libc's names through which a program reaches files. We define the name ourselves, measure,
// and call the function behind it.
//
// Doors must work at any moment: before our constructor ran, in a signal handler, inside a memory allocator
// that is just setting itself up, in a vfork child that shares our memory, and while a thread is being
// cancelled. Hence no allocation, no lock on the way, no object with a destructor across the real call (the
// forced unwind of pthread_cancel passes through these frames without running any code of ours).
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "recorder/clock.hpp"
#include "recorder/process.hpp"
#include "recorder/thread.hpp"
#include "recorder/timeline.hpp"

// Defines libc's `name` under another C++ name, so that the declarations in libc's headers (noexcept, nonnull,
// redirections to 64-bit names) do not stand in the way.
#define CLEARWAY_DOOR(result, name, ...)                                                      \
    extern "C" [[gnu::visibility("default")]] result door_##name(__VA_ARGS__) __asm__(#name); \
    result door_##name(__VA_ARGS__)

// A second name for the same function, as the 64-bit names are on 64-bit machines.
#define CLEARWAY_SAME_DOOR(alias_name, name) \
    extern "C"                               \
        [[gnu::visibility("default"), gnu::alias(#name)]] decltype(door_##name) door_##alias_name __asm__(#alias_name)

namespace clearway::recorder {

static_assert(sizeof(long) == 8, "the 64-bit names are aliases of the plain ones");

// Stands behind a door that this libc does not have.
inline long no_such_function() {
    errno = ENOSYS;
    return -1;
}

// The function behind a door, and the name under which the timeline knows it.
template <class Function>
class Door {
public:
    constexpr explicit Door(const char* name) : name_(name) {}

    // dlsym, not our constructor, finds it: libraries initialised before ours already call it.
    [[gnu::always_inline]] Function* real() {
        Function* function = real_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = resolve();
        return function;
    }

    std::uint16_t id() {
        std::uint16_t id = id_.load(std::memory_order_relaxed);
        if (id == 0) id_.store(id = name_function(name_, FunctionClass::file_operation), std::memory_order_relaxed);
        return id;
    }

private:
    [[gnu::noinline]] Function* resolve() {
        const int saved_errno = errno;
        void* found = dlsym(RTLD_NEXT, name_);
        if (found == nullptr) found = reinterpret_cast<void*>(&no_such_function);
        auto* function = reinterpret_cast<Function*>(found);
        errno = saved_errno;
        real_.store(function, std::memory_order_relaxed);
        return function;
    }

    const char* name_;
    std::atomic<Function*> real_{nullptr};
    std::atomic<std::uint16_t> id_{0};
};

// The calling thread, if what it does at this door is to be recorded: not inside another door, not the recorder.
[[gnu::always_inline]] inline ThreadState* recordable_thread() {
    if (!recording || thread_state.io_depth != 0) return nullptr;
    return this_thread();
}

// Enters a door. The thread's cell shows where it is, for the reader of a record that ends here.
inline std::uint64_t enter_door(ThreadState& thread) {
    thread.io_depth = 1;
    thread.cell->io_depth = 1;
    const std::uint64_t entry = now_ticks();
    if (thread.mpi_depth == 0) {
        settle_outside(thread, entry);
        thread.cell->call_entry_ticks = entry;
    }
    return entry;
}

// Leaves it, and returns when. Inside MPI calls the time belongs to them: no second stands in two lines.
inline std::uint64_t leave_door(ThreadState& thread, std::uint64_t entry) {
    const std::uint64_t exit = exit_ticks(entry);
    if (thread.mpi_depth == 0) {
        thread.cell->io_ticks += exit - entry;
        settle_call(thread, Where::io, entry, exit);
    }
    thread.cell->io_depth = 0;
    thread.io_depth = 0;
    return exit;
}

}  // namespace clearway::recorder
