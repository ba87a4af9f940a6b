/* Says what errno is where main begins, and which exceptions of floating-point arithmetic were raised: 0 and none, by
 * C's standard. Programs ask strtol by errno without setting it first, and Fortran's STOP tells of exceptions. */
#include <errno.h>
#include <stdio.h>

static unsigned raised(void) {
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & 0x3f;
#elif defined(__aarch64__)
    unsigned long status;
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    return status & 0x9f;
#else
    return 0;
#endif
}

int main(void) {
    int first = errno;
    printf("errno %d, raised %u\n", first, raised());
    return 0;
}
