// The door of `syscall`. It has no frame of its own around calls of the kernel's: some return twice (vfork), or on
// another stack (clone). So it only asks which function is to be called, and jumps there with the arguments as they
// are.
#include "cache_doors.hpp"
#include "io_cache/doors/system_calls.hpp"

using namespace clearway;
using namespace clearway::io_cache;

extern "C" [[gnu::visibility("hidden")]] SystemCall* clearway_io_before_syscall(long number, long a, long b, long c,
                                                                                long d, long e) {
    SystemCall* served = served_call(number, a, b, c, d, e);
    return served != nullptr ? served : real::syscall.function();
}

#if defined(__x86_64__)
// The seventh argument lies on the stack, and stays there.
__asm__(
    ".globl syscall\n.type syscall,@function\nsyscall:\n"
    "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n  subq $8, %rsp\n"
    "  call clearway_io_before_syscall\n"
    "  addq $8, %rsp\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n"
    "  jmp *%rax\n"
    ".size syscall,.-syscall\n");
#elif defined(__aarch64__)
__asm__(
    ".globl syscall\n.type syscall,@function\nsyscall:\n"
    "  stp x29, x30, [sp, #-80]!\n  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n"
    "  str x6, [sp, #64]\n"
    "  bl clearway_io_before_syscall\n  mov x16, x0\n"
    "  ldp x0, x1, [sp, #16]\n  ldp x2, x3, [sp, #32]\n  ldp x4, x5, [sp, #48]\n  ldr x6, [sp, #64]\n"
    "  ldp x29, x30, [sp], #80\n  br x16\n"
    ".size syscall,.-syscall\n");
#endif
