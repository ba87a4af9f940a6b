// Clearway's own threads must not keep a program alive.
//
// A process of which the main thread has left (pthread_exit) ends, by exit(0), with its last thread: libc counts them.
// Ours are among those counted, and never end. So when the main thread leaves, it starts one more, which waits until
// only ours are left, and calls exit(0) as the program's last would have. It cannot be one of those that we have: the
// sampler has no descriptors of the program's, and those are closed with the last thread that has them.
//
// Where the kernel alone ends the main thread (SYS_exit, a seccomp filter) nobody calls us. Each of ours then looks now
// and then, and leaves as the main thread did: of the last thread's way the kernel makes that of the process.
#pragma once

namespace clearway {

// From a library's constructor, in the main thread. Both of our preloaded libraries may call it.
void watch_main_thread();

// As long as it lives, its thread is one of ours.
class OwnThread {
public:
    OwnThread();
    ~OwnThread();
    OwnThread(const OwnThread&) = delete;
    OwnThread& operator=(const OwnThread&) = delete;

    // Whether the kernel alone ended the main thread, and only threads of ours are left. The thread is to return then.
    bool is_left_behind();

private:
    bool is_left_behind_ = false;
};

}  // namespace clearway
