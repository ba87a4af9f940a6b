/* Random small reads of two files, in turns: how long each takes beside the other.
 *
 *   small_reads FILE OTHER BYTES ROUNDS
 *
 * Each round reads 1,000 times from each, and prints both times in nanoseconds a call. The files are made, of 16 MiB.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 16 << 20, CALLS = 1000 };

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int made(const char* name) {
    static char block[1 << 16];
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; fd >= 0 && i < SIZE / (int)sizeof block; ++i) {
        memset(block, i, sizeof block);
        if (write(fd, block, sizeof block) != (ssize_t)sizeof block) exit(1);
    }
    if (fd < 0) exit(1);
    return fd;
}

static uint64_t chunk_ns(int fd, size_t bytes, uint64_t seed) {
    static char buffer[1 << 16];
    const uint64_t began = now_ns();
    for (int i = 0; i < CALLS; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (pread(fd, buffer, bytes, (off_t)((seed >> 33) % (SIZE - bytes))) != (ssize_t)bytes) exit(2);
    }
    return (now_ns() - began) / CALLS;
}

int main(int count, char** arguments) {
    if (count < 5) return 2;
    int first = made(arguments[1]), second = made(arguments[2]);
    const size_t bytes = (size_t)atol(arguments[3]);
    for (long round = 0; round < atol(arguments[4]); ++round) {
        uint64_t one = chunk_ns(first, bytes, (uint64_t)round), other = chunk_ns(second, bytes, (uint64_t)round);
        printf("%lu %lu\n", (unsigned long)one, (unsigned long)other);
    }
    unlink(arguments[1]);
    unlink(arguments[2]);
    return 0;
}
