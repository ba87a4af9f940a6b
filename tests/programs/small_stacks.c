/* Works on files where there is little stack:  small_stacks FOLDER
 *
 * In a thread with the least stack that POSIX systems give, and in a signal handler on a stack of its own. Below both
 * lies memory that must not be touched. Says what it read back. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GUARD = 65536, THREAD = 16384, HANDLER = 8192, BYTES = 300000 };
static char block[BYTES];
static long read_back[2];

static char* stack_of(size_t bytes) {
    char* memory = mmap(NULL, GUARD + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD, PROT_NONE) != 0) _exit(2);
    return memory + GUARD;
}

/* As a handler of crashes starts a debugger. */
static int start_child(void) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 7", NULL);
        _exit(1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* All that has a long way through us: names, the first bytes of a file, many at once, what is asked of the kernel. */
static long work(void) {
    struct stat status;
    const int fd = open("file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, "x", 1) != 1) return -1;
    for (int i = 0; i < 10; ++i)
        if (write(fd, block, BYTES) != BYTES) return -2;
    if (stat("file", &status) != 0 || fsync(fd) != 0 || rename("file", "other") != 0) return -3;
    const long got = pread(fd, block, BYTES, 1);
    if (close(fd) != 0 || open("missing/../file", O_RDONLY) >= 0 || unlink("./other") != 0) return -4;
    return start_child() == 7 ? got + status.st_size : -5;
}

static void* in_thread(void* unused) {
    read_back[0] = work();
    return unused;
}

static void on_signal(int signal) {
    (void)signal;
    read_back[1] = work();
}

int main(int count, char** words) {
    if (count != 2 || chdir(words[1]) != 0) return 2;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack_of(THREAD), THREAD) != 0) return 2;
    if (pthread_create(&thread, &attributes, in_thread, NULL) != 0) return 2;
    pthread_join(thread, NULL);

    const size_t bytes = HANDLER + getauxval(AT_MINSIGSTKSZ); /* the kernel's own part depends on the processor */
    const stack_t stack = {.ss_sp = stack_of(bytes), .ss_size = bytes};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) return 2;
    raise(SIGUSR1);
    printf("%ld %ld\n", read_back[0], read_back[1]);
    return 0;
}
