// The main thread leaves by pthread_exit; other threads end later, in the order asked for.
// Usage: leave_main FILE WAY
//   alone    no other thread
//   later    three threads that end one after another, each started by the one before
//   joins    a thread that joins the main one
//   cancel   a thread that cancels the main one
//   child    the same as "alone", in a forked child
//   number   the same, in a child that the number of the call made: no handler of pthread_atfork is called
//   thread   a thread forks, and the child's only thread leaves
//   process  threads go on for ever, and a signal ends the process
//   kernel   the kernel alone ends the main thread: libc does not know
//   outlives the same, while another thread goes on for a while
//   killed   a seccomp filter of the main thread's kills it alone, for it asks for its parent
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_t main_thread;
static const char* path;

// What libc holds back until the end, and what the cache does.
static void at_end(void) { printf(" at_end"); }

static void write_file(void) {
    const int fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1) abort();
}

static void* later(void* left) {
    pthread_t next;
    if ((long)left == 3) pthread_join(main_thread, NULL);
    usleep(20000);
    write_file();
    if ((long)left > 1) pthread_create(&next, NULL, later, (void*)((long)left - 1));
    printf(" later");
    return NULL;
}

static void* outlive(void* unused) {
    (void)unused;
    usleep(50000);
    write_file();
    return NULL;
}

static void* join_main(void* unused) {
    (void)unused;
    void* value = NULL;
    printf(" joined=%d", pthread_join(main_thread, &value));
    printf(" value=%ld", (long)value);
    return NULL;
}

static void* cancel_main(void* unused) {
    (void)unused;
    pthread_cancel(main_thread);
    return NULL;
}

static void* fork_here(void* unused) {
    (void)unused;
    int status = 0;
    pthread_join(main_thread, NULL);
    const pid_t child = fork();
    if (child == 0) {
        write_file();
        pthread_exit(NULL);
    }
    waitpid(child, &status, 0);
    printf(" child=%d", status);
    return NULL;
}

static void be_killed(void) {
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),  // the number of the call
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof lines / sizeof *lines, lines};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(6);
    syscall(SYS_getppid);
}

static void* end_process(void* unused) {
    (void)unused;
    void* value = NULL;
    pthread_join(main_thread, &value);
    kill(getpid(), SIGTERM);
    while (pause() != 0) {
    }
    return NULL;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    path = argv[1];
    main_thread = pthread_self();
    atexit(at_end);
    const char* way = argv[2];
    pthread_t thread;
    write_file();
    if (strcmp(way, "later") == 0) pthread_create(&thread, NULL, later, (void*)3L);
    if (strcmp(way, "joins") == 0) pthread_create(&thread, NULL, join_main, NULL);
    if (strcmp(way, "thread") == 0) pthread_create(&thread, NULL, fork_here, NULL);
    if (strcmp(way, "process") == 0) pthread_create(&thread, NULL, end_process, NULL);
    if (strcmp(way, "cancel") == 0) {
        pthread_create(&thread, NULL, cancel_main, NULL);
        for (;;) pause();
    }
    if (strcmp(way, "outlives") == 0) pthread_create(&thread, NULL, outlive, NULL);
    if (strcmp(way, "outlives") == 0 || strcmp(way, "kernel") == 0) syscall(SYS_exit, 5);
    if (strcmp(way, "killed") == 0) be_killed();
    const int by_number = strcmp(way, "number") == 0;
    if (strcmp(way, "child") == 0 || by_number) {
        int status = 0;
        const pid_t child = by_number ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
        if (child != 0) {
            waitpid(child, &status, 0);
            printf(" child=%d", status);
        } else {
            write_file();
        }
    }
    printf(" left");
    pthread_exit((void*)7L);
}
