// Hands a file's calls buffers that are not there in part, and handles the signals of faults: by a jump away, by a
// return after mending the memory, or once only. Each call has a file of its own, which it may make leave the cache.
// The kernel moves what is there, or answers EFAULT, and sends no signal. Then another thread uses the file as before,
// and what the program reads of it is on the disk when it is closed.
//   io_faults FILE
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 16 };

static sigjmp_buf away;
static char* pages;
static int fd;
static const char* path;

static void jump(int signal) {
    (void)signal;
    siglongjmp(away, 1);
}

static void mend(int signal) {
    (void)signal;
    mprotect(pages, PAGES * PAGE, PROT_READ | PROT_WRITE);
}

static void say(const char* what, ssize_t result) {
    const int error = result < 0 ? errno : 0;
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    printf("%s %zd errno %d, blocked %d\n", what, result, error, sigismember(&blocked, SIGSEGV));
    mprotect(pages, PAGES * PAGE, PROT_READ | PROT_WRITE);
}

static void begin(void) {
    fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    mprotect(pages, PAGES * PAGE, PROT_READ | PROT_WRITE);
    if (pwrite(fd, pages, PAGES * PAGE, 0) != PAGES * PAGE) _exit(2);
    lseek(fd, 10, SEEK_SET);
}

static void* in_another_thread(void* nothing) {
    char bytes[100];
    printf("another thread %zd\n", pread(fd, bytes, sizeof bytes, PAGE));
    return nothing;
}

static unsigned long sum(const unsigned char* bytes, size_t count) {
    unsigned long all = count;
    while (count-- > 0) all = all * 31 + *bytes++;
    return all;
}

static void end(void) {
    static unsigned char whole[2 * PAGES * PAGE];
    pthread_t thread;
    pthread_create(&thread, NULL, in_another_thread, NULL);
    pthread_join(thread, NULL);
    printf("at %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    const ssize_t bytes = pread(fd, whole, sizeof whole, 0);
    printf("reads %lx", sum(whole, bytes > 0 ? bytes : 0));
    close(fd);
    FILE* file = fopen(path, "r");
    printf(", on disk %lx\n", sum(whole, fread(whole, 1, sizeof whole, file)));
    fclose(file);
}

#define TRY(call)                                        \
    do {                                                 \
        begin();                                         \
        mprotect(pages + 2 * PAGE, 2 * PAGE, PROT_NONE); \
        if (sigsetjmp(away, 1) == 0)                     \
            say(#call, call);                            \
        else                                             \
            printf(#call " was left by a jump\n");       \
        end();                                           \
    } while (0)

static void buffers(void) {
    char good[8];
    const struct iovec parts[2] = {{good, sizeof good}, {pages + 2 * PAGE, 100}};
    TRY(pwrite(fd, pages + 2 * PAGE, 100, 0));
    TRY(pwrite(fd, pages + 2 * PAGE, 3 * PAGE, 0));
    TRY(pwrite(fd, pages, 5 * PAGE, 0));
    TRY(pread(fd, pages + 2 * PAGE, 100, 0));
    TRY(pread(fd, pages + 2 * PAGE, 3 * PAGE, 0));
    TRY(pread(fd, pages, 5 * PAGE, 0));
    TRY(preadv(fd, parts, 2, 0));
    TRY(pwritev(fd, parts, 2, 0));
    TRY(read(fd, pages + 2 * PAGE, 50));
    TRY(write(fd, pages + 2 * PAGE, 50));
    memset(pages, 'b', PAGES * PAGE);
    TRY(pwrite(fd, pages + 2 * PAGE - 30, 100, 50));
    TRY(pwrite(fd, pages + 2 * PAGE - 1000, 4000, 100));
    TRY(pwrite(fd, pages + 2 * PAGE - 1000, 4 * PAGE, 100));
    TRY(pwrite(fd, pages + PAGE + 10, 4 * PAGE, 20 * PAGE + 5));
    TRY(write(fd, pages + 1, PAGES * PAGE - 1));
    TRY(pread(fd, pages + 2 * PAGE - 30, 100, 50));
    TRY(pread(fd, pages + PAGE + 10, 4 * PAGE, 5));
    memset(pages, 'a', PAGES * PAGE);
}

int main(int count, char** arguments) {
    static const struct {
        const char* name;
        void (*handler)(int);
        int flags;
    } ways[] = {{"jump", jump, 0}, {"mend", mend, 0}, {"once", jump, SA_RESETHAND}, {"on a stack", jump, SA_ONSTACK}};
    static char other[64 << 10];
    path = arguments[count - 1];
    const stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    sigaltstack(&stack, NULL);
    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 'a', PAGES * PAGE);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        struct sigaction action = {.sa_handler = ways[i].handler, .sa_flags = ways[i].flags};
        sigaction(SIGSEGV, &action, NULL);
        sigaction(SIGBUS, &action, NULL);
        printf("%s\n", ways[i].name);
        buffers();
        struct sigaction now;
        sigaction(SIGSEGV, NULL, &now);
        printf("still handled: %d\n", now.sa_handler == ways[i].handler);
        mprotect(pages, PAGE, PROT_NONE);  // a fault of the program's own
        if (sigsetjmp(away, 1) == 0) pages[5] = 'b';
        mprotect(pages, PAGE, PROT_READ | PROT_WRITE);
        printf("%c\n", pages[5]);
    }
    return 0;
}
