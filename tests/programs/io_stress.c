/* Random calls on real files, from a seed: what they return depends on nothing else, so that two runs that differ in
 * their output differ in what the file system did.
 *
 *   io_stress FOLDER SEED STEPS [THREADS] [verbose|observed]
 *
 * Each thread works on files of its own, calmly where SEED is odd. It prints a hash of all that its calls returned and
 * read, from time to time and at the end; with "verbose" after each call. With "observed" a process that knows nothing
 * of us looks at the files by their names meanwhile: at their sizes at any moment, at all of them when they are closed.
 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "io_stress/observer.h"
#include "io_stress/worker.h"

static void empty(worker* w, int s) {
    if (w->fds[s] < 0) return;
    const int closed = close(w->fds[s]);
    w->fds[s] = -1; /* before the note: it prints */
    note(w, "close", closed);
}

static void open_one(worker* w) {
    static const int access[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR};
    const int s = slot(w);
    int flags = access[below(w, 4)];
    if (below(w, 4)) flags |= O_CREAT;
    if (!below(w, w->calm ? 60 : 6)) flags |= O_TRUNC;
    if (!below(w, 5)) flags |= O_APPEND;
    if (!below(w, 12)) flags |= O_EXCL;
    if (!below(w, 2)) flags |= O_CLOEXEC;
    if (!below(w, w->calm ? 4000 : 40)) flags |= O_SYNC;
    if ((flags & (O_EXCL | O_CREAT)) == O_EXCL) flags &= ~O_EXCL; /* without O_CREAT it means nothing */
    const char* path = name(w);
    empty(w, s);
    const int fd = below(w, 3) ? open(path, flags, 0644) : openat(AT_FDCWD, path, flags, 0644);
    w->fds[s] = fd;
    note(w, "open", fd < 0 ? -1 : 0);
}

/* As Fortran's SCRATCH files: without a name from the beginning. */
static void open_nameless(worker* w) {
    const int s = slot(w);
    char path[256];
    empty(w, s);
    snprintf(path, sizeof path, "%s/t%d.XXXXXX", folder, w->number);
    w->fds[s] = below(w, 2) ? mkstemp(path) : mkostemp(path, below(w, 2) ? O_CLOEXEC : O_APPEND);
    note(w, "mkstemp", w->fds[s] < 0 ? -1 : 0);
    note(w, "unlink", unlink(path));
}

static void read_one(worker* w, int fd) {
    size_t bytes = amount(w);
    const off_t at = place(w);
    struct iovec parts[3] = {{w->data, bytes / 3}, {w->data + bytes / 3, 0}, {w->data + bytes / 3, bytes - bytes / 3}};
    ssize_t got;
    switch (below(w, 4)) {
        case 0:
            got = read(fd, w->data, bytes);
            break;
        case 1:
            got = pread(fd, w->data, bytes, at);
            break;
        case 2:
            got = readv(fd, parts, 3);
            break;
        default:
            got = preadv(fd, parts, 3, at);
            break;
    }
    if (got > 0) note_bytes(w, w->data, (size_t)got);
    note(w, "read", got);
}

static void write_one(worker* w, int fd) {
    size_t bytes = amount(w);
    const off_t at = place(w);
    struct iovec parts[3] = {{w->data, bytes / 3}, {w->data + bytes / 3, 0}, {w->data + bytes / 3, bytes - bytes / 3}};
    ssize_t put;
    fill(w, bytes);
    if (size_of(fd) > 2 * LARGEST) bytes = 0; /* appended to for long */
    if (bytes == 0) parts[0].iov_len = parts[2].iov_len = 0;
    switch (below(w, 4)) {
        case 0:
            put = write(fd, w->data, bytes);
            break;
        case 1:
            put = pwrite(fd, w->data, bytes, at);
            break;
        case 2:
            put = writev(fd, parts, 3);
            break;
        default:
            put = pwritev(fd, parts, 3, at);
            break;
    }
    note(w, "write", put);
}

static void seek_one(worker* w, int fd) {
    static const int whences[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    const int whence = whences[below(w, 3)];
    off_t offset = place(w);
    if (whence == SEEK_END || below(w, 10) == 0) offset = -offset / 2;
    note(w, "lseek", lseek(fd, offset, whence));
}

/* Nothing is open any more. */
static void settle(worker* w) {
    for (int s = 0; s < SLOTS; ++s) empty(w, s);
    for (int n = 0; n < NAMES; ++n) look(w, "all", w->names[n]);
}

static void set_times(worker* w, int fd) {
    const char* path = name(w);
    const time_t then = 1000000000 + below(w, 1000000);
    const struct timeval micro[2] = {{then + 1, 0}, {then, 0}};
    const struct timespec nano[2] = {{then + 1, 0}, {then, 0}};
    const struct utimbuf both = {then + 1, then};
    int result;
    switch (below(w, 7)) {
        case 0:
            result = utime(path, &both);
            break;
        case 1:
            result = utimes(path, micro);
            break;
        case 2:
            result = lutimes(path, micro);
            break;
        case 3:
            result = futimes(fd, micro);
            break;
        case 4:
            result = futimesat(AT_FDCWD, path, micro);
            break;
        case 5:
            result = utimensat(AT_FDCWD, path, nano, 0);
            break;
        default:
            result = futimens(fd, nano);
    }
    note(w, "utime", result);
}

static void set_mode(worker* w, int fd) {
    static const mode_t modes[] = {0600, 0644, 0640};
    const mode_t mode = modes[below(w, 3)];
    switch (below(w, 3)) {
        case 0:
            note(w, "chmod", chmod(name(w), mode));
            break;
        case 1:
            note(w, "fchmodat", fchmodat(AT_FDCWD, name(w), mode, 0));
            break;
        default:
            note(w, "fchmod", fchmod(fd, mode));
    }
}

static void ask(worker* w, int fd) {
    struct stat status;
    struct statx more;
    const char* path = name(w);
    int result;
    time_t seconds = 0;
    status.st_size = -1;
    switch (below(w, 5)) {
        case 0:
            result = stat(path, &status);
            break;
        case 1:
            result = lstat(path, &status);
            break;
        case 2:
            result = fstat(fd, &status);
            break;
        case 3:
            result = fstatat(AT_FDCWD, path, &status, 0);
            break;
        default:
            result = statx(AT_FDCWD, path, 0, STATX_SIZE | STATX_MTIME, &more);
            if (result == 0) status.st_size = (off_t)more.stx_size;
            if (result == 0) seconds = more.stx_mtime.tv_sec;
    }
    if (result == 0 && seconds == 0) seconds = status.st_mtime;
    note(w, "stat", result < 0 ? -1 : status.st_size);
    if (result == 0) note(w, "mtime", age(seconds));
}

static void resize(worker* w, int fd) {
    switch (below(w, 4)) {
        case 0:
            if (!w->calm || !below(w, 50)) note(w, "truncate", truncate(name(w), place(w)));
            break;
        case 1: {
            const off_t at = place(w);
            note(w, "fallocate", fallocate(fd, below(w, 2) ? FALLOC_FL_KEEP_SIZE : 0, at, 1 + below(w, 5000)));
            break;
        }
        case 2: {
            const off_t at = place(w);
            if (!below(w, 4)) note(w, "posix_fallocate", posix_fallocate(fd, at, 1 + below(w, 5000)));
            break;
        }
        default:
            if (!w->calm || !below(w, 10)) note(w, "ftruncate", ftruncate(fd, place(w)));
    }
}

static void rename_one(worker* w) {
    const char *from = name(w), *to = name(w);
    switch (below(w, 5)) {
        case 0:
            note(w, "rename", rename(from, to));
            break;
        case 1:
            note(w, "link", link(from, to));
            break;
        case 2:
            note(w, "remove", remove(from));
            break;
        case 3:
            note(w, "unlinkat", unlinkat(AT_FDCWD, from, 0));
            break;
        default:
            note(w, "unlink", unlink(from));
    }
}

static void copy_descriptor(worker* w, int from) {
    const int to = slot(w);
    int fd;
    if (w->fds[to] >= 0 && below(w, 2)) {
        fd = below(w, 2) || w->fds[to] == from ? dup2(from, w->fds[to]) : dup3(from, w->fds[to], O_CLOEXEC);
        note(w, "dup2", fd < 0 ? -1 : 0);
        return;
    }
    fd = below(w, 2) ? dup(from) : fcntl(from, F_DUPFD_CLOEXEC, 3);
    if (w->fds[to] >= 0) {
        const int closed = close(w->fds[to]);
        note(w, "close", closed);
    }
    w->fds[to] = fd;
    note(w, "dup", fd < 0 ? -1 : 0);
}

static void control(worker* w, int fd) {
    static const int locks[] = {LOCK_SH, LOCK_EX, LOCK_UN};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int flags = fcntl(fd, F_GETFL);
    note(w, "F_GETFL", flags < 0 ? -1 : flags & (O_ACCMODE | O_APPEND));
    switch (below(w, 8)) {
        case 0:
            note(w, "F_SETFL", fcntl(fd, F_SETFL, flags ^ O_APPEND));
            break;
        case 1:
            if (alone) note(w, "flock", flock(fd, locks[below(w, 3)] | LOCK_NB));
            break;
        case 2:
            if (alone) note(w, "F_SETLK", fcntl(fd, F_SETLK, &lock));
            break;
        default:
            note(w, "F_GETFD", fcntl(fd, F_GETFD) & FD_CLOEXEC);
    }
}

static void map(worker* w, int fd) {
    const off_t size = size_of(fd);
    if (size == 0) return;
    const int writes = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
    unsigned char* mapped = mmap(NULL, (size_t)size, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    note(w, "mmap", mapped == MAP_FAILED ? -1 : 0);
    if (mapped == MAP_FAILED) return;
    const off_t at = below(w, size);
    note_bytes(w, mapped + at, (size_t)(size - at));
    if (writes) mapped[at] = (unsigned char)next(w);
    munmap(mapped, (size_t)size);
}

static void between(worker* w, int from) {
    const int to = w->fds[slot(w)];
    off_t at = place(w);
    if (to < 0) return;
    if (below(w, 2)) {
        note(w, "sendfile", sendfile(to, from, &at, amount(w)));
    } else {
        off_t there = place(w);
        note(w, "copy_file_range", copy_file_range(from, &at, to, &there, amount(w), 0));
    }
}

static void stream(worker* w, int fd) {
    static const char* modes[] = {"r", "a", "r+"};
    FILE* file;
    if (below(w, 2)) {
        file = fopen(name(w), modes[below(w, 3)]);
    } else {
        const int copy = dup(fd);
        file = copy >= 0 ? fdopen(copy, (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY ? "a" : "r") : NULL;
        if (file == NULL && copy >= 0) close(copy);
    }
    note(w, "stream", file == NULL ? -1 : 0);
    if (file == NULL) return;
    const size_t got = fread(w->data, 1, amount(w), file);
    note_bytes(w, w->data, got);
    note(w, "fread", (long)got);
    fclose(file);
}

static void by_number(worker* w, int fd) { /* the file once more, by the name of its descriptor */
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int again = open(path, O_RDONLY);
    note(w, "open /proc/self/fd", again < 0 ? -1 : 0);
    if (again < 0) return;
    read_one(w, again);
    close(again);
}

static void asynchronous(worker* w, int fd) {
    struct aiocb request = {.aio_fildes = fd, .aio_buf = w->data, .aio_nbytes = amount(w), .aio_offset = place(w)};
    const struct aiocb* list[] = {&request};
    const int began = aio_read(&request);
    note(w, "aio_read", began);
    if (began != 0) return;
    while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, NULL);
    const int error = aio_error(&request);
    const ssize_t got = aio_return(&request);
    if (got > 0) note_bytes(w, w->data, (size_t)got);
    note(w, "aio_return", error ? -error : got);
}

static void wait_for(worker* w, const char* how, pid_t child) {
    int status = -1;
    if (child > 0) waitpid(child, &status, 0);
    note(w, how, child < 0 ? -1 : status);
}

/* Another process reads a file of ours by its name, and writes to it: `poke` at its beginning. */
static int poke(const char* path, const char* seed) {
    static worker w;
    w.random = strtoull(seed, NULL, 10);
    const int fd = open(path, O_RDWR);
    if (fd < 0) return 2;
    for (ssize_t got; (got = read(fd, w.data, BUFFER)) > 0;) note_bytes(&w, w.data, (size_t)got);
    fill(&w, 100);
    if (pwrite(fd, w.data, 100, below(&w, LARGEST)) != 100) return 3;
    close(fd);
    return (int)(w.hash % 200) + 4;
}

static void with_child(worker* w, int fd) {
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)next(w));
    const char* path = name(w);
    char* words[] = {(char*)self, "poke", (char*)path, seed, NULL};
    pid_t child;
    switch (below(w, 4)) {
        case 0:
            child = fork(); /* works on with descriptors that it shares with us */
            if (child == 0) {
                worker* mine = w;
                mine->verbose = 0;
                for (int i = 0; i < 5; ++i) {
                    write_one(mine, fd);
                    seek_one(mine, fd);
                    read_one(mine, fd);
                }
                _exit((int)(mine->hash & 127));
            }
            wait_for(w, "fork", child);
            break;
        case 1:
            if (posix_spawn(&child, self, NULL, NULL, words, environ) != 0) child = -1;
            wait_for(w, "posix_spawn", child);
            break;
        case 2:
            child = vfork();
            if (child == 0) {
                execv(self, words);
                _exit(1);
            }
            wait_for(w, "vfork", child);
            break;
        default: {
            char line[1024];
            snprintf(line, sizeof line, "'%s' poke '%s' %s", self, path, seed);
            note(w, "system", system(line));
        }
    }
}

static void act(worker* w) {
    const int s = slot(w), fd = w->fds[s];
    long kind = below(w, 1000);
    if (w->calm && kind >= 965 && below(w, 50)) kind = below(w, 965);
    if (kind < 2) return settle(w);
    if (kind < 10) return look(w, "size", name(w));
    if (kind < 60) return open_one(w);
    if (kind < (w->calm ? 61 : 75)) return rename_one(w);
    if (kind < 80) return open_nameless(w);
    if (fd < 0) return;
    if (kind < 110) {
        w->fds[s] = -1;
        note(w, "close", close(fd));
    } else if (kind < 450) {
        read_one(w, fd);
    } else if (kind < 750) {
        write_one(w, fd);
    } else if (kind < 830) {
        seek_one(w, fd);
    } else if (kind < 880) {
        ask(w, fd);
    } else if (kind < 884) {
        set_times(w, fd);
    } else if (kind < 888) {
        set_mode(w, fd);
    } else if (kind < 920) {
        resize(w, fd);
    } else if (kind < 950) {
        copy_descriptor(w, fd);
    } else if (kind < 965) {
        note(w, "fsync", below(w, 2) ? fsync(fd) : fdatasync(fd));
    } else if (kind < 980) {
        control(w, fd);
    } else if (kind < 983) {
        map(w, fd);
    } else if (kind < 987) {
        between(w, fd);
    } else if (kind < 992) {
        stream(w, fd);
    } else if (kind < 995) {
        by_number(w, fd);
    } else if (kind < 997) {
        asynchronous(w, fd);
    } else if (alone && below(w, 20) == 0) {
        with_child(w, fd);
    }
}

static void* work(void* of) {
    worker* w = of;
    for (w->step = 0; w->step < w->steps; ++w->step) {
        act(w);
        if (w->step % 5000 == 4999) printf("%d.%ld %016llx\n", w->number, w->step, (unsigned long long)w->hash);
    }
    for (int s = 0; s < SLOTS; s += 2) /* every other one is left to the end of the process */
        if (w->fds[s] >= 0) note(w, "close", close(w->fds[s]));
    printf("%d %016llx\n", w->number, (unsigned long long)w->hash);
    return NULL;
}

int main(int count, char** words) {
    self = words[0];
    if (count == 4 && strcmp(words[1], "poke") == 0) return poke(words[2], words[3]);
    if (count == 2 && strcmp(words[1], "observe") == 0) return observe();
    if (count < 4) return 2;
    if (count > 5 && strcmp(words[5], "observed") == 0) start_observer();
    folder = words[1];
    const int threads = count > 4 ? atoi(words[4]) : 1;
    alone = threads == 1;
    pthread_t running[64];
    for (int t = 0; t < threads; ++t) {
        worker* w = calloc(1, sizeof *w);
        w->random = strtoull(words[2], NULL, 10) * 64 + (uint64_t)t;
        w->steps = atol(words[3]);
        w->number = t;
        w->verbose = count > 5 && strcmp(words[5], "verbose") == 0;
        w->calm = (int)(strtoull(words[2], NULL, 10) & 1);
        for (int s = 0; s < SLOTS; ++s) w->fds[s] = -1;
        for (int n = 0; n < NAMES; ++n) snprintf(w->names[n], sizeof w->names[n], "%s/t%d.f%d", folder, t, n);
        if (alone)
            work(w);
        else
            pthread_create(&running[t], NULL, work, w);
    }
    for (int t = 0; !alone && t < threads; ++t) pthread_join(running[t], NULL);
    return 0;
}
