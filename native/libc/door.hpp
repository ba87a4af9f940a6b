// A door: one of libc's names, which a preloaded library of ours defines itself. calls.table says which library has
// which; from it generate.py writes, for each, a header with what stands here for every NAME in it:
//
//   real::NAME(...)        libc's function, or that of the library preloaded behind us
//   CLEARWAY_REAL(NAME)    a call of it with the door's own arguments, by the names that the table gives them
//   CLEARWAY_DOOR(NAME) {  the head of the door, under all names of the function
//   door_NAME(...)         the door itself, for another one
//   find_real_functions()  for the library's constructor
//
// Doors must work at any moment, so all of them keep to this:
//
// - Before our constructor ran nothing is set up yet: the call goes on as it is. The real function is found when it is
//   first called, for libraries initialised before ours already call it; and the others in our constructor, for to find
//   one is a dlsym, which frees the message that dlerror has given the program: printf("%s", dlerror()) was garbage.
// - In signal handlers: no allocation, no lock that the interrupted thread may hold. The cache puts signals off while
//   it has one (io_cache/signals/defer.hpp).
// - While a thread is cancelled: no object with a destructor across the real call, for the forced unwind of
//   pthread_cancel passes through these frames without running any code of ours.
// - Re-entry: what a library does for itself goes to the kernel (syscall, which system_call.cpp keeps away from the
//   cache's door of that name) or to real::NAME, never to a door. What libc does inside a recorded call is part of it
//   (recorder::InRecorder, io_depth).
// - fork, vfork: each library hears of fork by pthread_atfork, in its lifetime.cpp. A vfork child runs in our memory
//   with descriptors of its own: who writes tables asks in_own_process() first.
// - The end: the recorder's is on_exit, the cache's that and the doors that end or replace a process.
// - errno is the real call's when the door returns.
#pragma once

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "base/no_signals.hpp"

// Under another C++ name than libc's, so that the declarations in libc's headers (noexcept, nonnull, redirections to
// 64-bit names) do not stand in the way.
#define CLEARWAY_DOOR(name) CLEARWAY_DOOR_##name
#define CLEARWAY_REAL(name) CLEARWAY_REAL_##name

namespace clearway {

static_assert(sizeof(long) == 8, "the 64-bit names are further names of the plain ones");

// A function behind a door, as far as it does not matter which.
class RealName {
public:
    constexpr explicit RealName(const char* name) : name_(name) {}

    const char* name() const { return name_; }

    std::atomic<std::uint16_t> id{0};  // the recorder's timeline knows it by; 0: not yet

protected:
    // In libc or a library behind ours; null where there is none. Keeps errno. A handler that came between and left by
    // a jump would leave the dynamic linker locked.
    [[gnu::noinline]] void* find() const {
        const NoSignals undisturbed;
        const int saved_errno = errno;
        void* found = look_up();
        errno = saved_errno;
        return found;
    }
    void* look_up() const { return dlsym(RTLD_NEXT, name_); }

private:
    const char* name_;
};

template <class Function>
class Real;

template <class Result, class... Args>
class Real<Result(Args...)> : public RealName {
public:
    using RealName::RealName;

    [[gnu::always_inline]] Result operator()(Args... args) { return function()(args...); }

    [[gnu::always_inline]] Result (*function())(Args...) {
        auto* function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = resolve();
        return function;
    }

    // One that is not there yet may come with a library that is loaded later.
    void find_early() {
        if (function_.load(std::memory_order_relaxed) == nullptr)
            function_.store(reinterpret_cast<Function*>(look_up()), std::memory_order_relaxed);
    }

private:
    using Function = Result(Args...);

    // Of a function that this libc does not have.
    static Result missing(Args...) {
        errno = ENOSYS;
        if constexpr (std::is_pointer_v<Result>)
            return nullptr;
        else
            return static_cast<Result>(-1);
    }

    [[gnu::noinline]] Function* resolve() {
        void* found = find();
        auto* function = found != nullptr ? reinterpret_cast<Function*>(found) : &missing;
        function_.store(function, std::memory_order_relaxed);
        return function;
    }

    std::atomic<Function*> function_{nullptr};
};

}  // namespace clearway
