/* What a program is told of its signal handlers, and how often they run: the same with its files in a cache.
 *
 *   io_handlers FILE */
#define _GNU_SOURCE
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int called;
static void plain(int number) { called += number > 0; }
static void other(int number) { called += 100 * (number > 0); }
static void asks(int number, siginfo_t* info, void* context) { called += number == info->si_signo && context != NULL; }

static const char* name_of(void* handler) {
    if (handler == (void*)SIG_DFL) return "default";
    if (handler == (void*)SIG_IGN) return "ignore";
    if (handler == (void*)SIG_ERR) return "error";
    if (handler == (void*)SIG_HOLD) return "hold";
    if (handler == (void*)plain) return "plain";
    if (handler == (void*)other) return "other";
    return handler == (void*)asks ? "asks" : "?";
}

static void show(const char* what, int number) {
    struct sigaction now;
    sigaction(number, NULL, &now);
    const unsigned kept = SA_SIGINFO | SA_RESTART | SA_RESETHAND | SA_NODEFER | SA_ONSTACK;
    printf("%s: %s %x, mask of itself %d\n", what, name_of((void*)now.sa_handler), (unsigned)now.sa_flags & kept,
           sigismember(&now.sa_mask, number));
}

static pthread_t target;
static volatile int done;
static void* disturb(void* unused) { /* one signal at a time, each handled once */
    for (int i = 0; i < 300; ++i) {
        struct sigaction once;
        memset(&once, 0, sizeof once);
        once.sa_handler = plain;
        once.sa_flags = SA_RESETHAND;
        int before = called;
        if (sigaction(SIGUSR2, &once, NULL) != 0 || pthread_kill(target, SIGUSR2) != 0) return unused;
        while (called == before) usleep(10);
    }
    done = 1;
    return NULL;
}

int main(int count, char** arguments) {
    (void)count;
    int fd = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    printf("%s\n", name_of((void*)signal(SIGUSR1, plain)));
    show("signal", SIGUSR1);
    printf("%s\n", name_of((void*)signal(SIGUSR1, SIG_IGN)));
    printf("%s\n", name_of((void*)signal(SIGUSR1, other)));
    raise(SIGUSR1);
    printf("called %d\n", called);
    siginterrupt(SIGUSR1, 1);
    show("siginterrupt", SIGUSR1);
    signal(SIGUSR1, other);
    show("signal after it", SIGUSR1);
    printf("%s\n", name_of((void*)sysv_signal(SIGUSR1, plain)));
    show("sysv_signal", SIGUSR1);
    raise(SIGUSR1);
    show("and once called", SIGUSR1);
    printf("%s\n", name_of((void*)sigset(SIGUSR1, plain)));
    printf("%s\n", name_of((void*)sigset(SIGUSR1, SIG_HOLD)));
    raise(SIGUSR1);
    printf("held: called %d\n", called);
    printf("%s\n", name_of((void*)sigset(SIGUSR1, other)));
    printf("called %d\n", called);
    printf("%s %d\n", name_of((void*)signal(SIGKILL, plain)), errno);
    printf("%s %d\n", name_of((void*)signal(0, plain)), errno);
    printf("%s %d\n", name_of((void*)signal(65, plain)), errno);
    printf("%s %d\n", name_of((void*)signal(SIGUSR1, SIG_ERR)), errno);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = asks;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
    show("sigaction", SIGUSR1);
    raise(SIGUSR1);
    printf("called %d\n", called);
    if (vfork() == 0) { /* has our memory, and handlers of its own */
        signal(SIGUSR1, SIG_DFL);
        _exit(0);
    }
    wait(NULL); /* it has closed what it inherited */
    show("after a child of vfork", SIGUSR1);
    raise(SIGUSR1);
    printf("called %d\n", called);
    close(fd);
    unlink(arguments[1]); /* one made within a tick of the kernel's clock after the job began passes for older */
    fd = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    called = 0;
    target = pthread_self();
    pthread_t beside;
    pthread_create(&beside, NULL, disturb, NULL);
    char text[4096] = "text", again[4096];
    int wrong = 0;
    for (int i = 0; !done; ++i) {
        wrong += pwrite(fd, text, sizeof text, i % 100 * 4096L) != sizeof text;
        wrong +=
            pread(fd, again, sizeof again, i % 100 * 4096L) != sizeof again || memcmp(text, again, sizeof text) != 0;
    }
    pthread_join(beside, NULL);
    printf("called once each time: %d, wrong %d\n", called, wrong);
    show("then", SIGUSR2);
    return 0;
}
