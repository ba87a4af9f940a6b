/* Threads of one program on the same files:  io_together FOLDER WHAT
 *
 *   appends   one appends; the other writes where the file ends, and finds what it wrote
 *   cuts      one appends lines; the other empties the file: it never has a gap
 *   reads     three open a file at once; then it is emptied by an open for reading, and all three see that
 *   forks     one opens and closes files while the other forks by _Fork: the child can open files, too
 *   numbers   likewise, by the number of the system call
 *   tables    one has descriptors of its own (close_range), with numbers that the other has for other files
 *
 * Prints how often it was otherwise. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 64, TURNS = 300000, READERS = 3 };

static const char* folder;
static atomic_int over, wrong;
static pthread_barrier_t together;
static int readers[READERS];

static int open_in(const char* name, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, flags, 0644);
    if (fd < 0) abort();
    return fd;
}

static void write_line(int fd, char what) {
    char line[LINE];
    memset(line, what, LINE);
    if (write(fd, line, LINE) != LINE) abort();
}

static void* append(void* unused) {
    const int fd = open_in("log", O_WRONLY | O_APPEND | O_CREAT);
    for (int i = 0; i < TURNS; ++i) write_line(fd, 'a');
    over = 1;
    return unused;
}

static void* write_at_end(void* unused) {
    const int fd = open_in("log", O_RDWR | O_CREAT);
    char line[LINE], got[LINE];
    memset(line, 'B', LINE);
    while (!over) {
        const off_t end = lseek(fd, 0, SEEK_END);
        if (pwrite(fd, line, LINE, end) != LINE || pread(fd, got, LINE, end) != LINE) abort();
        wrong += memcmp(line, got, LINE) != 0;
    }
    return unused;
}

static void* cut(void* unused) {
    const int fd = open_in("log", O_RDWR | O_CREAT);
    char first = 0;
    while (!over) {
        if (pread(fd, &first, 1, 0) == 1) wrong += first != 'a';
        if (ftruncate(fd, 0) != 0) abort();
    }
    return unused;
}

static void* open_together(void* place) {
    pthread_barrier_wait(&together);
    *(int*)place = open_in("input", O_RDONLY);
    return NULL;
}

static void read_together(void) {
    pthread_t threads[READERS];
    char got[LINE];
    pthread_barrier_init(&together, NULL, READERS);
    for (int round = 0; round < 500; ++round) {
        const int made = open_in("input", O_WRONLY | O_CREAT | O_TRUNC);
        write_line(made, 'a');
        close(made);
        for (int i = 0; i < READERS; ++i) pthread_create(&threads[i], NULL, open_together, &readers[i]);
        for (int i = 0; i < READERS; ++i) pthread_join(threads[i], NULL);
        for (int i = 0; i < READERS; ++i) wrong += pread(readers[i], got, LINE, 0) != LINE;
        close(open_in("input", O_RDONLY | O_TRUNC));
        for (int i = 0; i < READERS; ++i) wrong += pread(readers[i], got, LINE, 0) != 0;
        for (int i = 0; i < READERS; ++i) close(readers[i]);
    }
}

static void* open_and_close(void* unused) {
    for (int i = 0; !over; ++i) {
        const char name[] = {'o', (char)('0' + i % 5), '\0'};
        const int fd = open_in(name, O_RDWR | O_CREAT | O_TRUNC);
        write_line(fd, 'a');
        close(fd);
    }
    return unused;
}

static void fork_together(int by_number) {
    pthread_t thread;
    pthread_create(&thread, NULL, open_and_close, NULL);
    const int kept = open_in("kept", O_RDWR | O_CREAT);
    for (int round = 0; round < 500 && !wrong; ++round) {
        const pid_t child = by_number ? (pid_t)syscall(SYS_fork) : _Fork();
        if (child == 0) {
            alarm(5);
            const int fd = open_in("child", O_RDWR | O_CREAT);
            char got[LINE] = "";
            write_line(fd, 'c');
            const int is_there = pread(fd, got, LINE, 0) == LINE && got[LINE - 1] == 'c';
            close(fd);
            _exit(is_there ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        wrong += status != 0;
    }
    over = 1;
    pthread_join(thread, NULL);
    close(kept);
}

static void* write_own(void* unused) {
    syscall(SYS_close_range, 3U, ~0U, 2U /* CLOSE_RANGE_UNSHARE */);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    const int fd = open_in("second", O_RDWR | O_CREAT);
    write_line(fd, 'b');
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    close(fd);
    return unused;
}

static void use_tables(void) {
    pthread_t thread;
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&thread, NULL, write_own, NULL);
    pthread_barrier_wait(&together);
    const int fd = open_in("first", O_RDWR | O_CREAT);
    write_line(fd, 'a');
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    write_line(fd, 'a');
    pthread_barrier_wait(&together);
    pthread_join(thread, NULL);
    close(fd);
}

static void both(void* (*one)(void*), void* (*other)(void*)) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(int count, char** words) {
    if (count != 3) return 2;
    folder = words[1];
    const char* what = words[2];
    if (strcmp(what, "appends") == 0) both(append, write_at_end);
    if (strcmp(what, "cuts") == 0) both(append, cut);
    if (strcmp(what, "reads") == 0) read_together();
    if (strcmp(what, "forks") == 0) fork_together(0);
    if (strcmp(what, "numbers") == 0) fork_together(1);
    if (strcmp(what, "tables") == 0) use_tables();
    printf("%d\n", wrong);
    return 0;
}
