/* Several processes make random calls on the same files, one call at a time, in an order that is a seed's:
 *
 *   io_processes FOLDER SEED STEPS [alone]
 *
 * What each call returns depends on the seed and on the file system only, so that two runs that differ in what they
 * note (in FOLDER/../says) differ in what the file system did. Three processes begin as programs of their own, others
 * by fork; they become other programs by exec, hand descriptors to each other, and end one after the other. With
 * "alone" none asks for a file that it has not open.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 6, NAMES = 6, FIRST = 3, MOST = 12, LARGEST = 40000 };

typedef struct {
    uint64_t random, hash;
    long step, steps;
    int used, alive[MOST], mail[MOST][2];
    int ending; /* the process that had the turn before, where it ends */
    int alone;
    sem_t turn[MOST], over;
} state;

static state* all;
static int me, fds[SLOTS], output;
static const char *folder, *self;
static unsigned char data[LARGEST];
static char* memory[SLOTS];
static size_t mapped[SLOTS];

static uint64_t next(void) {
    uint64_t x = all->random;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return all->random = x;
}
static long below(long most) { return (long)((next() >> 16) % (uint64_t)most); }

static void note(const char* what, long result) {
    if (result < 0) result = -errno;
    char line[128];
    const int n = snprintf(line, sizeof line, "%ld p%d %s %ld %016llx\n", all->step, me, what, result,
                           (unsigned long long)all->hash);
    if (write(output, line, (size_t)n) != n) abort();
}
static void note_bytes(const void* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) all->hash = (all->hash ^ ((const unsigned char*)bytes)[i]) * 1099511628211u;
}
static const char* name(void) {
    static char paths[2][512];
    static int which;
    which ^= 1;
    const int n = (int)below(NAMES + 1);
    snprintf(paths[which], sizeof paths[which], n == NAMES ? "%s/../other" : "%s/f%d", folder, n);
    return paths[which];
}
static long size_of(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 ? s.st_size : 0;
}
static void fill(size_t bytes) { memset(data, 1 + (int)below(255), bytes); }

static void open_one(int s) {
    static const int access[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR, O_RDWR};
    int flags = access[below(5)] | (below(5) ? O_CREAT : 0) | (below(8) ? 0 : O_TRUNC) | (below(4) ? 0 : O_APPEND) |
                (below(2) ? O_CLOEXEC : 0) | (below(15) ? 0 : O_CREAT | O_EXCL) | (below(40) ? 0 : O_SYNC);
    if ((flags & O_ACCMODE) == O_RDONLY) flags &= ~O_TRUNC; /* undefined by POSIX; Linux tells no holder of a lease */
    if (fds[s] >= 0) note("close", close(fds[s]));
    fds[s] = open(name(), flags, 0644);
    note("open", fds[s] < 0 ? -1 : 0);
}

static void after_exec(char** words) {
    for (int s = 0; s < SLOTS; ++s) {
        fds[s] = atoi(words[4 + s]);
        if (fds[s] >= 0 && fcntl(fds[s], F_GETFD) < 0) fds[s] = -1;
    }
}

static void become_another(void) {
    char numbers[SLOTS][16], slot[16];
    snprintf(slot, sizeof slot, "%d", me);
    char* words[5 + SLOTS] = {(char*)self, "resume", (char*)folder, slot};
    for (int s = 0; s < SLOTS; ++s) {
        snprintf(numbers[s], sizeof numbers[s], "%d", fds[s]);
        words[4 + s] = numbers[s];
    }
    words[4 + SLOTS] = NULL;
    execv(self, words);
    abort();
}

static void pass_descriptor(int fd) { /* to another process, which takes it when it next has a turn */
    const int to = (int)below(all->used);
    if (!all->alive[to]) return;
    char byte = 0, control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    note("sendmsg", sendmsg(all->mail[to][1], &message, MSG_DONTWAIT));
}
static void take_descriptor(int s) {
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(all->mail[me][0], &message, MSG_DONTWAIT) != 1) return;
    struct cmsghdr* c = CMSG_FIRSTHDR(&message);
    if (c == NULL) return;
    if (fds[s] >= 0) note("close", close(fds[s]));
    memcpy(&fds[s], CMSG_DATA(c), sizeof(int));
    note("recvmsg", 0);
}

static void fork_one(void) {
    if (all->used == MOST) return;
    const int slot = all->used;
    const pid_t child = below(2) ? fork() : _Fork();
    if (child == 0) {
        me = slot;
        return;
    }
    note("fork", child < 0 ? -1 : 0);
    if (child > 0) all->alive[slot] = 1, all->used++;
}

static void end_one(void) {
    static const char* how[] = {"exit", "_exit", "abort", "raise", "exec"};
    int others = 0;
    for (int p = 0; p < all->used; ++p) others += all->alive[p];
    if (others < 2) return;
    const int kind = (int)below(5);
    note(how[kind], 0);
    all->alive[me] = 0;
    /* whoever goes on does so when this has ended: */
    all->ending = getpid();
    for (;;) {
        const int p = (int)below(all->used);
        if (!all->alive[p]) continue;
        sem_post(&all->turn[p]);
        break;
    }
    if (kind == 0) exit(0);
    if (kind == 1) _exit(0);
    if (kind == 2) abort();
    if (kind == 3) raise(SIGKILL);
    execl("/bin/true", "true", (char*)NULL);
}

static void act(void) {
    const int s = (int)below(SLOTS), fd = fds[s];
    const long kind = below(1000);
    if (fd < 0 || kind < 80) return open_one(s);
    const long at = below(LARGEST / 2);
    const size_t bytes = (size_t)(below(3) ? below(6000) : below(LARGEST / 2));
    struct iovec parts[2] = {{data, bytes / 3}, {data + bytes / 3, bytes - bytes / 3}};
    ssize_t got = 0;
    if (kind < 330) {
        const int way = (int)below(4);
        got = way == 0   ? read(fd, data, bytes)
              : way == 1 ? pread(fd, data, bytes, at)
              : way == 2 ? readv(fd, parts, 2)
                         : preadv(fd, parts, 2, at);
        if (got > 0) note_bytes(data, (size_t)got);
        note("read", got);
    } else if (kind < 620) {
        fill(bytes);
        const int way = (int)below(4);
        if (size_of(fd) > 300000) return note("ftruncate", ftruncate(fd, at));
        got = way == 0   ? write(fd, data, bytes)
              : way == 1 ? pwrite(fd, data, bytes, at)
              : way == 2 ? writev(fd, parts, 2)
                         : pwritev(fd, parts, 2, at);
        note("write", got);
    } else if (kind < 670) {
        note("lseek", lseek(fd, below(3) ? at : -at / 4, (int)below(3)));
    } else if (kind < 720) {
        fds[s] = -1;
        note("close", close(fd));
    } else if (kind < 750) {
        struct stat st;
        const int way = (int)below(2) && !all->alone;
        const int r = way ? stat(name(), &st) : fstat(fd, &st);
        note("stat", r < 0 ? -1 : st.st_size);
        if (r == 0) note("links", (long)st.st_nlink);
    } else if (kind < 770) {
        note("ftruncate", ftruncate(fd, at));
    } else if (kind < 780) {
        note("truncate", truncate(name(), at));
    } else if (kind < 800) {
        note("fsync", fsync(fd));
    } else if (kind < 815) {
        const char *from = name(), *to = name();
        note("rename", rename(from, to));
    } else if (kind < 830) {
        note("unlink", unlink(name()));
    } else if (kind < 836) {
        const char *from = name(), *to = name();
        note("link", link(from, to));
    } else if (kind < 860) {
        const int t = (int)below(SLOTS);
        if (fds[t] >= 0 && t != s) {
            note("dup2", dup2(fd, fds[t]) < 0 ? -1 : 0);
        } else if (t != s) {
            fds[t] = dup(fd);
            note("dup", fds[t] < 0 ? -1 : 0);
        }
    } else if (kind < 880) {
        note("fallocate", fallocate(fd, below(2) ? FALLOC_FL_KEEP_SIZE : 0, at, 1 + below(9000)));
    } else if (kind < 895) { /* a mapping that stays */
        if (memory[s] != NULL) {
            munmap(memory[s], mapped[s]);
            memory[s] = NULL;
        }
        mapped[s] = 4096;
        memory[s] = mmap(NULL, mapped[s], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        note("mmap", memory[s] == MAP_FAILED ? -1 : 0);
        if (memory[s] == MAP_FAILED) memory[s] = NULL;
        if (memory[s] != NULL && size_of(fd) > 0) {
            note_bytes(memory[s], 1);
            memory[s][0] = (char)below(256);
        }
    } else if (kind < 905) {
        note("F_SETFL", fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) ^ O_APPEND));
    } else if (kind < 915) {
        note("flock", flock(fd, (below(3) == 0 ? LOCK_UN : below(2) ? LOCK_EX : LOCK_SH) | LOCK_NB));
    } else if (kind < 922) {
        struct flock lock = {.l_type = (short)(below(3) == 0 ? F_UNLCK
                                               : below(2)    ? F_WRLCK
                                                             : F_RDLCK),
                             .l_start = at,
                             .l_len = 100};
        note("F_SETLK", fcntl(fd, F_SETLK, &lock));
    } else if (kind < 930) {
        const int t = (int)below(SLOTS);
        off_t offset = at;
        if (fds[t] >= 0) note("sendfile", sendfile(fds[t], fd, below(2) ? &offset : NULL, bytes));
    } else if (kind < 938) {
        const int t = (int)below(SLOTS);
        off_t offset = at;
        if (fds[t] >= 0) note("copy_file_range", copy_file_range(fd, &offset, fds[t], NULL, bytes, 0));
    } else if (kind < 946) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        const int t = (int)below(SLOTS);
        if (fds[t] >= 0) note("close", close(fds[t]));
        fds[t] = open(path, below(2) ? O_RDWR : O_RDONLY);
        note("open /proc", fds[t] < 0 ? -1 : 0);
    } else if (kind < 956) {
        pass_descriptor(fd);
    } else if (kind < 970) {
        take_descriptor(s);
    } else if (kind < 974) {
        fds[s] = -1;
        FILE* f = fdopen(fd, "r+");
        note("fdopen", f == NULL ? -1 : 0);
        if (f != NULL) {
            note("fputs", fputs("stream", f));
            note("fclose", fclose(f));
        } else
            close(fd);
    } else if (kind < 978) {
        note("fchmod", fchmod(fd, below(2) ? 0600 : 0644));
    } else if (kind < 986) {
        fork_one();
    } else if (kind < 990) {
        note("execv", 0);
        become_another();
    } else if (kind < 993) {
        end_one();
    } else if (kind < 996) {
        char line[1024];
        snprintf(line, sizeof line, "cat '%s' 2>/dev/null | cksum >/dev/null; echo add >>'%s'", name(), name());
        note("system", system(line));
    }
}

static void hand_on(void) {
    for (;;) {
        const int p = (int)below(all->used);
        if (!all->alive[p]) continue;
        sem_post(&all->turn[p]);
        return;
    }
}

static int work(void) {
    for (;;) {
        while (sem_wait(&all->turn[me]) != 0) {
        }
        if (all->ending != 0) { /* the one before us is ending: until it has, its locks and files are its */
            const int ending =
                (int)syscall(SYS_pidfd_open, all->ending, 0); /* unlike its state in /proc: with all threads */
            struct pollfd until = {.fd = ending, .events = POLLIN};
            while (ending >= 0 && poll(&until, 1, -1) < 0) {
            }
            if (ending >= 0) close(ending);
            all->ending = 0;
        }
        if (all->step >= all->steps) {
            sem_post(&all->over);
            for (int p = 0; p < all->used; ++p)
                if (all->alive[p] && p != me) {
                    all->alive[me] = 0;
                    all->ending = getpid();
                    sem_post(&all->turn[p]);
                    break;
                }
            return 0;
        }
        all->step++;
        const int mine = me;
        act();
        if (me != mine) continue; /* a child: it waits for its turn */
        hand_on();
    }
}

int main(int count, char** words) {
    self = words[0];
    folder = words[2];
    char path[512];
    if (count > 3 && strcmp(words[1], "resume") == 0) {
        me = atoi(words[3]);
        snprintf(path, sizeof path, "%s/../state", folder);
        const int file = open(path, O_RDWR | O_CLOEXEC);
        all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        snprintf(path, sizeof path, "%s/../says", folder);
        output = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (count > 4) {
            after_exec(words);
            hand_on();
        } else
            for (int s = 0; s < SLOTS; ++s) fds[s] = -1;
        return work();
    }
    if (count < 4) return 2;
    folder = words[1];
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* to wait for all of them */
    snprintf(path, sizeof path, "%s/../state", folder);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (ftruncate(file, sizeof *all) != 0) return 3;
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    snprintf(path, sizeof path, "%s/../says", folder);
    output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    all->random = strtoull(words[2], NULL, 10) * 0x9E3779B97F4A7C15u + 12345;
    all->steps = atol(words[3]);
    all->alone = count > 4;
    for (int p = 0; p < MOST; ++p) {
        sem_init(&all->turn[p], 1, 0);
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, all->mail[p]) != 0) return 3;
        for (int i = 0; i < 2; ++i) all->mail[p][i] = fcntl(all->mail[p][i], F_DUPFD, 300);
    }
    sem_init(&all->over, 1, 0);
    all->used = FIRST;
    for (int p = 0; p < FIRST; ++p) {
        char slot[16];
        snprintf(slot, sizeof slot, "%d", p);
        char* resume[] = {(char*)self, "resume", (char*)folder, slot, NULL};
        pid_t child;
        all->alive[p] = 1;
        if (posix_spawn(&child, self, NULL, NULL, resume, environ) != 0) return 3;
    }
    hand_on();
    sem_wait(&all->over);
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    printf("%016llx\n", (unsigned long long)all->hash);
    return 0;
}
