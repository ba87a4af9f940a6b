/* Signal handlers that work on the files that the program is working on, at moments that nobody chose.
 *
 *   io_signals FOLDER SEED STEPS [fork] [jump] [threads] [append]
 *
 * The program and its handlers write records of their own into one file through one open file; each write is whole, and
 * comes once. What a handler left by longjmp interrupted was done or was not. It exits with 1 and says what is wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 4, MOST = 1 << 20 };
enum { MAIN, HANDLER, CHILD, THREAD };

typedef struct {
    uint32_t bytes, writer, number;
} head;

static const char* folder;
static char log_name[4096];
static int forks, jumps, appends;
static volatile int fd = -1, own = -1; /* the shared log; a file that only handlers work on */
static volatile uint32_t written[WRITERS], in_flight = UINT32_MAX;
static unsigned char unsure[MOST]; /* MAIN's records that a jump interrupted */
static volatile long handled;
static sigjmp_buf back;
static volatile sig_atomic_t may_jump, busy_child;
static pthread_t main_thread;

static void fail(const char* what, ...) { /* async-signal-safe enough to end with */
    char text[512];
    va_list rest;
    va_start(rest, what);
    int length = vsnprintf(text, sizeof text, what, rest);
    va_end(rest);
    if (write(2, text, (size_t)length) < 0 || write(2, "\n", 1) < 0) _exit(3);
    _exit(1);
}

static uint64_t scramble(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void put(int to, uint32_t writer, uint32_t number, uint32_t bytes) {
    char record[9000];
    head first = {bytes, writer, number};
    memset(record, 'a' + (int)(number % 26), bytes);
    memcpy(record, &first, sizeof first);
    ssize_t put_bytes = write(to, record, bytes);
    if (put_bytes != (ssize_t)bytes) fail("writer %u: write says %zd, errno %d", writer, put_bytes, errno);
}

static void work_on_own(uint64_t chance) {
    uint64_t word = chance, again = 0;
    off_t at = (off_t)(chance % 5000) * 8;
    if (pwrite(own, &word, 8, at) != 8 || pread(own, &again, 8, at) != 8 || again != word) fail("pwrite in a handler");
    if (lseek(own, at, SEEK_SET) != at || read(own, &again, 8) != 8 || again != word) fail("lseek in a handler");
}

static void open_another(uint64_t chance) {
    char name[4200], text[3000], again[3000];
    snprintf(name, sizeof name, "%s/other.%d", folder, (int)(chance % 7));
    int other = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (other < 0) fail("open in a handler: errno %d", errno);
    memset(text, (int)(chance % 200), sizeof text);
    if (write(other, text, sizeof text) != (ssize_t)sizeof text) fail("write in a handler");
    if (pread(other, again, sizeof again, 0) != (ssize_t)sizeof again || memcmp(text, again, sizeof text) != 0)
        fail("read in a handler");
    if (chance % 3 == 0 && unlink(name) != 0) fail("unlink in a handler");
    if (close(other) != 0) fail("close in a handler");
}

static void start_child(void) {
    pid_t child = fork();
    if (child < 0) fail("fork in a handler: errno %d", errno);
    if (child == 0) {
        put(fd, CHILD, written[CHILD], 40);
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid: errno %d", errno);
    if (status != 0) fail("a child ended with %d", status);
    written[CHILD]++;
}

static void on_alarm(int number, siginfo_t* info, void* context) {
    (void)context;
    if (number != SIGALRM && info->si_value.sival_int != 4711) fail("a signal lost what it carries");
    const int error = errno;
    uint64_t chance = scramble((uint64_t)handled * 31 + written[MAIN]);
    handled++;
    if (fd >= 0) {
        put(fd, HANDLER, written[HANDLER], 24 + (uint32_t)(chance % 100));
        written[HANDLER]++;
    }
    work_on_own(chance);
    if (chance % 4 == 1) open_another(chance >> 8);
    if (forks && chance % 8 == 2 && fd >= 0) start_child();
    errno = error;
    if (jumps && may_jump && chance % 3 == 0 && pthread_equal(pthread_self(), main_thread)) siglongjmp(back, 1);
}

static void block(int how) {
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGALRM);
    sigaddset(&both, SIGRTMIN);
    pthread_sigmask(how, &both, NULL);
}

static void reopen(int first) { /* handlers see the log open, or not at all */
    block(SIG_BLOCK);
    if (fd >= 0) close(fd);
    fd = open(log_name, O_RDWR | (first ? O_CREAT | O_TRUNC : 0) | (appends ? O_APPEND : 0), 0600);
    if (fd < 0) fail("open: errno %d", errno);
    if (!appends && lseek(fd, 0, SEEK_END) < 0) fail("lseek: errno %d", errno);
    block(SIG_UNBLOCK);
}

static void* write_beside(void* steps) {
    char name[4200], text[100], again[100];
    snprintf(name, sizeof name, "%s/beside", folder);
    int beside = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (long i = 0; i < (long)steps; ++i) {
        memset(text, (int)(i % 100), sizeof text);
        if (pwrite(beside, text, 100, i % 50 * 90) != 100 || pread(beside, again, 100, i % 50 * 90) != 100 ||
            memcmp(text, again, 100) != 0)
            fail("a thread beside reads something else");
    }
    close(beside);
    return NULL;
}

static void check(void) {
    off_t size = lseek(fd, 0, SEEK_END);
    char* all = malloc((size_t)size + 1);
    if (pread(fd, all, (size_t)size, 0) != size) fail("cannot read the log");
    uint32_t next[WRITERS] = {0};
    for (off_t at = 0; at < size;) {
        head record;
        if (size - at < (off_t)sizeof record) fail("a piece of a record at the end");
        memcpy(&record, all + at, sizeof record);
        if (record.writer >= WRITERS || record.bytes < sizeof record || record.bytes > 9000)
            fail("at %ld of %ld: no record", (long)at, (long)size);
        for (uint32_t i = sizeof record; i < record.bytes; ++i)
            if (all[at + i] != 'a' + (int)(record.number % 26)) fail("at %ld: a record is torn", (long)at);
        while (record.writer == MAIN && next[MAIN] < record.number && unsure[next[MAIN]]) next[MAIN]++;
        if (record.number != next[record.writer])
            fail("at %ld: record %u of writer %u, not %u", (long)at, record.number, record.writer, next[record.writer]);
        next[record.writer]++;
        at += record.bytes;
    }
    while (next[MAIN] < written[MAIN] && unsure[next[MAIN]]) next[MAIN]++;
    for (int i = 0; i < WRITERS; ++i)
        if (next[i] != written[i]) fail("writer %d: %u records of %u", i, next[i], written[i]);
    free(all);
}

int main(int count, char** arguments) {
    folder = arguments[1];
    uint64_t seed = strtoull(arguments[2], NULL, 0);
    long steps = atol(arguments[3]);
    int threads = 0;
    for (int i = 4; i < count; ++i) {
        forks |= strcmp(arguments[i], "fork") == 0;
        jumps |= strcmp(arguments[i], "jump") == 0;
        threads |= strcmp(arguments[i], "threads") == 0;
        appends |= strcmp(arguments[i], "append") == 0;
    }
    char own_name[4200];
    snprintf(log_name, sizeof log_name, "%s/log", folder);
    snprintf(own_name, sizeof own_name, "%s/own", folder);
    own = open(own_name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    main_thread = pthread_self();
    reopen(1);
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_alarm;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGALRM);
    sigaddset(&action.sa_mask, SIGRTMIN);
    if (sigaction(SIGALRM, &action, NULL) != 0 || sigaction(SIGRTMIN, &action, NULL) != 0) fail("sigaction");
    if (sigaction(SIGALRM, NULL, &before) != 0 || before.sa_sigaction != on_alarm) fail("another handler than ours");
    pthread_t beside;
    block(SIG_BLOCK); /* handlers are the main thread's */
    if (threads && pthread_create(&beside, NULL, write_beside, (void*)steps) != 0) fail("pthread_create");
    block(SIG_UNBLOCK);
    struct itimerval often = {{0, 400}, {0, 400}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    volatile long step = 0;
    if (sigsetjmp(back, 1) != 0) {
        if (in_flight != UINT32_MAX) {
            unsure[in_flight % MOST] = 1;
            written[MAIN] = in_flight + 1;
        }
    }
    for (; step < steps; ++step) {
        uint64_t chance = scramble(seed * 1000003 + (uint64_t)step);
        if (chance % 61 == 0) {
            may_jump = 0;
            reopen(0);
        }
        if (chance % 97 == 1) {
            union sigval carried = {.sival_int = 4711};
            sigqueue(getpid(), SIGRTMIN, carried);
        }
        in_flight = written[MAIN];
        may_jump = 1;
        put(fd, MAIN, written[MAIN], 12 + (uint32_t)(chance >> 20) % (chance % 5 == 0 ? 8000 : 300));
        may_jump = 0;
        written[MAIN]++;
        in_flight = UINT32_MAX;
        if (chance % 7 == 3) {
            struct stat status;
            if (fstat(fd, &status) != 0) fail("fstat");
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    block(SIG_BLOCK);
    if (threads) pthread_join(beside, NULL);
    check();
    printf("%ld\n", (long)handled);
    return 0;
}
