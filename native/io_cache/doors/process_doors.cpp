// Doors through which a process ends, becomes another program, starts one, or gives up rights. fork itself comes by
// pthread_atfork (lifetime.cpp), libc's own forks as well.
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/child_processes.hpp"
#include "io_cache/files/own_end.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/lifetime.hpp"
#include "libc/executing_door.hpp"
#include "preload/sandbox.hpp"

extern char** environ;

namespace clearway::io_cache {

namespace {

void end() {
    stop_caching_at_exit();
    update_run_record();
}

void become_another() {
    if (in_own_process()) becoming.fetch_add(1, std::memory_order_relaxed);
    stop_caching_all();
    update_run_record();
}

void before_prctl(int option) {
    if (begins_sandbox(option)) stop_for_sandbox();
}

int stay(int result) {
    if (in_own_process()) becoming.fetch_sub(1, std::memory_order_relaxed);
    return result;
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

CLEARWAY_DOOR_AFTER(_exit, end())
CLEARWAY_DOOR_AFTER(quick_exit, end())
CLEARWAY_DOOR_AFTER(abort, before_abort())
CLEARWAY_DOOR_AFTER(__assert_fail, before_abort())
CLEARWAY_DOOR_AFTER(__assert_perror_fail, before_abort())
CLEARWAY_DOOR_AFTER(__assert, before_abort())
CLEARWAY_DOOR_AFTER(raise, before_signal(signal))
CLEARWAY_DOOR_AFTER(kill, before_signal_to(process, signal))
CLEARWAY_DOOR_AFTER(killpg, before_signal_to(-group, signal))
CLEARWAY_DOOR_AFTER(sigqueue, before_signal_to(process, signal))
CLEARWAY_DOOR_AFTER(pthread_kill, before_signal(signal))
CLEARWAY_DOOR_AFTER(pthread_sigqueue, before_signal(signal))
CLEARWAY_DOOR_AFTER(tgkill, before_signal_to(process, signal))
CLEARWAY_DOOR_AFTER(pidfd_send_signal, before_signal_by(process, signal))

#define CLEARWAY_BECOMING_DOOR(name)      \
    CLEARWAY_DOOR(name) {                 \
        become_another();                 \
        return stay(CLEARWAY_REAL(name)); \
    }

CLEARWAY_BECOMING_DOOR(execve)
CLEARWAY_BECOMING_DOOR(execv)
CLEARWAY_BECOMING_DOOR(execvp)
CLEARWAY_BECOMING_DOOR(execvpe)
CLEARWAY_BECOMING_DOOR(fexecve)
CLEARWAY_BECOMING_DOOR(execveat)

CLEARWAY_EXECUTING_DOOR(execl, environ, door_execv(path, arguments))
CLEARWAY_EXECUTING_DOOR(execlp, environ, door_execvp(path, arguments))
CLEARWAY_EXECUTING_DOOR(execle, va_arg(rest, char* const*), door_execve(path, arguments, environment))

CLEARWAY_DOOR_AFTER(system, before_shell())
CLEARWAY_DOOR_AFTER(popen, before_shell())
CLEARWAY_DOOR_AFTER(posix_spawn, before_spawn())
CLEARWAY_DOOR_AFTER(posix_spawnp, before_spawn())
CLEARWAY_DOOR_AFTER(posix_spawn_file_actions_adddup2, note_file_action(fd))
// Unlike fork it calls no handlers.
CLEARWAY_DOOR(_Fork) {
    if (!in_own_process()) return CLEARWAY_REAL(_Fork);
    before_fork();
    const pid_t child = CLEARWAY_REAL(_Fork);
    if (child == 0)
        after_fork_in_child();
    else
        after_fork_in_parent();
    return child;
}

// Its child runs a function of its own, on a stack of its own: unlike vfork it returns once.
CLEARWAY_DOOR_AFTER(clone, before_clone(static_cast<unsigned>(flags)))

CLEARWAY_DOOR_AFTER(prctl, before_prctl(option))

CLEARWAY_DOOR_AFTER(mlockall, before_locking_memory())

CLEARWAY_DOOR_AFTER(setuid, stop_serving())
CLEARWAY_DOOR_AFTER(seteuid, stop_serving())
CLEARWAY_DOOR_AFTER(setreuid, stop_serving())
CLEARWAY_DOOR_AFTER(setresuid, stop_serving())
CLEARWAY_DOOR_AFTER(setfsuid, stop_serving())
CLEARWAY_DOOR_AFTER(setgid, stop_serving())
CLEARWAY_DOOR_AFTER(setegid, stop_serving())
CLEARWAY_DOOR_AFTER(setregid, stop_serving())
CLEARWAY_DOOR_AFTER(setresgid, stop_serving())
CLEARWAY_DOOR_AFTER(setfsgid, stop_serving())
CLEARWAY_DOOR_AFTER(setgroups, stop_serving())
CLEARWAY_DOOR_AFTER(initgroups, stop_serving())
CLEARWAY_DOOR_AFTER(chroot, stop_serving())
CLEARWAY_DOOR_AFTER(unshare, stop_serving())
CLEARWAY_DOOR_AFTER(setns, stop_serving())

// vfork returns twice to our caller, so nothing of ours may be on the stack then: we jump to it.
extern "C" [[gnu::visibility("hidden")]] void* clearway_io_before_vfork() {
    before_vfork();
    return reinterpret_cast<void*>(real::vfork.function());
}

#if defined(__x86_64__)
__asm__(
    ".globl vfork\n.type vfork,@function\nvfork:\n"
    "  subq $8, %rsp\n  call clearway_io_before_vfork\n  addq $8, %rsp\n  jmp *%rax\n"
    ".size vfork,.-vfork\n");
#elif defined(__aarch64__)
__asm__(
    ".globl vfork\n.type vfork,@function\nvfork:\n"
    "  stp x29, x30, [sp, #-16]!\n  bl clearway_io_before_vfork\n  ldp x29, x30, [sp], #16\n  br x0\n"
    ".size vfork,.-vfork\n");
#endif
