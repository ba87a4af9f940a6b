// What recording adds to calls in which a thread may wait for others, where it need not wait: locks on a file, a pipe
// that is neither empty nor full, an address for a socket, a look at descriptors, a sleep of no time. Chunks of calls
// as a program makes them, and of the same calls past everything that is preloaded, in turns in one process. Prints for
// each kind the two times in nanoseconds a call, and the median of their difference.
//   blocking CHUNKS PATH               all kinds
//   blocking CHUNKS PATH KIND WAY      one of them, one way: seen or bare; prints nothing
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { kCallsPerChunk = 1000, kBytes = 8 };

struct Calls {
    int (*flock)(int, int);
    int (*fcntl)(int, int, ...);
    ssize_t (*read)(int, void*, size_t);
    ssize_t (*write)(int, const void*, size_t);
    int (*connect)(int, const struct sockaddr*, socklen_t);
    int (*poll)(struct pollfd*, nfds_t, int);
    int (*nanosleep)(const struct timespec*, struct timespec*);
};

#include "chunks.h"

static int file, ends[2], talker;
static char room[kBytes];

static void many_flock(const struct Calls* calls) {
    for (int i = 0; i < kCallsPerChunk; ++i) calls->flock(file, i % 2 == 0 ? LOCK_EX : LOCK_UN);
}
static void many_fcntl(const struct Calls* calls) {
    struct flock lock = {.l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    for (int i = 0; i < kCallsPerChunk; ++i) {
        lock.l_type = i % 2 == 0 ? F_WRLCK : F_UNLCK;
        calls->fcntl(file, F_SETLKW, &lock);
    }
}
static void many_pipe(const struct Calls* calls) {
    for (int i = 0; i < kCallsPerChunk; i += 2)
        if (calls->write(ends[1], room, kBytes) != kBytes || calls->read(ends[0], room, kBytes) != kBytes) abort();
}
static void many_connect(const struct Calls* calls) {
    const struct sockaddr_in to = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {0}};
    for (int i = 0; i < kCallsPerChunk; ++i) calls->connect(talker, (const struct sockaddr*)&to, sizeof to);
}
static void many_poll(const struct Calls* calls) {
    struct pollfd one = {ends[0], POLLIN, 0};
    for (int i = 0; i < kCallsPerChunk; ++i) calls->poll(&one, 1, 0);
}
static void many_nanosleep(const struct Calls* calls) {
    const struct timespec none = {0, 0};
    for (int i = 0; i < kCallsPerChunk; ++i) calls->nanosleep(&none, NULL);
}

static const struct {
    const char* name;
    void (*many)(const struct Calls*);
} kinds[] = {{"flock", many_flock},     {"fcntl-lock", many_fcntl}, {"pipe", many_pipe},
             {"connect", many_connect}, {"poll", many_poll},        {"nanosleep", many_nanosleep}};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int chunks = atoi(argv[1]);
    void* libc = dlopen("libc.so.6", RTLD_LAZY);
    const struct Calls seen = {flock, fcntl, read, write, connect, poll, nanosleep};
    struct Calls bare;
    *(void**)&bare.flock = dlsym(libc, "flock"), *(void**)&bare.fcntl = dlsym(libc, "fcntl64");
    *(void**)&bare.read = dlsym(libc, "read"), *(void**)&bare.write = dlsym(libc, "write");
    *(void**)&bare.connect = dlsym(libc, "connect"), *(void**)&bare.poll = dlsym(libc, "poll");
    *(void**)&bare.nanosleep = dlsym(libc, "nanosleep");
    file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    talker = socket(AF_INET, SOCK_DGRAM, 0);
    if (file < 0 || talker < 0 || pipe(ends) != 0) return 1;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        if (argc > 4 && strcmp(argv[3], kinds[kind].name) != 0) continue;
        if (argc > 4) {
            for (int chunk = 0; chunk < chunks; ++chunk) kinds[kind].many(strcmp(argv[4], "seen") == 0 ? &seen : &bare);
            continue;
        }
        double* times[3];
        for (int i = 0; i < 3; ++i) times[i] = calloc((size_t)chunks + 1, sizeof(double));
        for (int chunk = 0; chunk < chunks; ++chunk) {
            times[0][chunk] = time_of(kinds[kind].many, &bare);
            times[1][chunk] = time_of(kinds[kind].many, &seen);
            times[2][chunk] = times[1][chunk] - times[0][chunk];
        }
        printf("%s %.1f %.1f %.1f\n", kinds[kind].name, at_share(times[0], chunks, 0.1),
               at_share(times[1], chunks, 0.1), at_share(times[2], chunks, 0.5));
    }
    return 0;
}
