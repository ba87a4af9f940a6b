// What `syscall` means inside our preloaded libraries (the linker's --wrap): the kernel's call, by nobody's door.
// Libc's name would lead to the I/O cache's, which takes what it sees for the program's: a close by a thread with a
// table of descriptors of its own would close the program's file of that number, and what such a thread does to leave
// the program's table would make every file leave the cache.
#include <cerrno>

extern "C" [[gnu::visibility("hidden")]] long __wrap_syscall(long number, long a, long b, long c, long d, long e,
                                                             long f) {
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long result __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#else
#error "how does this machine call its kernel?"
#endif
    if (result >= 0 || result < -4095) return result;
    errno = static_cast<int>(-result);
    return -1;
}
