// What recording adds to file calls that are short: chunks of calls as a program makes them, and of the same calls past
// everything that is preloaded, in turns in one process. Prints for each kind of call the two times in nanoseconds a
// call and the median of their ratio.
//   files CHUNKS PATH
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { kCallsPerChunk = 1000, kBytes = 64, kFileBytes = 1 << 16 };

typedef off_t Seek(int, off_t, int);
typedef ssize_t Read(int, void*, size_t);
typedef ssize_t ReadAt(int, void*, size_t, off_t);
typedef ssize_t Write(int, const void*, size_t);

struct Calls {
    Seek* lseek;
    Read* read;
    ReadAt* pread;
    Write* write;
};

#include "chunks.h"

static int file;
static char room[kBytes];

static void many_lseek(const struct Calls* calls) {
    for (int i = 0; i < kCallsPerChunk; ++i) calls->lseek(file, i, SEEK_SET);
}
static void many_read(const struct Calls* calls) {
    calls->lseek(file, 0, SEEK_SET);
    for (int i = 0; i < kCallsPerChunk; ++i) calls->read(file, room, kBytes);
}
static void many_pread(const struct Calls* calls) {
    for (int i = 0; i < kCallsPerChunk; ++i) calls->pread(file, room, kBytes, i * 7919 % (kFileBytes - kBytes));
}
static void many_write(const struct Calls* calls) {
    calls->lseek(file, 0, SEEK_SET);
    for (int i = 0; i < kCallsPerChunk; ++i) calls->write(file, room, kBytes);
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int chunks = atoi(argv[1]);
    void* libc = dlopen("libc.so.6", RTLD_LAZY);
    const struct Calls seen = {lseek, read, pread, write};
    const struct Calls bare = {(Seek*)dlsym(libc, "lseek"), (Read*)dlsym(libc, "read"), (ReadAt*)dlsym(libc, "pread"),
                               (Write*)dlsym(libc, "write")};
    static const struct {
        const char* name;
        void (*many)(const struct Calls*);
    } kinds[] = {{"lseek", many_lseek}, {"read-64", many_read}, {"pread-64", many_pread}, {"write-64", many_write}};
    file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, kFileBytes) != 0) return 1;
    double* times[3];
    for (int i = 0; i < 3; ++i) times[i] = calloc((size_t)chunks + 1, sizeof(double));
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        for (int chunk = 0; chunk < chunks; ++chunk) {
            times[0][chunk] = time_of(kinds[kind].many, &bare);
            times[1][chunk] = time_of(kinds[kind].many, &seen);
            times[2][chunk] = times[1][chunk] / times[0][chunk];
        }
        printf("%s %.2f %.2f %.4f\n", kinds[kind].name, at_share(times[0], chunks, 0.1),
               at_share(times[1], chunks, 0.1), at_share(times[2], chunks, 0.5));
    }
    close(file);
    return 0;
}
