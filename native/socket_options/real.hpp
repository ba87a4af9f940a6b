// libc's functions behind our doors.
#pragma once

#include <dlfcn.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>

namespace clearway {

template <class Function>
class Real;

// Found when first called, with dlsym: libraries initialised before ours already call it.
template <class Result, class... Args>
class Real<Result(Args...)> {
public:
    constexpr explicit Real(const char* name) : name_(name) {}

    Result operator()(Args... args) {
        auto* function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = resolve();
        return function(args...);
    }

private:
    using Function = Result(Args...);

    static Result missing(Args...) {
        errno = ENOSYS;
        return -1;
    }

    [[gnu::noinline]] Function* resolve() {
        const int saved_errno = errno;
        void* found = dlsym(RTLD_NEXT, name_);
        auto* function = found != nullptr ? reinterpret_cast<Function*>(found) : &missing;
        errno = saved_errno;
        function_.store(function, std::memory_order_relaxed);
        return function;
    }

    const char* name_;
    std::atomic<Function*> function_{nullptr};
};

inline constinit Real<int(int, int, int, const void*, socklen_t)> real_setsockopt("setsockopt");

}  // namespace clearway
