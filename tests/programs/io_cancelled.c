/* Threads that do nothing but one call on a file, without end, until they are cancelled; and one that was cancelled
 * before, of which calls by number still return.
 *
 *   io_cancelled FOLDER */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WAYS = 7 };

static int file;
static volatile int has_begun;

static void call(int way) {
    char bytes[4] = "abcd";
    const struct iovec part = {bytes, 4};
    switch (way) {
        case 0:
            (void)!read(file, bytes, 4);
            break;
        case 1:
            (void)!pread(file, bytes, 4, 0);
            break;
        case 2:
            (void)!preadv(file, &part, 1, 0);
            break;
        case 3:
            (void)!pwrite(file, bytes, 4, 0);
            break;
        case 4:
            lseek(file, 0, SEEK_SET);
            (void)!writev(file, &part, 1);
            break;
        case 5:
            fallocate(file, 0, 0, 8);
            break;
        case 6:
            fsync(file);
            break;
    }
}

static void* without_end(void* way) {
    for (;;) {
        call(*(int*)way);
        has_begun = 1;
    }
    return NULL;
}

static void* by_number(void* unused) {
    char bytes[4] = "";
    pthread_cancel(pthread_self());
    printf("read by number %ld\n", syscall(SYS_pread64, file, bytes, 4UL, 0L));
    fflush(NULL);
    pthread_testcancel();
    return unused;
}

static void join(const char* what, pthread_t thread) {
    void* result;
    pthread_join(thread, &result);
    printf("%s: %s\n", what, result == PTHREAD_CANCELED ? "cancelled" : "ended");
}

int main(int count, char** arguments) {
    if (count != 2 || chdir(arguments[1]) != 0) return 2;
    file = open("scratch", O_CREAT | O_RDWR, 0600);
    if (write(file, "first", 5) != 5) return 3;
    pthread_t thread;
    for (int way = 0; way < WAYS; ++way) {
        has_begun = 0;
        pthread_create(&thread, NULL, without_end, &way);
        while (!has_begun) usleep(1000);
        pthread_cancel(thread);
        join("thread", thread);
    }
    pthread_create(&thread, NULL, by_number, NULL);
    join("by number", thread);
    return pwrite(file, "last", 4, 5) == 4 ? 0 : 4; /* nothing is held any more */
}
