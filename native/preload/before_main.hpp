// What is promised where main begins stays true behind a constructor of ours: errno is 0 (C11, 7.5), no exception of
// floating-point arithmetic was raised (F.8.2), and dlerror has nothing to tell (POSIX). glibc's fegetenv is libm's,
// which not every program has.
#pragma once

#include <dlfcn.h>
#include <cerrno>
#include <cstdint>

namespace clearway {

class BeforeMain {
public:
    BeforeMain() : errno_(errno), status_(status()) {}
    ~BeforeMain() {
        dlerror();  // what we looked for and was not there
        set_status(status_);
        errno = errno_;
    }
    BeforeMain(const BeforeMain&) = delete;
    BeforeMain& operator=(const BeforeMain&) = delete;

private:
#if defined(__x86_64__)
    static std::uint64_t status() { return __builtin_ia32_stmxcsr(); }
    static void set_status(std::uint64_t status) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(status)); }
#elif defined(__aarch64__)
    static std::uint64_t status() {
        std::uint64_t status;
        __asm__ volatile("mrs %0, fpsr" : "=r"(status));
        return status;
    }
    static void set_status(std::uint64_t status) { __asm__ volatile("msr fpsr, %0" ::"r"(status)); }
#else
    static std::uint64_t status() { return 0; }
    static void set_status(std::uint64_t) {}
#endif

    int errno_;
    std::uint64_t status_;
};

}  // namespace clearway
