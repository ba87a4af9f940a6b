/* Ends itself while another thread writes:  io_ends_beside FOLDER LOG abort|raise|kill|fault|again
 *
 * By a fault it ends after a handler; again: a handler raises its signal once more.
 *
 * The thread writes numbers into one file, and how many in LOG, memory that outlives the process; another file has much
 * that is still to be written back at the end.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE = 16 << 20, PIECE = 1 << 20, BEFORE = 100 };

static _Atomic long* written;
static int numbers;

static int open_in(const char* folder, const char* name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0) _exit(2);
    return fd;
}

static void* write_numbers(void* unused) {
    for (long i = 0;; ++i) {
        if (pwrite(numbers, &i, sizeof i, i * (long)sizeof i) != sizeof i) _exit(3);
        atomic_store(written, i + 1);
    }
    return unused;
}

static void give_up(int number) { signal(number, SIG_DFL); }

static void give_up_and_raise(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

int main(int count, char** arguments) {
    static char piece[PIECE];
    pthread_t thread;
    if (count != 4) return 2;
    const int log = open(arguments[2], O_RDWR);
    written = mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
    if (written == MAP_FAILED) return 2;
    numbers = open_in(arguments[1], "numbers");
    const int large = open_in(arguments[1], "large");
    memset(piece, 1, sizeof piece);
    for (long at = 0; at < LARGE; at += PIECE)
        if (pwrite(large, piece, PIECE, at) != PIECE) return 2;
    if (pthread_create(&thread, NULL, write_numbers, NULL) != 0) return 2;
    while (atomic_load(written) < BEFORE) usleep(100);
    const char* end = arguments[3];
    if (strcmp(end, "abort") == 0) abort();
    if (strcmp(end, "raise") == 0) raise(SIGKILL);
    if (strcmp(end, "kill") == 0) kill(getpid(), SIGTERM);
    if (strcmp(end, "again") == 0) {
        signal(SIGTERM, give_up_and_raise);
        raise(SIGTERM);
    }
    signal(SIGSEGV, give_up);
    *(volatile int* volatile)NULL = 1;
    return 2;
}
