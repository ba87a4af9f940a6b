// libc's functions behind the doors of a preloaded library.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <type_traits>

namespace clearway {

template <class Function>
class Real;

// Found when first called, with dlsym: libraries initialised before ours already call it.
template <class Result, class... Args>
class Real<Result(Args...)> {
public:
    constexpr explicit Real(const char* name) : name_(name) {}

    Result operator()(Args... args) { return function()(args...); }

    Result (*function())(Args...) {
        auto* function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = resolve();
        return function;
    }

private:
    using Function = Result(Args...);

    static Result missing(Args...) {
        errno = ENOSYS;
        if constexpr (std::is_pointer_v<Result>)
            return nullptr;
        else
            return static_cast<Result>(-1);
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

}  // namespace clearway
