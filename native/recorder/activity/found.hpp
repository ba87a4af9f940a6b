// What a look at a thread found, and the steps to it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "run_record/layout.hpp"

namespace clearway::recorder {

struct Found {
    Activity activity = Activity::blocked;
    char object[sizeof ActivityCell::object] = "";
};

// A system call that a thread is blocked in, as /proc/PID/syscall tells it.
struct SystemCall {
    unsigned thread;
    long number;
    std::uint64_t arguments[6];
};

// thread_state.cpp: by the kernel's word on a thread of this process.
Found look_at(unsigned thread);

// traced.cpp: `traced`, with who traces it, where the thread stands still for a debugger or strace, or did when it was
// `seen`; else `blocked`.
Found found_stopped_by_tracer(unsigned thread, const Found& seen);

// kernel_function.cpp: the function of the kernel that the thread waits in, "" where that is not told; and what it
// means, where the system call is not told.
void kernel_function(unsigned thread, char* name, std::size_t size);
Found found_in_kernel(unsigned thread);

// system_call.cpp
Found found_in(const SystemCall& call);

// shared_word.cpp: a futex, which another thread changes, or another process if it is in memory that they share.
Found found_at_word(std::uint64_t address, std::uint64_t operation);

// several.cpp: poll, select, epoll, which wait for one of several descriptors.
Found found_in_poll(const SystemCall& call);
Found found_in_select(const SystemCall& call);
Found found_in_epoll(const SystemCall& call);

// descriptor.cpp: what a thread waits for that reads from, or writes to, a descriptor.
Found found_reading(unsigned thread, int fd);
Found found_writing(unsigned thread, int fd);
Found found_locking(unsigned thread, int fd);
Found found_accepting(int fd);
Found found_connecting(std::uint64_t address, std::uint64_t length);

// Copies from this process's memory, which may have gone by now. False: it has.
bool copy_from(std::uint64_t address, void* to, std::size_t bytes);

}  // namespace clearway::recorder
