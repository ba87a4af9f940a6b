/* One thread of io_stress: its files, its random numbers, and the hash of all that its calls told. */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 5, SLOTS = 8, LARGEST = 600000, BUFFER = 70000 };

typedef struct {
    uint64_t random, hash;
    char names[NAMES][256];
    int fds[SLOTS]; /* -1: none */
    int number, verbose;
    int calm; /* rarely does what a cache cannot serve, and lets files grow */
    long step, steps;
    unsigned char data[BUFFER];
} worker;

static const char *self, *folder;
static int alone; /* one thread: also what concerns the whole process */
extern char** environ;

static uint64_t next(worker* w) { /* splitmix64 */
    uint64_t z = (w->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static long below(worker* w, long n) { return (long)(next(w) % (uint64_t)n); }

static void note_bytes(worker* w, const void* bytes, size_t count) {
    const unsigned char* at = bytes;
    for (; count >= 8; at += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        w->hash = (w->hash ^ word) * 0x100000001b3u;
        w->hash ^= w->hash >> 29;
    }
    for (; count > 0; ++at, --count) w->hash = (w->hash ^ *at) * 0x100000001b3u;
}

static void note(worker* w, const char* call, long result) {
    const long said[2] = {result, result < 0 ? errno : 0};
    note_bytes(w, said, sizeof said);
    if (w->verbose) {
        printf("%d.%ld %s = %ld %s [%016llx]\n", w->number, w->step, call, result, result < 0 ? strerror(errno) : "",
               (unsigned long long)w->hash);
        fflush(stdout);
    }
}

static void fill(worker* w, size_t bytes) {
    const uint64_t start = next(w);
    for (size_t i = 0; i < bytes; ++i) w->data[i] = (unsigned char)(start >> (8 * (i & 7))) ^ (unsigned char)(i >> 3);
}

static int slot(worker* w) { return (int)below(w, SLOTS); }
static const char* name(worker* w) { return w->names[below(w, NAMES)]; }
static off_t place(worker* w) { return below(w, 4) ? below(w, LARGEST) : below(w, 20) * 4096; }
static size_t amount(worker* w) {
    static const long most[] = {16, 600, 4096, 9000, BUFFER};
    return (size_t)below(w, most[below(w, 5)] + 1);
}
static off_t size_of(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_size : 0;
}
