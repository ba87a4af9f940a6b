// Doors through which a process ends, becomes another program, or starts one. fork itself comes by pthread_atfork
// (lifetime.cpp), libc's own forks as well.
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdarg>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/child_processes.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/stop_caching.hpp"

extern char** environ;

namespace clearway::io_cache {

namespace {

void end() {
    stop_caching_at_exit();
    update_run_record();
}

void become_another() {
    stop_caching_all();
    update_run_record();
}

constexpr int kMostArguments = 4096;  // of execl and its like

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

#define IO_UNWRAP(...) __VA_ARGS__
#define IO_BEFORE_DOOR(result, name, parameters, arguments, before) \
    IO_DOOR(result, name, IO_UNWRAP parameters) {                   \
        static constinit Real<result parameters> real{#name};       \
        before;                                                     \
        return real arguments;                                      \
    }

IO_BEFORE_DOOR(void, _exit, (int status), (status), end())
IO_SAME_DOOR(_Exit, _exit);
IO_BEFORE_DOOR(void, quick_exit, (int status), (status), end())

IO_BEFORE_DOOR(int, execve, (const char* path, char* const* arguments, char* const* variables),
               (path, arguments, variables), become_another())
IO_BEFORE_DOOR(int, execv, (const char* path, char* const* arguments), (path, arguments), become_another())
IO_BEFORE_DOOR(int, execvp, (const char* file, char* const* arguments), (file, arguments), become_another())
IO_BEFORE_DOOR(int, execvpe, (const char* file, char* const* arguments, char* const* variables),
               (file, arguments, variables), become_another())
IO_BEFORE_DOOR(int, fexecve, (int fd, char* const* arguments, char* const* variables), (fd, arguments, variables),
               become_another())
IO_BEFORE_DOOR(int, execveat,
               (int directory, const char* path, char* const* arguments, char* const* variables, int flags),
               (directory, path, arguments, variables, flags), become_another())

// `variables` stands behind the arguments.
#define IO_EXECUTING_DOOR(name, variables, call)                   \
    IO_DOOR(int, name, const char* path, const char* first, ...) { \
        const char* list[kMostArguments];                          \
        const char* next = first;                                  \
        int count = 0;                                             \
        va_list rest;                                              \
        va_start(rest, first);                                     \
        while (next != nullptr && count < kMostArguments - 1) {    \
            list[count++] = next;                                  \
            next = va_arg(rest, const char*);                      \
        }                                                          \
        list[count] = nullptr;                                     \
        [[maybe_unused]] char* const* environment = variables;     \
        va_end(rest);                                              \
        if (next != nullptr) {                                     \
            errno = E2BIG;                                         \
            return -1;                                             \
        }                                                          \
        char* const* arguments = const_cast<char* const*>(list);   \
        return call;                                               \
    }

IO_EXECUTING_DOOR(execl, environ, io_door_execv(path, arguments))
IO_EXECUTING_DOOR(execlp, environ, io_door_execvp(path, arguments))
IO_EXECUTING_DOOR(execle, va_arg(rest, char* const*), io_door_execve(path, arguments, environment))

IO_BEFORE_DOOR(int, system, (const char* command), (command), before_shell())
IO_BEFORE_DOOR(FILE*, popen, (const char* command, const char* mode), (command, mode), before_shell())
IO_BEFORE_DOOR(int, posix_spawn,
               (pid_t * pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments, char* const* variables),
               (pid, path, actions, attributes, arguments, variables), before_spawn())
IO_BEFORE_DOOR(int, posix_spawnp,
               (pid_t * pid, const char* file, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments, char* const* variables),
               (pid, file, actions, attributes, arguments, variables), before_spawn())
IO_BEFORE_DOOR(int, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t * actions, int fd, int wanted),
               (actions, fd, wanted), note_file_action(fd))
IO_BEFORE_DOOR(pid_t, _Fork, (), (), stop_caching_all())

// vfork returns twice to our caller, so nothing of ours may be on the stack then: we jump to it.
extern "C" [[gnu::visibility("hidden")]] void* clearway_io_before_vfork() {
    static constinit Real<pid_t()> real{"vfork"};
    before_vfork();
    return reinterpret_cast<void*>(real.function());
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
