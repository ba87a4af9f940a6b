/* Random calls on files until something ends the process:  io_killed FOLDER LOG PROCESS SEED END STEPS THREADS
 *
 * Each call is noted in LOG, memory that all processes share and that outlives them: when it begins, and when it has
 * returned. So whoever reads LOG afterwards knows what the disk must have (tests/io_cache/test_killed.py). Files
 * WRITER.0 and so on are one thread's own; of the last one, "all", each thread writes a part of its own, and reads back
 * what it wrote. Now and then the process becomes another program, itself. After STEPS calls of its main thread it ends
 * by END, "exit", "_exit", "abort", "raise" or "exec".
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ENTRIES = 20000, PART = 50000, FILES = 4, SHARED = FILES - 1, LARGEST = 20000 };
enum { OPEN = 1, WRITE, SYNC, CLOSE, CUT, END, BEGIN };
enum { BEGUN = 1, DONE };

typedef struct {
    _Atomic uint32_t state;
    uint8_t kind, writer, file, value;
    uint32_t at, bytes, count_after;
} entry;

typedef struct {
    _Atomic uint32_t count;
    uint32_t unused[3];
    entry entries[ENTRIES];
} notes;

static notes* all;
static char** words;
static _Thread_local int writer, fds[FILES] = {-1, -1, -1, -1};
static _Thread_local uint64_t seed;
static _Thread_local unsigned char as_written[PART];  // of "all"; 0: not by this program

static uint32_t below(uint32_t most) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % most);
}

static entry* begin(int kind, int file, uint32_t at, uint32_t bytes, int value) {
    const uint32_t i = atomic_fetch_add(&all->count, 1);
    if (i >= ENTRIES) _exit(0);
    entry* e = &all->entries[i];
    e->kind = (uint8_t)kind, e->writer = (uint8_t)writer, e->file = (uint8_t)file, e->value = (uint8_t)value;
    e->at = at, e->bytes = bytes;
    atomic_store(&e->state, BEGUN);
    return e;
}

static void done(entry* e, int well) {
    e->count_after = atomic_load(&all->count);
    if (well) atomic_store(&e->state, DONE);
    if (!well) _exit(9);
}

static void open_one(int f) {
    char path[512];
    if (f == SHARED)
        snprintf(path, sizeof path, "%s/all", words[1]);
    else
        snprintf(path, sizeof path, "%s/%d.%d", words[1], writer, f);
    const int cuts = f != SHARED && below(4) == 0;
    entry* e = begin(OPEN, f, (uint32_t)cuts, 0, 0);
    fds[f] = open(path, O_RDWR | O_CREAT | (cuts ? O_TRUNC : 0) | (below(2) ? O_CLOEXEC : 0), 0644);
    done(e, fds[f] >= 0);
}

static void write_one(int f) {
    static _Thread_local unsigned char data[LARGEST];
    const uint32_t bytes = 1 + below(below(4) ? LARGEST / 2 : LARGEST);
    const uint32_t in_part = below(PART - bytes), at = in_part + (f == SHARED ? (uint32_t)writer * PART : 0);
    const int value = 1 + (int)below(255);
    memset(data, value, bytes);
    entry* e = begin(WRITE, f, at, bytes, value);
    done(e, pwrite(fds[f], data, bytes, at) == (ssize_t)bytes);
    if (f == SHARED) memset(as_written + in_part, value, bytes);
}

static void read_one(int f) {
    static _Thread_local unsigned char data[PART];
    const uint32_t at = below(PART), bytes = 1 + below(PART - at);
    const ssize_t came = pread(fds[f], data, bytes, at + (f == SHARED ? (uint32_t)writer * PART : 0));
    if (came < 0) _exit(9);
    for (uint32_t i = 0; f == SHARED && i < bytes; ++i) {
        if (as_written[at + i] == 0 || (i < came && data[i] == as_written[at + i])) continue;
        fprintf(stderr, "writer %d reads %d instead of %d at %u\n", writer, data[i], as_written[at + i], at + i);
        _exit(9);
    }
}

static void act(void) {
    const int f = (int)below(FILES);
    const uint32_t what = below(100), at = below(PART);
    if (fds[f] < 0) {
        open_one(f);
    } else if (what < 75) {
        write_one(f);
    } else if (what < 82) {
        entry* e = begin(SYNC, f, 0, 0, 0);
        done(e, (below(2) ? fsync(fds[f]) : fdatasync(fds[f])) == 0);
    } else if (what < 92) {
        entry* e = begin(CLOSE, f, 0, 0, 0);
        done(e, close(fds[f]) == 0);
        fds[f] = -1;
    } else if (what < 96 && f != SHARED) {
        entry* e = begin(CUT, f, at, 0, 0);
        done(e, ftruncate(fds[f], at) == 0);
    } else {
        read_one(f);
    }
}

static void become_itself(void) {
    char next[32];
    snprintf(next, sizeof next, "%llu", (unsigned long long)seed >> 3);
    words[4] = next;
    begin(END, 0, 0, 0, 0);
    execv(words[0], words);
}

static void become(int number) {
    writer = number;
    seed = strtoull(words[4], NULL, 10) * 0x9E3779B97F4A7C15u + 88172645463325252u + (uint64_t)number;
}

static void* go_on(void* number) {
    become((int)(intptr_t)number);
    for (;;) act();
    return NULL;
}

int main(int count, char** arguments) {
    if (count != 8) return 2;
    words = arguments;
    const int threads = atoi(words[7]), first = atoi(words[3]) * threads;
    become(first);
    const int log = open(words[2], O_RDWR | O_CLOEXEC);
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
    if (all == MAP_FAILED) return 2;
    begin(BEGIN, 0, 0, 0, 0);
    for (int i = 1; i < threads; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, go_on, (void*)(intptr_t)(first + i)) != 0) return 2;
    }
    for (long i = atol(words[6]); i > 0; --i) {
        act();
        if (below(1500) == 0) become_itself();
    }
    begin(END, 0, 0, 0, 0);
    const char* end = words[5];
    if (strcmp(end, "_exit") == 0) _exit(0);
    if (strcmp(end, "abort") == 0) abort();
    if (strcmp(end, "raise") == 0) raise(SIGKILL);
    if (strcmp(end, "exec") == 0) execl("/bin/true", "true", (char*)NULL);
    return 0;
}
