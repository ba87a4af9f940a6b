/* One file, and an end:  io_ends FILE END BYTES
 *
 *   deletes   writes, reads all of it three times, closes and deletes it
 *   closes    writes and closes
 *   leaves    writes, and exits with the file open
 *   skips     writes, and leaves by _exit
 *   becomes   writes, and becomes another program, with the file open
 *   syncs     writes, fsyncs, writes as much again, and is killed
 *   dies      closes the file, and is killed 2 s later
 *   aborts, asserts, asserts_errno, raises, kills, kills_group, queues, queues_thread
 *             writes, and ends itself: by abort, assert, assert_perror, raise, kill, killpg, sigqueue, pthread_sigqueue
 *   number_tgkill, number_tkill, number_queue, number_pidfd
 *             the same by a system call by its number
 *   handles   writes, and has a fault, whose handler writes "end", and lets the fault come again
 *   reports   the same, but the handler raises its signal again
 *   cleans    writes, and aborts, with a handler of that which writes "end"
 *   unblocks  writes, raises a signal that it has blocked, writes "end", and lets the signal come
 *   fills     writes until there is no more room, and says where that was: at which write, at close, or nowhere */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 65536 };
static char block[BLOCK];
static int file;
static int raises_again;

/* By the kernel: nobody but a handler, and there is none, learns of it before. */
static void be_killed(void) {
    const struct itimerval soon = {{0, 0}, {0, 1}};
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;) pause();
}

static void say_end(int number) {
    if (number != SIGABRT) signal(number, SIG_DFL);
    if (write(file, "end", 3) != 3) _exit(3);
    if (raises_again) raise(number);
}

static void end_by(const char* end) {
    const union sigval nothing = {0};
    siginfo_t queued = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
    const int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (strcmp(end, "aborts") == 0) abort();
    if (strcmp(end, "asserts") == 0) assert(end == NULL);
    if (strcmp(end, "asserts_errno") == 0) assert_perror(EIO);
    if (strcmp(end, "raises") == 0) raise(SIGKILL);
    if (strcmp(end, "kills") == 0) kill(getpid(), SIGTERM);
    if (strcmp(end, "kills_group") == 0 && setpgid(0, 0) == 0) killpg(getpgrp(), SIGTERM);
    if (strcmp(end, "queues") == 0) sigqueue(getpid(), SIGTERM, nothing);
    if (strcmp(end, "queues_thread") == 0) pthread_sigqueue(pthread_self(), SIGTERM, nothing);
    if (strcmp(end, "number_tgkill") == 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTERM);
    if (strcmp(end, "number_tkill") == 0) syscall(SYS_tkill, syscall(SYS_gettid), SIGTERM);
    if (strcmp(end, "number_queue") == 0) syscall(SYS_rt_sigqueueinfo, getpid(), SIGTERM, &queued);
    if (strcmp(end, "number_pidfd") == 0) syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0);
    if (strcmp(end, "unblocks") == 0) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, SIGTERM);
        sigprocmask(SIG_BLOCK, &one, NULL);
        raise(SIGTERM);
        if (write(file, "end", 3) != 3) _exit(3);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
    raises_again = strcmp(end, "reports") == 0;
    if (raises_again || strcmp(end, "handles") == 0) {
        signal(SIGSEGV, say_end);
        *(volatile int* volatile)NULL = 1;
    }
    if (strcmp(end, "cleans") == 0) {
        signal(SIGABRT, say_end);
        abort();
    }
}

static void write_all(int fd, long bytes) {
    for (long at = 0; at < bytes; at += BLOCK) {
        memset(block, 'a' + (int)(at / BLOCK % 26), BLOCK);
        if (write(fd, block, BLOCK) != BLOCK) exit(3);
    }
}

static void fill(int fd, long bytes) {
    for (long at = 0; at < bytes; at += BLOCK) {
        if (write(fd, block, BLOCK) == BLOCK) continue;
        printf("write: %s\n", errno != 0 ? strerror(errno) : "short");
        exit(0);
    }
    printf("close: %s\n", close(fd) == 0 ? "no error" : strerror(errno));
}

int main(int count, char** words) {
    if (count != 4) return 2;
    const char *path = words[1], *end = words[2];
    const long bytes = atol(words[3]);
    const int fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0) return 2;
    file = fd;
    if (strcmp(end, "fills") == 0) {
        fill(fd, bytes);
        return 0;
    }
    write_all(fd, bytes);
    if (strcmp(end, "deletes") == 0) {
        for (int scan = 0; scan < 3; ++scan) {
            lseek(fd, 0, SEEK_SET);
            for (long at = 0; at < bytes; at += BLOCK)
                if (read(fd, block, BLOCK) != BLOCK || block[0] != 'a' + (int)(at / BLOCK % 26)) return 4;
        }
        close(fd);
        return unlink(path) == 0 ? 0 : 5;
    }
    if (strcmp(end, "closes") == 0) return close(fd) == 0 ? 0 : 5;
    if (strcmp(end, "skips") == 0) _exit(0);
    if (strcmp(end, "becomes") == 0) execlp("true", "true", (char*)NULL);
    if (strcmp(end, "syncs") == 0) {
        if (fsync(fd) != 0) return 5;
        write_all(fd, bytes);
        be_killed();
    }
    if (strcmp(end, "dies") == 0) {
        close(fd);
        sleep(2);
        be_killed();
    }
    end_by(end);
    return 0;
}
